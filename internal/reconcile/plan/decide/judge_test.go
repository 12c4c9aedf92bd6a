package decide

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// refsOf returns the references of an object that policies get.
func refsOf(p plan.Plan, name string) []guard.Reference {
	return refsWhere(p, func(key manifest.Key) bool { return key.Name == name })
}

func refsWhere(p plan.Plan, is func(manifest.Key) bool) (list []guard.Reference) {
	p.Apply(guard.Judge(func(string) bool { return true }, func(s guard.Subject) (v guard.Verdict) {
		if is(s.Key) {
			list = s.Refs
		}
		return v
	}))
	return list
}

func TestPoliciesSeeWhatReferencesAre(t *testing.T) {
	at := func(refs []guard.Reference, kindName string) guard.Reference {
		return refs[slices.IndexFunc(refs, func(r guard.Reference) bool { return r.Key.Kind == kindName })]
	}
	wish := chestWish{Make: "elm", Prune: "true"}
	if r := at(refsOf(chestPlan(wish.want(t)), "c"), "Make"); !r.Known || r.Name != "elm" || r.ID != "id-elm" || !r.Imported || r.Field != "spec.makeRef" || r.Key.Name != "m" {
		t.Errorf("an import: %+v", r)
	}
	wish.Make = "ash"
	refs := refsOf(chestPlan(wish.want(t)), "c")
	if r := at(refs, "Make"); r.Known || r.Name != "" || r.ID != "" {
		t.Errorf("an import that is not found: %+v", r)
	}
	if r := at(refs, "Text"); r.Known {
		t.Errorf("data: %+v", r)
	}
}

// The references of a workload are those of its parts to other objects, without references to its parts. Known is false for an object that
// will be replaced.
func TestPoliciesSeeWhatPartsReferTo(t *testing.T) {
	key := func(kind, name string) manifest.Key { return manifest.Key{Kind: kind, Name: name} }
	part := kind.Desired{Key: key("Server", "a"), Refs: []kind.RefSpec{{Field: "f", Key: key("Flavor", "x")}, {Field: "p", Key: key("Port", "a")}}}
	port := kind.Desired{Key: key("Port", "a"), Refs: []kind.RefSpec{{Field: "n", Key: key("Network", "n")}, {Field: "again", Key: key("Flavor", "x")}}}
	net := kind.Desired{Key: key("Network", "n")}
	flavor := kind.Desired{Key: key("Flavor", "x"), Unmanaged: true, Import: &kind.Import{ID: "1"}}
	work := kind.Desired{Key: key("VirtualMachine", "a"), Virtual: true}
	p := plan.Plan{
		Workloads: []plan.Workload{{Key: work.Key, Want: &work}},
		Steps: []plan.Step{
			{Key: flavor.Key, Action: plan.Keep, Source: plan.Source{Parent: work.Key}, Object: plan.Object{Want: &flavor, Have: &kind.Live{ID: "1", Name: "m1.xlarge"}}},
			{Key: net.Key, Action: plan.Recreate, Object: plan.Object{Want: &net, Have: &kind.Live{ID: "old", Name: "n"}}},
			{Key: port.Key, Action: plan.Create, Source: plan.Source{Parent: work.Key}, Object: plan.Object{Want: &port}},
			{Key: part.Key, Action: plan.Create, Source: plan.Source{Parent: work.Key}, Object: plan.Object{Want: &part}},
		},
	}
	refs := refsWhere(p, func(key manifest.Key) bool { return key == work.Key })
	if len(refs) != 2 {
		t.Fatalf("%+v", refs)
	}
	for _, r := range refs {
		switch r.Key {
		case flavor.Key:
			if r.Name != "m1.xlarge" || !r.Imported || !r.Known {
				t.Errorf("%+v", r)
			}
		case net.Key:
			if r.Known || r.ID != "" {
				t.Errorf("%+v", r)
			}
		default:
			t.Errorf("%+v", r)
		}
	}
}

// A step is refused if a verdict denies an object whose field it writes. Such objects are ConfigMaps and Secrets whose data it sends, and
// objects that entrust it with a field.
func TestAStepBearsTheVerdictsOfWhatItWrites(t *testing.T) {
	wish := chestWish{Make: "elm", Prune: "true", Text: []byte("curl | sh")}
	deny := func(name string) plan.Policy {
		return guard.Judge(func(string) bool { return true }, func(s guard.Subject) (v guard.Verdict) {
			if s.Key.Name == name {
				v.Deny = "no"
			}
			return v
		})
	}
	p := chestPlan(wish.want(t))
	for name, want := range map[string]plan.Action{"c": plan.Refuse, "t": plan.Refuse, "s": plan.Refuse, "other": plan.Create} {
		if got := chestStep(p.Apply(deny(name))).Action; got != want {
			t.Errorf("%s denied: %s, want %s", name, got, want)
		}
	}
	text := chestStep(p)
	text.Action = plan.Update
	for field, want := range map[string]plan.Action{"spec.colour": plan.Update, "spec.textRef": plan.Refuse, "spec": plan.Refuse} {
		text.Changes = []kind.Change{{Field: field}}
		q := p
		q.Steps = []plan.Step{text}
		if got := chestStep(q.Apply(deny("t"))).Action; got != want {
			t.Errorf("its data denied, %s changes: %s, want %s", field, got, want)
		}
	}
}
