package preflight

import (
	"context"
	"maps"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// disk is the spec of a Disk, and its state in the cloud.
type disk struct {
	size    int64
	project kind.Ref
	zone    string
	doubt   string
}

var size = kind.Resource{Service: "block-storage", Name: "gigabytes"}

// disks returns a kind of disks. The size of a disk is taken from a quota.
func disks() *kind.Kind {
	of := func(w kind.Want) *disk { return w.Spec.(*disk) }
	return &kind.Kind{
		Info:          kind.Info{Kind: "Disk", Service: "block-storage"},
		Driver:        &kind.Driver{List: func(context.Context, kind.Listing) (*kind.Index, error) { return nil, nil }},
		QuotaNeeded:   func(w kind.Want) kind.Amounts { return kind.Amounts{size: of(w).size} },
		QuotaUsed:     func(have any, _ kind.FactsOf) kind.Amounts { return kind.Amounts{size: have.(*disk).size} },
		Project:       func(w kind.Want) kind.Ref { return of(w).project },
		Zone:          func(w kind.Want) string { return of(w).zone },
		LikelyRefusal: func(w kind.Want) string { return of(w).doubt },
	}
}

// making returns a step for a disk with the spec want and the state have.
func making(name string, action plan.Action, want, have *disk) plan.Step {
	s := plan.Step{Key: manifest.Key{Kind: "Disk", Name: name}, Action: action}
	if want != nil {
		s.Want, s.Viewed = &kind.Desired{Key: s.Key}, &kind.Want{Key: s.Key, Spec: want}
	}
	if have != nil {
		s.Have = &kind.Live{ID: name, State: have, InOwnProject: true}
	}
	return s
}

// A plan takes the amounts by which its objects grow, and gives back the amounts by which they shrink. Objects in other projects, objects
// that stay, and objects of kinds without quotas take nothing.
func TestWhatAPlanTakes(t *testing.T) {
	there := func(s plan.Step) plan.Step { s.Have.InOwnProject = false; return s }
	other := func(s plan.Step) plan.Step { s.Key.Kind = "Other"; return s }
	in := func(name string, here bool) *disk {
		return &disk{size: 5, project: kind.Ref{Name: name, Facts: kind.Facts{OwnProject: here}}}
	}
	for _, c := range []struct {
		name         string
		step         plan.Step
		takes, gives int64
	}{
		{"made", making("a", plan.Create, &disk{size: 5}, nil), 5, 0},
		{"grows", making("a", plan.Update, &disk{size: 5}, &disk{size: 3}), 2, 0},
		{"shrinks", making("a", plan.Recreate, &disk{size: 3}, &disk{size: 5}), 0, 2},
		{"made again as it is", making("a", plan.Recreate, &disk{size: 5}, &disk{size: 5}), 0, 0},
		{"deleted", making("a", plan.Delete, nil, &disk{size: 5}), 0, 5},
		{"deleted, though its manifest is known", making("a", plan.Delete, &disk{size: 5}, &disk{size: 5}), 0, 5},
		{"stays", making("a", plan.Keep, &disk{size: 5}, &disk{size: 3}), 0, 0},
		{"in another project", there(making("a", plan.Delete, nil, &disk{size: 5})), 0, 0},
		{"made in another project", making("a", plan.Create, in("p", false), nil), 0, 0},
		{"made in this project, by its name", making("a", plan.Create, in("p", true), nil), 5, 0},
		{"there, wherever its manifest wants it", making("a", plan.Update, in("p", false), &disk{size: 3}), 2, 0},
		{"of another kind", other(making("a", plan.Create, &disk{size: 5}, nil)), 0, 0},
	} {
		d := DemandOf(plan.Plan{Steps: []plan.Step{c.step}}, []*kind.Kind{disks(), {Info: kind.Info{Kind: "Other"}}}, nil)
		if d.Needed[size] != c.takes || d.Freed[size] != c.gives {
			t.Errorf("%s: takes %d, gives %d; want %d, %d", c.name, d.Needed[size], d.Freed[size], c.takes, c.gives)
		}
		if got := d.Services()[size.Service]; got != (c.takes > 0) {
			t.Errorf("%s: its service is asked: %v", c.name, got)
		}
	}
}

// The project's use of a service is known only if all its collections could be listed.
func TestHeld(t *testing.T) {
	live := func(own bool) *kind.Live { return &kind.Live{State: &disk{size: 5}, InOwnProject: own} }
	user := disks()
	user.Info.Kind, user.Info.Scope = "Key", kind.OfUser
	blind := disks()
	blind.Info.Kind, blind.Driver = "Blind", nil
	silent := disks()
	silent.Info.Kind, silent.QuotaUsed = "Silent", nil
	kinds := []*kind.Kind{disks(), user, blind, silent}
	all := kind.Snapshot{"Disk": {Items: []*kind.Live{live(true), live(false)}}, "Key": {Items: []*kind.Live{live(false)}}, "Silent": {Items: []*kind.Live{live(true)}}}
	broken := maps.Clone(all)
	broken["Key"] = kind.Collection{Err: kind.ErrForbidden}
	for _, c := range []struct {
		name    string
		have    kind.Snapshot
		service string
		want    int64
		known   bool
	}{
		{"all are seen", all, size.Service, 10, true},
		{"one was not listed", kind.Snapshot{"Disk": all["Disk"]}, size.Service, 0, false},
		{"one could not be listed", broken, size.Service, 0, false},
		{"another service", broken, "compute", 0, true},
	} {
		if held, known := Used(kinds, c.have, c.service); known != c.known || held[size] != c.want {
			t.Errorf("%s: %v, %v", c.name, held, known)
		}
	}
}

// A quota is compared if it has a limit, belongs to the service, and the plan takes some of it. If the service does not report the use, the
// amounts of the project's objects are used.
func TestCompare(t *testing.T) {
	typed := kind.Resource{Service: size.Service, Name: "gigabytes", Type: "ssd"}
	for _, c := range []struct {
		name    string
		takes   kind.Amounts
		allowed kind.Allowances
		held    kind.Amounts
		want    []Quota
	}{
		{"used", kind.Amounts{size: 2}, kind.Allowances{"gigabytes": {Limit: 5, Used: 0}}, kind.Amounts{size: 4}, []Quota{{Resource: size, Needed: 2, Limit: 5}}},
		{"used, as far as is seen", kind.Amounts{size: 2}, kind.Allowances{"gigabytes": {Limit: 5, Used: -1}}, kind.Amounts{size: 4}, []Quota{{Resource: size, Needed: 2, Limit: 5, Used: 4}}},
		{"nobody knows", kind.Amounts{size: 2}, kind.Allowances{"gigabytes": {Limit: 5, Used: -1}}, nil, []Quota{{Resource: size, Needed: 2, Limit: 5, Used: -1}}},
		{"none is allowed", kind.Amounts{size: 2}, kind.Allowances{"gigabytes": {}}, nil, []Quota{{Resource: size, Needed: 2}}},
		{"by type, in order", kind.Amounts{typed: 2, size: 3}, kind.Allowances{"gigabytes": {Limit: 5}, "gigabytes_ssd": {Limit: 4}}, nil,
			[]Quota{{Resource: size, Needed: 3, Limit: 5}, {Resource: typed, Needed: 2, Limit: 4}}},
		{"no limit", kind.Amounts{size: 2}, kind.Allowances{"gigabytes": {Limit: -1}}, nil, nil},
		{"no quota", kind.Amounts{size: 2}, kind.Allowances{"volumes": {}}, nil, nil},
		{"nothing is taken", kind.Amounts{size: 0}, kind.Allowances{"gigabytes": {}}, nil, nil},
		{"another service", kind.Amounts{{Service: "compute", Name: "gigabytes"}: 2}, kind.Allowances{"gigabytes": {}}, nil, nil},
	} {
		var f Findings
		f.Compare(Demand{Needed: c.takes}, size.Service, c.allowed, c.held)
		if len(f.Quotas) != len(c.want) {
			t.Errorf("%s: %+v", c.name, f.Quotas)
			continue
		}
		for i := range c.want {
			if f.Quotas[i] != c.want[i] {
				t.Errorf("%s: %+v, want %+v", c.name, f.Quotas[i], c.want[i])
			}
		}
	}
}

// Short returns only the quotas that are too small.
func TestShort(t *testing.T) {
	f := Findings{Quotas: []Quota{{Needed: 1, Limit: 1}, {Needed: 2, Limit: 1}}}
	if got := f.Short(); len(got) != 1 || got[0] != f.Quotas[1] {
		t.Errorf("%+v", got)
	}
}

// Zones and doubts are found only for objects that are created. Each has the list of all objects that need it.
func TestZonesAndDoubtsOfWhatIsMade(t *testing.T) {
	odd := &disk{zone: "az-a", doubt: "odd"}
	p := plan.Plan{Steps: []plan.Step{
		making("a", plan.Create, odd, nil), making("b", plan.Recreate, odd, odd), making("c", plan.Create, &disk{doubt: "strange"}, nil),
		making("d", plan.Update, odd, odd), making("e", plan.Create, &disk{}, nil),
	}}
	p.Steps = append(p.Steps, p.Steps[0])
	p.Steps[5].Key.Kind = "Other"
	kinds := []*kind.Kind{{Info: kind.Info{Kind: "Other"}}, disks()}
	zones := ZonesOf(p, kinds)
	if got := manifest.Listed(zones[size.Service]["az-a"]); len(zones) != 1 || len(zones[size.Service]) != 1 || got != "Disk/a, Disk/b" {
		t.Errorf("zones are %v", zones)
	}
	doubts := LikelyRefusals(p, kinds)
	if len(doubts) != 2 || doubts[0].Why != "odd" || manifest.Listed(doubts[0].Keys) != "Disk/a, Disk/b" || doubts[1].Why != "strange" || len(doubts[1].Keys) != 1 {
		t.Errorf("doubts are %+v", doubts)
	}
}

// Objects of another entry of clouds.yaml belong to another project, so they are not in the plan of the main entry. That plan is complete
// only if no such object is written.
func TestThroughMain(t *testing.T) {
	through := func(action plan.Action) plan.Step {
		s := making("b", action, &disk{}, nil)
		s.Want.Entry = "other"
		return s
	}
	for _, c := range []struct {
		steps []plan.Step
		all   bool
	}{{nil, true}, {[]plan.Step{through(plan.Keep)}, true}, {[]plan.Step{through(plan.Create)}, false}} {
		main, all := OnlyMainEntry(plan.Plan{Steps: append(c.steps, making("a", plan.Create, &disk{}, nil))})
		if len(main.Steps) != 1 || main.Steps[0].Key.Name != "a" || all != c.all {
			t.Errorf("%d steps, all %v", len(main.Steps), all)
		}
	}
}
