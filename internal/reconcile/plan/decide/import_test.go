package decide

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// unmanaged returns the manifest of a Thing that is only imported.
func unmanaged(name, imports string) string {
	return "kind: Thing\napiVersion: test/v1\nmetadata: {name: " + name + "}\nspec: {managementPolicy: unmanaged, import: {" + imports + "}}"
}

// An import must find exactly one usable object of the cloud.
func TestImports(t *testing.T) {
	byID, byName := unmanaged("base", "id: id-001"), unmanaged("base", "filter: {name: base}")
	user := "web atop=base"
	onBase := func(change func(*kind.Live)) func(*world.Input) {
		return func(in *world.Input) { change(item(in, "base")) }
	}
	decisions(t, map[string]decision{
		"by its ID":                           {repo: []string{byID, user}, cloud: []string{"base nobody"}, want: map[string]string{"base": "keep", "web": "create"}},
		"by its name":                         {repo: []string{byName, user}, cloud: []string{"other nobody", "base nobody"}, want: map[string]string{"base": "keep", "web": "create"}},
		"an ID that nothing has":              {repo: []string{unmanaged("base", "id: id-009"), user}, want: map[string]string{"base": "wait error never : no-such-id", "web": "create after base"}},
		"a name that nothing has":             {repo: []string{byName, user}, want: map[string]string{"base": "wait error not yet : no-such-name correct-the-name", "web": "create after base"}},
		"a filter without a name":             {repo: []string{unmanaged("base", "filter: {colour: blue}")}, cloud: []string{"base nobody colour=red"}, want: map[string]string{"base": "wait error not yet : no-match"}},
		"two of its name":                     {repo: []string{byName, user}, cloud: []string{"base nobody", "base nobody"}, want: map[string]string{"base": "refuse error ambiguous : many-match-named narrow-the-import", "web": "create after base"}},
		"the cloud still builds it":           {repo: []string{byName, user}, cloud: []string{"base nobody building=yes"}, want: map[string]string{"base": "wait : phase", "web": "create after base"}},
		"it has failed":                       {repo: []string{byName, user}, cloud: []string{"base nobody failed=yes"}, want: map[string]string{"base": "refuse error not yet : import-failed", "web": "create after base"}},
		"another stack's":                     {repo: []string{byName}, cloud: []string{"base other"}, want: map[string]string{"base": "keep"}},
		"it was this stack's":                 {repo: []string{byName, user}, cloud: []string{"base stale"}, want: map[string]string{"base": "refuse error : left-behind", "web": "create after base"}},
		"it was let go":                       {repo: []string{byName}, cloud: []string{"base keep"}, want: map[string]string{"base": "keep"}},
		"it is a copy":                        {repo: []string{byName}, cloud: []string{"base stale copied=b"}, want: map[string]string{"base": "keep"}},
		"it has several owners":               {repo: []string{byName}, cloud: []string{"base stale rival=other"}, want: map[string]string{"base": "keep"}},
		"another project's mark of the stack": {repo: []string{byName}, cloud: []string{"base stale"}, alter: onBase(func(l *kind.Live) { l.InOwnProject = false }), want: map[string]string{"base": "keep"}},
		"also listed as another kind": {repo: []string{byName}, cloud: []string{"base stale"}, alter: onBase(func(l *kind.Live) {
			l.AlsoListedAs, l.Mark.Owner = "Other", ownertext.Of("s", manifest.Key{Kind: "Other", Name: "base"})
		}), want: map[string]string{"base": "keep"}},
	})
}

// An import waits for the objects that its filter refers to. A kind may give its own advice for an import that finds no
// object, or several.
func TestImportsThatDepend(t *testing.T) {
	base := unmanaged("base", "filter: {name: base}")
	refers := func(key manifest.Key) func(*world.Input) {
		return func(in *world.Input) {
			d := desired(in, "base")
			d.Refs = append(d.Refs, kind.RefSpec{Key: key})
		}
	}
	hint := func(in *world.Input) { desired(in, "base").Import.Hint = "ask the administrator" }
	there := "base nobody"
	decisions(t, map[string]decision{
		"on an object that is created":     {repo: []string{"a", base}, cloud: []string{there}, alter: refers(thingtest.Key("a")), want: map[string]string{"a": "create", "base": "wait : waits-for after a"}},
		"on an object that is there":       {repo: []string{"a", base}, cloud: []string{there, "a ours"}, alter: refers(thingtest.Key("a")), want: map[string]string{"a": "keep of-this", "base": "keep"}},
		"on an object that is still built": {repo: []string{"a", base}, cloud: []string{there, "a ours building=yes"}, alter: refers(thingtest.Key("a")), want: map[string]string{"a": "wait of-this : reported", "base": "wait : waits-for after a"}},
		"on a group":                       {repo: []string{"flock f count=0", base}, cloud: []string{there}, alter: refers(manifest.Key{Group: "test", Kind: "Flock", Namespace: "default", Name: "f"}), want: map[string]string{"base": "keep"}},
		"nothing found, with a hint":       {repo: []string{base}, alter: hint, want: map[string]string{"base": "wait error not yet : no-such"}},
		"several found, with a hint":       {repo: []string{base}, cloud: []string{there, there}, alter: hint, want: map[string]string{"base": "refuse error ambiguous : many-match-named kind-says"}},
	})
}

// A message names at most five of the objects that an import matches.
func TestAnImportOfManyNamesFive(t *testing.T) {
	for n, more := range map[int]bool{5: false, 6: true} {
		d := decision{repo: []string{unmanaged("base", "filter: {colour: red}")}}
		for i := range n {
			d.cloud = append(d.cloud, fmt.Sprintf("x%d nobody colour=red", i))
		}
		s := Compute(d.input(t)).Steps[0]
		text := s.FullCause()
		named := 0
		for i := range n {
			if strings.Contains(text, fmt.Sprintf("x%d (id-00%d)", i, i+1)) {
				named++
			}
		}
		if named != 5 || strings.Contains(text, "…") != more {
			t.Errorf("of %d: %s", n, text)
		}
	}
}

// To suggest a similar name, a plan compares a missing name only with a limited number of names.
func TestNearestNamesAreLimited(t *testing.T) {
	for n, near := range map[int]bool{maxCompared: true, maxCompared + 1: false} {
		d := decision{repo: []string{unmanaged("base", "filter: {name: basis}")}, cloud: []string{"bases nobody"}}
		d.alter = func(in *world.Input) {
			have := in.Have["Thing"]
			for i := len(have.Items); i < n; i++ {
				l := *have.Items[0]
				l.ID, l.Name = fmt.Sprintf("id-%d", i), fmt.Sprintf("%d", i)
				l.State = &thingtest.Thing{Name: l.Name}
				have.Items = append(have.Items, &l)
			}
			in.Have["Thing"] = have
		}
		s := Compute(d.input(t)).Steps[0]
		if got := slices.Contains(codesOf(s.Causes), "nearest-names"); got != near {
			t.Errorf("with %d names: %v", n, codesOf(s.Causes))
		}
	}
}
