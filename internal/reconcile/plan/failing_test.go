package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

func named(name string) manifest.Key { return manifest.Key{Kind: "Thing", Name: name} }

// wanted returns desired objects. Each line is "NAME PARENT REF,REF". An object with the name import is unmanaged, and one with
// the name text has data.
func wanted(lines ...string) (want []kind.Desired) {
	for _, line := range lines {
		words := append(strings.Split(line, " "), "", "")
		d := kind.Desired{Key: named(words[0]), Digest: "digest of " + line, Unmanaged: words[0] == "import"}
		if words[0] == "text" {
			d.Data = map[string]string{}
		}
		if words[1] != "" {
			d.Parent = named(words[1])
		}
		for _, ref := range strings.FieldsFunc(words[2], func(r rune) bool { return r == ',' }) {
			d.Refs = append(d.Refs, kind.RefSpec{Key: named(ref)})
		}
		want = append(want, d)
	}
	return want
}

func names(want []kind.Desired) string {
	var all []string
	for _, d := range want {
		all = append(all, d.Key.Name)
	}
	return strings.Join(all, " ")
}

// The parts of a group are all objects that it was expanded into, at any depth.
func TestPartsOfAGroup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		want  []string
		parts string
	}{
		"nothing":                    {[]string{"g", "a"}, ""},
		"children and theirs":        {[]string{"g", "a g", "b a", "c", "d c"}, "a b"},
		"parts before what has them": {[]string{"b a", "a g", "g"}, "b a"},
		"a deep one":                 {[]string{"g", "a g", "b a", "c b", "d c"}, "a b c d"},
		"a group inside of another":  {[]string{"h", "g h", "a g"}, "a"},
		"a circle":                   {[]string{"g", "a b", "b a", "c g"}, "c"},
		"the group has no manifest":  {[]string{"a g"}, "a"},
	} {
		want := wanted(c.want...)
		parts := PartsOf(want, named("g"))
		if got := names(slices.DeleteFunc(want, func(d kind.Desired) bool { return !parts[d.Key] })); got != c.parts || len(parts) != len(strings.Fields(c.parts)) {
			t.Errorf("%s: %q, want %q", name, got, c.parts)
		}
	}
}

// A fallback contains all objects that the group expanded into, and the unmanaged objects and data that these used.
func TestWhatAGroupGoesBackTo(t *testing.T) {
	t.Parallel()
	f := Failing{Group: named("g"), Serving: []*Step{{}}}
	all := wanted("import", "text", "net", "other", "g", "a g net,import,b,lost", "b g text,import", "c other text")
	all[4].Rollout = &rollout.Strategy{MaxUnavailable: &rollout.Amount{Count: 3}, MaxSurge: &rollout.Amount{Count: 2}}
	back := NewFallback(f, "commit", all)
	if got := names(back.Want); got != "import a text b" || back.Commit != "commit" || back.Serving != nil {
		t.Errorf("back to %q at %s, with %d steps", got, back.Commit, len(back.Serving))
	}
	now := &rollout.Strategy{MaxUnavailable: &rollout.Amount{Count: 1}, PauseAfter: 7}
	if s := back.Strategy(now); s.MaxUnavailable.Count != 3 || s.MaxSurge.Count != 2 || s.PauseAfter != 7 || now.MaxUnavailable.Count != 1 {
		t.Errorf("changed by %+v, and that became %+v", s, now)
	}
	if back.Strategy(nil) != nil {
		t.Error("a group that says nothing has a strategy")
	}
	if s := NewFallback(f, "commit", wanted("g", "a g")).Strategy(now); s.MaxUnavailable != nil || s.MaxSurge != nil {
		t.Errorf("a group that said nothing was changed by %+v", s)
	}
}

// ContainedIn returns true if the commit has the state in the mark of each serving member, and also describes the member that has to
// go back.
func TestWhichCommitMadeMembers(t *testing.T) {
	t.Parallel()
	printer, err := fingerprint.New("s")
	if err != nil {
		t.Fatal(err)
	}
	serving := func(names ...string) (steps []*Step) {
		for _, name := range names {
			steps = append(steps, &Step{Key: named(name), Object: Object{Have: &kind.Live{Mark: &kind.Mark{Applied: "digest of " + name}}}})
		}
		return steps
	}
	for name, c := range map[string]struct {
		serving []*Step
		want    []string
		made    bool
	}{
		"each as it is":            {serving("a", "b"), []string{"a", "b", "noted"}, true},
		"one is another":           {serving("a", "b"), []string{"a", "b g", "noted"}, false},
		"the first one is another": {serving("a", "b"), []string{"a g", "b", "noted"}, false},
		"one was not there":        {serving("a", "b"), []string{"a", "noted"}, false},
		"the first was not there":  {serving("a", "b"), []string{"b", "noted"}, false},
		"that one was not there":   {serving("a", "b"), []string{"a", "b"}, false},
		"it was there as another":  {serving("a"), []string{"a", "noted g"}, true},
	} {
		f := Failing{Marked: named("noted"), Serving: c.serving, Digests: DigestsOf("s", printer)}
		if got := f.ContainedIn(wanted(c.want...)); got != c.made {
			t.Errorf("%s: made by it: %t", name, got)
		}
	}
}

// The message names the first member that is not created before the change is undone, and says how many more there are.
func TestMembersThatAreNotMadeAreTold(t *testing.T) {
	t.Parallel()
	for n, want := range []string{"", "[Thing/0]", "[Thing/0 1]", "[Thing/0 2]"} {
		f := Fallback{Commit: "0123456789abcdef"}
		for i := range n {
			f.NewMembers = append(f.NewMembers, named(fmt.Sprint(i)))
		}
		_, lacks, _ := strings.Cut(f.String(), "undo the change")
		got := ""
		if words := strings.FieldsFunc(lacks, func(r rune) bool { return r == ' ' || r == ';' }); len(words) > 0 {
			got = fmt.Sprint(slices.DeleteFunc(words, func(word string) bool {
				return !strings.Contains(word, "/") && !strings.ContainsAny(word, "0123456789")
			}))
		}
		if got != want || strings.Contains(f.String(), "abc") {
			t.Errorf("%d members: %q, want %q", n, got, want)
		}
	}
}
