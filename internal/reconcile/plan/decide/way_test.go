package decide

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

func replaceRefused(in *world.Input) { in.Replace = false }

// alsoRefers adds a reference to a manifest.
func alsoRefers(name string, ref kind.RefSpec) func(*world.Input) {
	return func(in *world.Input) { d := desired(in, name); d.Refs = append(d.Refs, ref) }
}

// If an import finds another object than before, objects that were created from it are not replaced, unless an annotation names the
// field.
func TestAnImportThatIsAnotherObject(t *testing.T) {
	repo, cloud := []string{"x import=x", "a atop=x shape=new"}, []string{"old nobody", "x nobody", "a ours atop=id-001 shape=new"}
	chosen := func(ways string) []string { return []string{"x import=x", "a atop=x shape=new change-policy=" + ways} }
	decisions(t, map[string]decision{
		"nothing is said":                          {repo: repo, cloud: cloud, want: map[string]string{"a": "refuse drift of-this : barred-import changes atop", "x": "keep"}},
		"replacing is allowed":                     {repo: []string{"x import=x", "a atop=x shape=new replace=allow"}, cloud: cloud, want: map[string]string{"a": "refuse drift of-this : barred-import changes atop", "x": "keep"}},
		"its field says so":                        {repo: chosen("atop=replace"), cloud: cloud, want: map[string]string{"a": "replace drift of-this : fixed-field changes atop", "x": "keep"}},
		"another field says so":                    {repo: chosen("shape=replace"), cloud: cloud, want: map[string]string{"a": "refuse drift of-this : barred-import changes atop", "x": "keep"}},
		"a commit names another one":               {repo: repo, cloud: []string{"old nobody", "x nobody", "a stale atop=id-001 shape=new"}, want: map[string]string{"a": "replace : fixed-field changes atop owner-mark", "x": "keep"}},
		"another field has drifted":                {repo: repo, cloud: []string{"old nobody", "x nobody", "a ours atop=id-002 shape=old"}, want: map[string]string{"a": "replace drift of-this : fixed-field changes shape", "x": "keep"}},
		"it is the stack's own":                    {repo: []string{"x", "a atop=x shape=new"}, cloud: []string{"old nobody", "x ours", "a ours atop=id-001 shape=new"}, want: map[string]string{"a": "replace drift of-this : fixed-field changes atop", "x": "keep of-this"}},
		"it is not there":                          {repo: []string{"x import=x", "a near=x shape=new"}, cloud: []string{"old nobody", "a ours near=id-001 shape=new"}, want: map[string]string{"a": "update of-this changes near after x", "x": "wait error not yet : no-such-name nearest-names"}},
		"it only comes first":                      {repo: []string{"x import=x", "a shape=new"}, cloud: []string{"x nobody", "a ours shape=old"}, alter: alsoRefers("a", kind.RefSpec{Field: "spec.resource.shape", Key: thingtest.Key("x"), Order: true}), want: map[string]string{"a": "replace drift of-this : fixed-field changes shape", "x": "keep"}},
		"a part of the field refers to it":         {repo: []string{"x import=x", "a shape=new"}, cloud: []string{"x nobody", "a ours shape=old"}, alter: alsoRefers("a", kind.RefSpec{Field: "spec.resource.shape[0]", Key: thingtest.Key("x")}), want: map[string]string{"a": "refuse drift of-this : barred-import changes shape", "x": "keep"}},
		"the field is a part of what refers to it": {repo: []string{"x import=x", "a shape=new"}, cloud: []string{"x nobody", "a ours shape=old"}, alter: alsoRefers("a", kind.RefSpec{Field: "spec.resource", Key: thingtest.Key("x")}), want: map[string]string{"a": "refuse drift of-this : barred-import changes shape", "x": "keep"}},
		"nothing is replaced anyway":               {repo: repo, cloud: cloud, alter: replaceRefused, want: map[string]string{"a": "refuse drift of-this : barred-import changes atop", "x": "keep"}},
	})
}

// If the manifest of a group says how its members are replaced, they may be replaced. A strategy that a built-in kind sets for its
// machines does not allow that.
func TestGroupsThatAllowReplacing(t *testing.T) {
	stale := []string{"f-0 stale shape=old"}
	decisions(t, map[string]decision{
		"it says how": {repo: []string{"flock f count=1 shape=new says=true"}, cloud: stale, alter: replaceRefused, want: map[string]string{"f-0": "replace : fixed-field changes shape owner-mark"}},
		"it does not": {repo: []string{"flock f count=1 shape=new"}, cloud: stale, alter: replaceRefused, want: map[string]string{"f-0": "refuse : barred changes shape owner-mark"}},
		"one of its members is refused": {repo: []string{"flock f count=1 shape=new says=true"}, cloud: stale, alter: all(replaceRefused, func(in *world.Input) {
			no := false
			desired(in, "f-0").Options.Replace = &no
		}), want: map[string]string{"f-0": "refuse : barred changes shape owner-mark"}},
		"nobody wrote it": {repo: []string{"flock f count=1 shape=new says=true"}, cloud: stale, alter: all(replaceRefused, func(in *world.Input) {
			for i := range in.Want {
				if in.Want[i].Key.Name == "f" {
					house := in.Want[i]
					house.Key.Kind, house.Key.Name, house.Rollout = "House", "h", nil
					in.Kinds = append(in.Kinds, &kind.Kind{Info: kind.Info{Group: "test", Kind: "House"}})
					in.Want[i].Parent = house.Key
					in.Want = append(in.Want, house)
				}
			}
		}), want: map[string]string{"f-0": "refuse : barred changes shape owner-mark"}},
	})
}
