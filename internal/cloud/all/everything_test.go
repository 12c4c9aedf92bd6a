package all_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// staysOwned are the kinds whose objects keep the mark of the stack that made them. No other stack can adopt such an
// object, so manifests that refer to it import it.
var staysOwned = map[string]string{
	"KeyPair":                "the mark is in the comment of the key, and Nova changes no key",
	"ServerGroup":            "the mark is in the name, and Nova renames no group",
	"BarbicanSecret":         "the mark is in the name, and Barbican renames no secret",
	"VolumeSnapshotSchedule": "the object is the series of what has the mark",
	"ApplicationCredential":  "the mark is in the description, and Keystone changes no application credential",
}

// inside are the kinds that have no objects of their own in the cloud, but for example in programs on machines. Their
// own packages test them.
var inside = map[string]string{
	"EtcdMember":  "etcd has no mark, and the name of a port's address is all that a manifest can put into it",
	"EtcdCluster": "it stands for a VirtualMachineGroup, a SecurityGroup and members",
	"EtcdBackup":  "its snapshots come from such members",
	"EtcdRestore": "it is what ports say of such members, and makes nothing of its own",

	"ExternalSecret": "it stands for a Secret whose values are in a store, and nothing of it is in the cloud",

	"M3DBInstance":  "placements have no mark, and a machine's name, volume and address are all that a manifest can put into one",
	"M3DBNamespace": "namespaces have no mark; tags on ports say that one was asked for",
	"M3DBCluster":   "it stands for a VirtualMachineGroup, a SecurityGroup, instances and namespaces",
}

// unlisted are the kinds whose lists contain only marked objects. Export finds no object of these kinds.
var unlisted = map[string]string{
	"VolumeSnapshotSchedule": "a series is what has the mark",
	"Quota":                  "every project has one of each service, and a request for each would be needed to see them",
}

// notShown are the fields that an exported manifest omits because the cloud does not show them. Adoption does not
// change their values.
var notShown = map[string]string{"User": "spec.resource.passwordRef", "Server": "spec.resource.userData", "Image": "spec.resource.content"}

// TestEveryKindIsInEverything: the example has a managed object of each kind except those in inside. A new kind must be
// added to the example.
func TestEveryKindIsInEverything(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	managed := map[string]bool{}
	for _, want := range g.Resolve(everything(t, g)) {
		managed[want.Key.Kind] = managed[want.Key.Kind] || !want.Unmanaged
		for _, ref := range want.Refs {
			if strings.Contains(ref.Field+".", "..") {
				t.Errorf("%s refers to %s in %q, which is no field: a field with `json:\"-\"` needs the tag `from`", want.Key, ref.Key, ref.Field)
			}
		}
	}
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		if info := k.Info; !managed[info.Kind] && inside[info.Kind] == "" {
			t.Errorf("testdata/everything.yaml has no %s", info.Kind)
		}
		if info := k.Info; inside[info.Kind] == "" && (info.FixedMark || info.StaysMarked) != (staysOwned[info.Kind] != "") {
			t.Errorf("%s: fixed mark: %t, stays marked: %t; staysOwned says %q", info.Kind, info.FixedMark, info.StaysMarked, staysOwned[info.Kind])
		}
	}
}

