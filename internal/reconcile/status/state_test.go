package status

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// If an object is not as its manifest wants it, it is never in sync, and its state says why.
func TestStates(t *testing.T) {
	const suspended, ignoring = " suspend=true", " ignore-fields=spec.resource.colour"
	for _, c := range []struct {
		name                 string
		repo, cloud, options []string
		want                 string // state, waitsFor and message of the last object
	}{
		{name: "as wanted", repo: []string{"a colour=red"}, cloud: []string{"a ours colour=red"}, want: "in sync"},
		{name: "only used", repo: []string{"a import=base"}, cloud: []string{"base alien"}, want: "in sync: not managed"},
		{name: "missing", repo: []string{"a"}, want: "to create: to be created"},
		{name: "a commit changed it", repo: []string{"a colour=blue"}, cloud: []string{"a stale colour=red"},
			want: "to change: to be changed: spec.resource.colour, owner mark"},
		{name: "gone from the repository", repo: []string{"b"}, cloud: []string{"b ours", "a stale"}, want: "to delete: no longer in the repository; to be deleted"},
		{name: "gone and kept", repo: []string{"b"}, cloud: []string{"b ours", "a keep"}, want: "kept: no longer in the repository; stays in the cloud, as its manifest asked"},
		{name: "gone and not pruned", repo: []string{"b"}, cloud: []string{"b ours", "a stale"}, options: []string{"no-prune"},
			want: "kept: no longer in the repository; kept because prune is off"},
		{name: "held", repo: []string{"a shape=flat"}, cloud: []string{"a stale shape=round"}, options: []string{"limit 0"},
			want: "held: spec.resource.shape cannot be changed in place; to be recreated"},
		{name: "held, though only created", repo: []string{"b shape=flat", "a"}, cloud: []string{"b stale shape=round"}, options: []string{"limit 0"},
			want: "held: to be created"},
		{name: "drifted, to be undone", repo: []string{"a colour=red"}, cloud: []string{"a ours colour=blue"},
			want: "drifted: changed in the cloud; to be changed: spec.resource.colour"},
		{name: "drifted, only reported", repo: []string{"a colour=red"}, cloud: []string{"a ours colour=blue"}, options: []string{"report"},
			want: "drifted: changed in the cloud; only reported; differs in spec.resource.colour"},
		{name: "deleted in the cloud, only reported", repo: []string{"a"}, options: []string{"report", "synced"}, want: "drifted: deleted in the cloud; only reported"},
		{name: "suspended and equal", repo: []string{"a colour=red" + suspended}, cloud: []string{"a ours colour=red"}, want: "suspended: suspended"},
		{name: "suspended, a commit changed it", repo: []string{"a colour=blue" + suspended}, cloud: []string{"a stale colour=red"},
			want: "suspended (differs): suspended; differs in spec.resource.colour"},
		{name: "suspended and missing", repo: []string{"a" + suspended}, want: "suspended (differs): suspended; it does not exist"},
		{name: "suspended and broken", repo: []string{"a" + suspended}, cloud: []string{"a ours failed"}, want: "suspended (differs): suspended; it broke"},
		{name: "suspended and stopped", repo: []string{"a" + suspended}, cloud: []string{"a ours down=stopped"}, want: "suspended: suspended; is down"},
		{name: "an ignored field differs", repo: []string{"a colour=red" + ignoring}, cloud: []string{"a ours colour=blue"},
			want: "in sync: up to date, except for the fields that stackreeve.dev/ignore-fields excludes: spec.resource.colour"},
		{name: "stopped", repo: []string{"a"}, cloud: []string{"a ours down=stopped"}, want: "stopped: is down"},
		{name: "broken", repo: []string{"a"}, cloud: []string{"a ours failed"}, want: "failed: failed: it broke; to be recreated"},
		{name: "the cloud works on it", repo: []string{"a"}, cloud: []string{"a ours building"}, want: "waiting for the cloud: BUILD"},
		{name: "nothing of that name", repo: []string{"a import=kye"}, cloud: []string{"key alien"},
			want: "failed: the cloud has no thing named kye; similar names are key"},
		{name: "what it needs has no such name", repo: []string{"k import=kye", "b near=k", "a near=b"}, cloud: []string{"key alien"},
			want: "waiting for Thing/k: to be created"},
		{name: "what it needs comes first", repo: []string{"b", "a near=b"}, want: "to create: to be created"},
		{name: "what it needs is being built", repo: []string{"b", "a near=b"}, cloud: []string{"b ours building"}, want: "waiting for Thing/b: to be created"},
		{name: "what it needs is suspended and missing", repo: []string{"b" + suspended, "a near=b"}, want: "waiting for Thing/b: to be created"},
		{name: "name taken", repo: []string{"a"}, cloud: []string{"a nobody"}, want: "refused: the name a is taken by"},
		{name: "cannot be replaced", repo: []string{"a shape=flat"}, cloud: []string{"a stale shape=round"}, options: []string{"refuse-replace"},
			want: "refused: spec.resource.shape cannot be changed in place; allow it"},
		{name: "cannot be seen", repo: []string{"a"}, options: []string{"unlisted"}, want: "unknown: network: GET /v2.0/things: 503"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, o := range Of(planned(t, c.repo, c.cloud, c.options), []*kind.Kind{thingtest.New().Kind()}) {
				if o.Metadata.Name != "a" {
					continue
				}
				s := o.Status
				got := string(s.State)
				if s.WaitsFor != "" {
					got += " for " + s.WaitsFor
				}
				if s.Message != "" {
					got += ": " + s.Message
				}
				if !strings.HasPrefix(got, c.want) || c.want == "in sync" && got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
				return
			}
			t.Fatal("no status of a")
		})
	}
}

