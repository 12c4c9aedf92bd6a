package agent

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
	"github.com/stackreeve/stackreeve/internal/source"
)

func things(names ...string) (text string) {
	for _, name := range names {
		text += "---\napiVersion: test/v1\nkind: Thing\nmetadata: {name: " + name + "}\nspec: {resource: {}}\n"
	}
	return text
}

// TestAnEmptiedFileIsNoDeletion has a branch whose last commit removes the objects from a file but keeps the file. A running agent compares
// it with the last accepted commit, and a new agent compares it with the branch's history. Both get the same result.
func TestAnEmptiedFileIsNoDeletion(t *testing.T) {
	files := func(a string) map[string]string { return map[string]string{"a.yaml": a, "b.yaml": things("b")} }
	full := files(things("a"))
	for name, c := range map[string]struct {
		commits []map[string]string // the oldest first
		refused bool
	}{
		"cut to nothing":                   {[]map[string]string{full, files("")}, true},
		"only a comment":                   {[]map[string]string{full, files("# gone\n")}, true},
		"overwritten":                      {[]map[string]string{full, files("replicas: 3\n")}, true},
		"somebody else's":                  {[]map[string]string{full, files("apiVersion: apps/v1\nkind: Deployment\n")}, true},
		"a refused commit between":         {[]map[string]string{full, files("version https://git-lfs.github.com/spec/v1\n"), files("")}, true},
		"emptied, and something else then": {[]map[string]string{full, files(""), {"a.yaml": "", "b.yaml": things("b", "c")}}, true},
		"the file is gone":                 {[]map[string]string{full, {"b.yaml": things("b")}}, false},
		"gone, and back without objects":   {[]map[string]string{full, {"b.yaml": things("b")}, files("")}, false},
		"one object of two":                {[]map[string]string{files(things("a", "a2")), full}, false},
		"the objects moved":                {[]map[string]string{full, {"a.yaml": "", "b.yaml": things("b", "a")}}, false},
		"never held any":                   {[]map[string]string{files("replicas: 3\n"), files("replicas: 4\n")}, false},
		"it is restored":                   {[]map[string]string{full, files(""), full}, false},
	} {
		newest := len(c.commits) - 1
		for _, running := range []bool{false, true} {
			o := &outside{}
			s := o.stack(t, "@every 1m", "@every 5m")
			at := newest
			if running {
				at = 0
			}
			s.Fetch = func(context.Context) (source.Revision, bool, error) { return revisionOf(c.commits, at), true, nil }
			r := resolve.Reader{Kinds: []*kind.Kind{new(thingtest.World).Kind()}}
			s.Read = func(ctx context.Context, files fs.FS, _ string) (resolve.Reading, error) { return r.Read(ctx, files) }
			s.Emptied = r.Emptied
			s.History = func(_ context.Context, commit string, _ int, visit func(source.Revision) bool) error {
				for i := int(commit[0]-'0') - 1; i >= 0 && visit(revisionOf(c.commits, i)); i-- {
				}
				return nil
			}
			s.Earlier = s.History
			run := s.Pass(t.Context())
			for running && at < newest {
				at++
				run = s.Pass(t.Context())
			}
			if (run.Refused != nil) != c.refused || run.Err != nil {
				t.Errorf("%s, running %v: refused %+v, error %v", name, running, run.Refused, run.Err)
			}
			kept := slices.ContainsFunc(o.passes[len(o.passes)-1].Want, func(d kind.Desired) bool { return d.Key.Name == "a" })
			if c.refused && !kept {
				t.Errorf("%s, running %v: applied without the object of the emptied file", name, running)
			}
		}
	}
}

func revisionOf(commits []map[string]string, i int) source.Revision {
	files := fstest.MapFS{}
	for name, text := range commits[i] {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return source.Revision{Commit: string(rune('0' + i)), Files: files}
}

// TestAHistoryThatCannotBeReadDecidesNothing: nothing is applied while the earlier content of a file is unknown.
func TestAHistoryThatCannotBeReadDecidesNothing(t *testing.T) {
	o := &outside{commit: "1"}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Fetch = func(context.Context) (source.Revision, bool, error) {
		return revisionOf([]map[string]string{{"a.yaml": ""}}, 0), true, nil
	}
	r := resolve.Reader{Kinds: []*kind.Kind{new(thingtest.World).Kind()}}
	s.Read = func(ctx context.Context, files fs.FS, _ string) (resolve.Reading, error) { return r.Read(ctx, files) }
	s.Emptied = r.Emptied
	away := errors.New("the server is away")
	s.History = func(context.Context, string, int, func(source.Revision) bool) error { return away }
	if run := s.Pass(t.Context()); run.Err == nil || run.Refused != nil || len(o.passes) != 0 || errors.As(run.Err, new(manifest.Problems)) {
		t.Errorf("%+v after %d passes", run, len(o.passes))
	}
	away = nil
	if run := s.Pass(t.Context()); run.Err != nil || len(o.passes) != 1 {
		t.Errorf("%+v after %d passes", run, len(o.passes))
	}
}

// TestAFolderThatIsGoneIsNotEmpty has a branch whose last commit renames or removes a folder. A pattern of the configuration matches that
// folder. A running agent, a new agent and `plan` get the same result.
func TestAFolderThatIsGoneIsNotEmpty(t *testing.T) {
	full := map[string]string{"net/a.yaml": things("a"), "web/b.yaml": things("b")}
	for name, c := range map[string]struct {
		include []string
		newest  map[string]string
		refused bool
	}{
		"renamed, and all there was": {[]string{"net"}, map[string]string{"network/a.yaml": things("a"), "web/b.yaml": things("b")}, true},
		"renamed, and others stay":   {[]string{"net", "web"}, map[string]string{"network/a.yaml": things("a"), "web/b.yaml": things("b")}, true},
		"removed":                    {[]string{"net/**"}, map[string]string{"web/b.yaml": things("b")}, true},
		"emptied but for a file":     {[]string{"net"}, map[string]string{"net/README.md": "", "web/b.yaml": things("b")}, false},
		"moved to another":           {[]string{"net", "web"}, map[string]string{"web/a.yaml": things("a"), "web/b.yaml": things("b")}, false},
		"never there":                {[]string{"nte", "web"}, map[string]string{"web/b.yaml": things("b")}, false},
	} {
		commits := []map[string]string{full, c.newest}
		r := resolve.Reader{Kinds: []*kind.Kind{new(thingtest.World).Kind()}, Selection: manifest.Selection{Include: c.include}}
		for _, running := range []bool{false, true} {
			o := &outside{}
			s := o.stack(t, "@every 1m", "@every 5m")
			at := 1
			if running {
				at = 0
			}
			s.Fetch = func(context.Context) (source.Revision, bool, error) { return revisionOf(commits, at), true, nil }
			s.Read = func(ctx context.Context, files fs.FS, _ string) (resolve.Reading, error) { return r.Read(ctx, files) }
			s.Emptied = r.Emptied
			s.History = func(_ context.Context, commit string, _ int, visit func(source.Revision) bool) error {
				if commit == "1" {
					visit(revisionOf(commits, 0))
				}
				return nil
			}
			s.Earlier = s.History
			run := s.Pass(t.Context())
			if running {
				at++
				run = s.Pass(t.Context())
			}
			if (run.Refused != nil) != c.refused || run.Err != nil {
				t.Errorf("%s, running %v: refused %+v, error %v", name, running, run.Refused, run.Err)
			}
		}
	}
}