// everything returns the example of all kinds. Its names are unique to the target.
func everything(t *testing.T, g *kindtest.Target) string {
	t.Helper()
	text, err := os.ReadFile("testdata/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("NAME", g.Stack, "DISK", diskServer(t)).Replace(string(text))
}

// TestEveryKind: one stack creates objects of every kind, and then lets them go. They are exported, adopted by
// another stack without a change, and imported without a change. The test needs an administrator.
func TestEveryKind(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	g := kindtest.NewTarget(t, all.Kinds)
	w := &ownWorld{t: t, made: map[string]map[string]manifest.Key{}}
	t.Cleanup(w.nothingLeft) // runs after the cleanups of both stacks
	maker := g.Beside("admin")
	maker.Defaults.ImageHosts = []string{"127.0.0.1"}
	w.g = maker
	text := everything(t, maker)
	t.Cleanup(w.clear) // runs after the cleanup of the adopting stack, before the maker's
	pass := maker.Sync(text)
	w.note(pass.Last)
	if pass.Outcome() != plan.InSync {
		t.Fatalf("%s: %v", pass.Outcome(), pass.Failures)
	}
	w.letGo()

	adopter := maker.Beside("")
	r := exportOf(t, adopter, export.Input{Chosen: w.chosen()})
	w.allWritten(r)
	noted(t, r.Notes)
	if planned := adopter.Plan(w.imports()); !planned.InSync() {
		t.Errorf("as imports: %v", remaining(planned))
	}
	if t.Failed() {
		return // partly adopted objects are hard to delete
	}
	adopts(t, adopter, joined(r))
	byHand := joined(r) + "---\n" + documentsOf(text, slices.Collect(maps.Keys(unlisted))...)
	adopter.MustSync(byHand)
	if planned := adopter.Plan(byHand); !planned.InSync() {
		t.Errorf("adopted, and with what is written by hand: %v", remaining(planned))
	}
}

// documentsOf returns the documents of the given kinds.
func documentsOf(manifests string, kinds ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(manifests, "\n---\n"), func(doc string) bool {
		return !slices.ContainsFunc(kinds, func(kind string) bool { return strings.Contains(doc, "kind: "+kind+"\n") })
	}), "\n---\n")
}

// noted expects a note about each field that a manifest cannot contain, and about each object that is not adopted.
func noted(t *testing.T, notes []export.Note) {
	t.Helper()
	want := maps.Clone(notShown)
	for name := range staysOwned {
		want[name] = ""
	}
	for name := range unlisted {
		want[name] = ""
	}
	for _, n := range notes {
		if field, ok := want[n.Kind]; ok && n.Field == field {
			delete(want, n.Kind)
		} else if strings.Contains(n.Text, "annotation") {
			t.Errorf("%s/%s %s: %s", n.Kind, n.Name, n.Field, n.Text)
		}
	}
	if len(want) > 0 {
		t.Errorf("no note says that these are left out: %v; there are %v", want, notes)
	}
}

// ownWorld is the set of objects that a stack has made in the cloud.
type ownWorld struct {
	t    *testing.T
	g    *kindtest.Target
	made map[string]map[string]manifest.Key // by kind and ID
}

// note records the objects of a plan.
func (w *ownWorld) note(p plan.Plan) {
	for _, s := range p.Steps {
		if s.ID() == "" || s.Unmanaged() {
			continue
		}
		if w.made[s.Key.Kind] == nil {
			w.made[s.Key.Kind] = map[string]manifest.Key{}
		}
		w.made[s.Key.Kind][s.ID()] = s.Key
	}
}

// each calls f for each recorded object that still exists in the cloud. An object comes before the objects that it
// uses.
func (w *ownWorld) each(f func(k *kind.Kind, l kind.Live)) {
	c := w.g.Client(nil)
	kinds := all.Kinds(c, w.g.Defaults)
	have := w.g.Engine(c).Survey(context.WithoutCancel(w.t.Context()))
	for _, k := range slices.Backward(kinds) {
		if err := have[k.Info.Kind].Err; err != nil {
			w.t.Errorf("list %s: %v", k.Info.Kind, err)
		}
		for _, l := range have[k.Info.Kind].Items {
			if _, ok := w.made[k.Info.Kind][l.ID]; ok && l.AlsoListedAs == "" {
				f(k, *l)
			}
		}
	}
}