// Changes that are left alone are shown, but not counted.
func TestLeftAlone(t *testing.T) {
	for _, annotation := range []string{"suspend=true", "ignore-fields=spec.resource.colour"} {
		p := planned(t, []string{"a colour=red " + annotation}, []string{"a ours colour=blue"}, nil)
		got := Of(p, []*kind.Kind{thingtest.New().Kind()})[0].Status
		if len(got.LeftAlone) != 1 || got.LeftAlone[0].Have != "blue" || got.LeftAlone[0].Want != "red" || len(got.Changes) > 0 {
			t.Errorf("%s: %+v", annotation, got)
		}
		if !p.InSync() || p.Summary().Keep != 1 {
			t.Errorf("%s: the plan is %s", annotation, p.Outcome())
		}
	}
}

// The statuses of a plan have the same number of each action as the plan.
func TestStatusesCountAsPlansDo(t *testing.T) {
	files, err := filepath.Glob("../plan/decide/testdata/stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		part := map[string][]string{}
		for _, f := range archive.Files {
			part[f.Name] = lines(f.Data)
		}
		if _, err := thingtest.New().Wanted(part["repo"]...); err != nil {
			continue // the manifests are refused, so there is no plan
		}
		p := planned(t, part["repo"], part["cloud"], part["options"])
		got, want := map[plan.Action]int{}, map[plan.Action]int{}
		for _, s := range p.Steps {
			want[s.Action]++
		}
		for _, o := range Of(p, []*kind.Kind{thingtest.New().Kind()}) {
			s := o.Status
			got[s.Action]++
			if s.State == StateInSync && (s.Action != plan.Keep || len(s.Changes) > 0) || s.Action.Writes() && s.State.Fine() {
				t.Errorf("%s: %s reads %s, and is to be %s", file, o.Metadata.Name, s.State, s.Action)
			}
			if p.Held != nil && s.Action.Writes() && s.State != StateHeld {
				t.Errorf("%s: %s reads %s in a plan that is held", file, o.Metadata.Name, s.State)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: statuses count %v, the plan %v", file, got, want)
		}
	}
}

// No step of a suspended stack is carried out, and its status says so.
func TestStatesOfASuspendedStack(t *testing.T) {
	p := planned(t, []string{"new", "same colour=red"}, []string{"same ours colour=red"}, nil)
	p.Suspended = "suspend is true"
	for _, o := range Of(p, []*kind.Kind{thingtest.New().Kind()}) {
		want := map[string]State{"new": StateDiffers, "same": StateInSync}[o.Metadata.Name]
		if o.Status.State != want || o.Status.Conditions[1].Status != "False" {
			t.Errorf("%s is %s: %+v, want %s", o.Metadata.Name, o.Status.State, o.Status.Conditions[1], want)
		}
	}
}

// A workload has the state of its worst part.
func TestStatesOfWorkloads(t *testing.T) {
	machine := manifest.Key{Kind: "Machine", Namespace: "default", Name: "m"}
	part := func(name string, live kind.Live, action plan.Action) subject {
		return subject{Step: &plan.Step{Key: thingtest.Key(name), Source: plan.Source{Parent: machine}, Action: action}, have: &live, want: &kind.Desired{}}
	}
	p, kinds := plan.Plan{Workloads: []plan.Workload{{Key: machine}}}, []*kind.Kind{thingtest.New().Kind()}
	parts := []subject{
		part("a", kind.Live{Phase: kind.Ready, State: &thingtest.Thing{}}, plan.Keep),
		part("b", kind.Live{Phase: kind.Degraded, Down: "stopped", Message: "is SHUTOFF", State: &thingtest.Thing{}}, plan.Keep),
		part("c", kind.Live{Phase: kind.Ready, State: &thingtest.Thing{}}, plan.Update),
	}
	if got := show(p, kinds, parts)[3].Status; got.State != "stopped" || got.Message != "Thing/b: is SHUTOFF (and 1 more of its 3 parts)" || got.Conditions[0].Status != "False" {
		t.Errorf("the machine is %s: %s: %+v", got.State, got.Message, got.Conditions[0])
	}
	parts[1].have = &kind.Live{Phase: kind.Ready, Message: "a member is down", State: &thingtest.Thing{}}
	if list := show(p, kinds, parts[:2]); list[1].Status.State != StateDegraded || list[2].Status.State != StateDegraded {
		t.Errorf("with a member that is down the states are %s and %s", list[1].Status.State, list[2].Status.State)
	}
}

// Problems that only the plan knows make the health of an object worse, even if the cloud reports it as ready. Overdue work is not a fault
// of the object in the cloud.
func TestWhatAilsAnObject(t *testing.T) {
	for _, c := range []struct {
		ails   problems
		health Health
		said   string
	}{
		{problems{sick: "does not answer"}, HealthDegraded, "does not answer"},
		{problems{crowded: "shares a host"}, HealthDegraded, "shares a host"},
		{problems{overdue: "is dry"}, HealthGood, "is dry"},
		{problems{"does not answer", "shares a host", "is dry"}, HealthDegraded, "does not answer; shares a host; is dry"},
	} {
		s := subject{Step: &plan.Step{Action: plan.Keep}, want: &kind.Desired{}, have: &kind.Live{Phase: kind.Ready}, problems: c.ails}
		if got := show(plan.Plan{}, nil, []subject{s})[0].Status; got.State != StateDegraded || got.Sync != StateInSync || got.Health != c.health || got.Message != c.said {
			t.Errorf("%+v: %s, %s, %s: %s", c.ails, got.State, got.Sync, got.Health, got.Message)
		}
	}
}
