package virtualmachinegroup_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each story is a file with a repository, the stack's defaults and the expected
// objects. The first line of the file says what the story is about.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { tell(t, file) })
	}
}

func tell(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	repo, d, golden := fstest.MapFS{}, defaults.Defaults{}, -1
	for i, f := range archive.Files {
		switch f.Name {
		case "defaults":
			if err := json.Unmarshal(f.Data, &d); err != nil {
				t.Fatal(err)
			}
		case "wanted":
			golden = i
		default:
			repo[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	got := wanted(repo, d)
	if *update {
		archive.Files[golden].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(archive.Files[golden].Data); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// wanted lists the objects into which a repository expands. Each is one line.
func wanted(repo fstest.MapFS, d defaults.Defaults) string {
	objects, _, err := resolve.Read(repo, all.Kinds(nil, d))
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for _, d := range objects {
		switch {
		case d.Virtual:
			fmt.Fprintf(&b, "%s\n", d.Key)
			continue
		case d.Import != nil && d.Import.ID != "":
			fmt.Fprintf(&b, "%s is %s\n", d.Key, d.Import.ID)
			continue
		case d.Import != nil:
			fmt.Fprintf(&b, "%s is the one like %s\n", d.Key, compact(d.Import.Filter))
			continue
		case d.Parent == (manifest.Key{}):
			fmt.Fprintf(&b, "%s: %s\n", d.Key, compact(d.Spec))
			continue
		}
		fmt.Fprintf(&b, "%s of %s: %s\n", d.Key, d.Parent, compact(d.Spec))
	}
	return b.String()
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
