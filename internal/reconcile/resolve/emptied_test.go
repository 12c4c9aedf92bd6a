package resolve_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// tree is a commit: the object in each file, by the file's name. A file without an object contains a comment.
type tree map[string]string

func (c tree) files() fstest.MapFS {
	files := fstest.MapFS{}
	for name, object := range c {
		text := "# nothing\n"
		if object != "" {
			text = manifests(object)
		}
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// If a file loses its objects, they are not deleted. Only the newest commit counts that contains objects in the file, or does not contain
// the file.
func TestEmptiedFiles(t *testing.T) {
	full := tree{"a.yaml": "Thing a", "sub/b.yaml": "Thing b"}
	for name, c := range map[string]struct {
		include []string
		now     tree
		past    []tree   // the newest first
		lost    []string // places of the mistakes
		visited int
	}{
		"nothing is lost":                 {nil, full, []tree{full}, nil, 0},
		"emptied":                         {nil, tree{"a.yaml": "", "sub/b.yaml": "Thing b"}, []tree{full, full}, []string{"root/a.yaml"}, 1},
		"emptied some time ago":           {nil, tree{"a.yaml": "", "sub/b.yaml": "Thing b"}, []tree{{"a.yaml": "", "sub/b.yaml": "Thing b"}, full, full}, []string{"root/a.yaml"}, 2},
		"two, one after the other":        {nil, tree{"a.yaml": "", "sub/b.yaml": "", "c.yaml": "Thing c"}, []tree{{"a.yaml": "", "sub/b.yaml": "Thing b"}, full, full}, []string{"root/a.yaml", "root/sub/b.yaml"}, 2},
		"moved to another file":           {nil, tree{"a.yaml": "", "c.yaml": "Thing a"}, []tree{full, full}, nil, 1},
		"it was gone":                     {nil, tree{"a.yaml": "", "c.yaml": "Thing c"}, []tree{{"c.yaml": "Thing c"}, full}, nil, 1},
		"it was a folder":                 {nil, tree{"a.yaml": "", "c.yaml": "Thing c"}, []tree{{"a.yaml/x.yaml": "Thing a"}}, nil, 1},
		"it never held any":               {nil, tree{"a.yaml": "", "c.yaml": "Thing c"}, []tree{{"a.yaml": "", "c.yaml": "Thing c"}}, nil, 1},
		"its mistakes do not matter":      {nil, tree{"a.yaml": "", "c.yaml": "Thing c"}, []tree{{"a.yaml": "Thing a {shape: spiky, nothing: x}"}}, []string{"root/a.yaml"}, 1},
		"a folder has another name":       {[]string{"sub", "*.yaml"}, tree{"a.yaml": "Thing a", "bus/b.yaml": "Thing b"}, []tree{full, full}, []string{"root"}, 1},
		"a folder was gone before":        {[]string{"sub", "*.yaml"}, tree{"a.yaml": "Thing a"}, []tree{{"a.yaml": "Thing a"}, full, full}, []string{"root"}, 2},
		"the objects of a folder moved":   {[]string{"sub", "*.yaml"}, tree{"a.yaml": "Thing a", "b.yaml": "Thing b"}, []tree{full, full}, nil, 1},
		"a folder, and a file of another": {[]string{"sub", "*.yaml"}, tree{"a.yaml": "", "c.yaml": "Thing c"}, []tree{full, full}, []string{"root", "root/a.yaml"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := resolve.Reader{Kinds: kinds(), Root: "root", Selection: manifest.Selection{Include: c.include}}
			now, err := r.Read(t.Context(), c.now.files())
			if err != nil {
				t.Fatal(err)
			}
			visited := 0
			err = r.Emptied(t.Context(), now, func(_ context.Context, visit func(string, fs.FS) bool) error {
				for more := true; more && visited < len(c.past); visited++ {
					more = visit("commit", c.past[visited].files())
				}
				return nil
			})
			var places []string
			for _, p := range problemsOf(t, err) {
				places = append(places, p.Origin.File)
			}
			if !slices.Equal(places, c.lost) || (err != nil) != (len(c.lost) > 0) || visited != c.visited {
				t.Errorf("lost %q in %d commits, want %q in %d", places, visited, c.lost, c.visited)
			}
		})
	}
}

// unreadable is a folder with files that cannot be read.
type unreadable struct{ fs.FS }

var errDisk = errors.New("the disk is broken")

func (u unreadable) Open(name string) (fs.File, error) {
	f, err := u.FS.Open(name)
	return unreadableFile{f}, err
}

type unreadableFile struct{ fs.File }

func (unreadableFile) Read([]byte) (int, error) { return 0, errDisk }

// If the past cannot be read, there is an error, but no mistake in the manifests.
func TestAPastThatCannotBeRead(t *testing.T) {
	r := resolve.Reader{Kinds: kinds()}
	now, err := r.Read(t.Context(), tree{"a.yaml": "", "b.yaml": ""}.files())
	if err != nil {
		t.Fatal(err)
	}
	was := tree{"a.yaml": "Thing a", "b.yaml": "Thing b"}.files()
	visits := func(files ...fs.FS) resolve.Past {
		return func(_ context.Context, visit func(string, fs.FS) bool) error {
			for i, f := range files {
				if !visit("commit", f) && i+1 < len(files) {
					t.Error("it goes on")
				}
			}
			return nil
		}
	}
	if err := r.Emptied(t.Context(), now, visits(unreadable{was})); !errors.Is(err, errDisk) {
		t.Errorf("a file: %v", err)
	}
	var problems manifest.Problems
	failing := func(ctx context.Context, visit func(string, fs.FS) bool) error {
		visit("commit", was)
		return errDisk
	}
	if err := r.Emptied(t.Context(), now, failing); !errors.Is(err, errDisk) || errors.As(err, &problems) {
		t.Errorf("the history: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Emptied(ctx, now, visits(was)); !errors.Is(err, context.Canceled) || errors.As(err, &problems) {
		t.Errorf("after the end: %v", err)
	}
}