// letGo removes the marks that can be removed. After that, only objects of the kinds in staysOwned may have a mark.
func (w *ownWorld) letGo() {
	w.t.Helper()
	w.each(func(k *kind.Kind, l kind.Live) {
		if name := k.Info.Kind; staysOwned[name] == "" {
			if err := k.Driver.Unmark(w.t.Context(), l); err != nil {
				w.t.Errorf("remove the mark %s %s: %v", name, l.Name, err)
			}
		}
	})
	w.each(func(k *kind.Kind, l kind.Live) {
		if name := k.Info.Kind; (l.Mark != nil) != (staysOwned[name] != "") {
			w.t.Errorf("%s %s has the mark %v", name, l.Name, l.Mark)
		}
	})
}

// chosen returns all recorded objects as the choice for an export.
func (w *ownWorld) chosen() (list []export.Chosen) {
	for _, name := range slices.Sorted(maps.Keys(w.made)) {
		for _, id := range slices.Sorted(maps.Keys(w.made[name])) {
			list = append(list, export.Chosen{Kind: name, Name: w.made[name][id].Name, ID: id})
		}
	}
	return list
}

// allWritten expects that the export has a manifest for each object, and that the manifest adopts the object if its
// kind can be adopted.
func (w *ownWorld) allWritten(r export.Result) {
	w.t.Helper()
	adopted := map[string]bool{}
	for _, o := range r.Objects {
		if adopted[o.Key.Kind+o.ID] = o.Adopted; o.Adopted && w.made[o.Key.Kind][o.ID].Name != o.Key.Name {
			w.t.Errorf("%s is written as %s, and was not asked for by that name", o.ID, o.Key)
		}
	}
	for name, of := range w.made {
		for id, key := range of {
			if can := staysOwned[name] == "" && unlisted[name] == ""; adopted[name+id] != can {
				w.t.Errorf("%s is written to be adopted: %t", key, adopted[name+id])
			}
		}
	}
}

// clear deletes all remaining objects without the maker's mark. Normally there are none. They exist if the test
// ended between the two stacks. They also exist if the adopting stack could not delete an object because an object
// that was not adopted uses it.
func (w *ownWorld) clear() {
	ctx := context.WithoutCancel(w.t.Context())
	for range 60 {
		left := 0
		w.each(func(k *kind.Kind, l kind.Live) {
			if l.Mark != nil {
				if o, _ := ownertext.Parse(l.Mark.Owner); o.Of(w.g.Stack) {
					return // the maker's own cleanup deletes it
				}
			}
			left++
			_, _ = k.Driver.Delete(ctx, l) // an object in use is deleted in a later attempt; see nothingLeft
		})
		if left == 0 {
			return
		}
		<-time.After(w.g.Interval())
	}
}

// nothingLeft expects that none of the recorded objects exists any more.
func (w *ownWorld) nothingLeft() {
	if w.g == nil {
		return // there is no administrator
	}
	w.each(func(k *kind.Kind, l kind.Live) { w.t.Errorf("clean-up: %s %s is left", k.Info.Kind, l.Name) })
}

// imports returns manifests that import each recorded object. Kinds without a spec.resource, and unlisted kinds,
// have no import.
func (w *ownWorld) imports() string {
	var b strings.Builder
	for name, of := range w.made {
		k := kindOf(w.t, name)
		if k.SpecPath != "spec.resource" || unlisted[name] != "" {
			continue
		}
		for id, key := range of {
			fmt.Fprintf(&b, "---\napiVersion: %s/%s\nkind: %s\nmetadata: {name: %s}\nspec: {managementPolicy: unmanaged, import: {id: %q}}\n", key.Group, k.Info.Version, name, key.Name, id)
		}
	}
	return b.String()
}

// remaining lists the steps of a plan that change something.
func remaining(p plan.Plan) (list []string) {
	for _, s := range p.Steps {
		if s.Action != plan.Keep || len(s.Changes) > 0 {
			list = append(list, fmt.Sprintf("%s %s: %s %v", s.Action, s.Key, s.FullCause(), s.Changes))
		}
	}
	return list
}
