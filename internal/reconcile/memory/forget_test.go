package memory

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// planned returns the plan for a repository and a cloud, with one line for each object, in the format of package decide's stories.
func planned(t *testing.T, repo, cloud []string) plan.Plan {
	t.Helper()
	w, want := thingtest.Filled(t, repo, cloud)
	return decide.Compute(world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Want: want, Have: w.Snapshot(), Rules: world.Rules{Replace: true}})
}

func seconds(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }

// names returns the sorted names of a map's keys.
func names[V any](of map[manifest.Key]V) string {
	var list []string
	for key := range of {
		list = append(list, key.Name)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// A limited pass leaves an object that differs, so the object is not forgotten.
func TestALimitedPassForgetsNoObjectThatItLeaves(t *testing.T) {
	p := planned(t, []string{"same", "differs colour=red"}, []string{"same ours", "differs ours colour=blue"}).MapSteps(plan.Step.Leaving)
	m := &Memory{}
	for _, name := range []string{"same", "differs"} {
		set(&m.begun, thingtest.Key(name), begun{})
	}
	m.Forget(PassEnds{p, func(string) time.Time { return seconds(5) }})
	if got := names(m.begun); got != "differs" {
		t.Errorf("begun are %s", got)
	}
}

// If the last plan of a pass shows an object as up to date, the object is forgotten once lists show it. If the plan would change the
// object, or cannot decide about it, the object is not forgotten.
func TestWhatIsOverWhenAPassEnds(t *testing.T) {
	p := planned(t, []string{"same", "missing", "differs colour=red", "late"}, []string{"same ours", "differs ours colour=blue", "late ours", "kept keep"})
	m := &Memory{}
	for _, name := range []string{"same", "missing", "differs", "late", "kept", "gone"} {
		set(&m.begun, thingtest.Key(name), begun{})
		set(&m.knownIDs, thingtest.Key(name).String(), name)
	}
	m.begun[thingtest.Key("late")] = begun{until: seconds(9)}
	set(&m.probed, probe{member: thingtest.Key("same")}, rollout.Record{})
	m.Forget(PassEnds{p, func(string) time.Time { return seconds(5) }})
	if got := names(m.begun); got != "differs kept late missing" {
		t.Errorf("begun are %s", got)
	}
	if got := strings.Join(slices.Sorted(maps.Values(m.knownIDs)), " "); got != "differs late missing same" {
		t.Errorf("seen are %s", got)
	}
	if len(m.probed) > 0 {
		t.Error("what no probe is for is remembered as probed")
	}
}

// If the last plan does not contain an object, it is forgotten only if its kind could be listed.
func TestNothingIsOverThatCannotBeListed(t *testing.T) {
	m := &Memory{}
	set(&m.begun, thingtest.Key("gone"), begun{until: seconds(-9)})
	set(&m.begun, thingtest.Key("asked"), begun{})
	set(&m.probed, probe{member: thingtest.Key("hidden")}, rollout.Record{})
	hidden := plan.Step{Key: thingtest.Key("hidden"), Action: plan.Wait, Error: true, Membership: plan.Membership{Part: &plan.Part{Member: thingtest.Key("hidden")}}}
	m.Forget(PassEnds{plan.Plan{Steps: []plan.Step{hidden}}, func(string) time.Time { return time.Time{} }})
	if got := names(m.begun); got != "asked gone" {
		t.Errorf("begun are %q", got)
	}
	if len(m.probed) != 1 {
		t.Error("what the probes of a hidden member have found is forgotten")
	}
	m.Forget(PassEnds{plan.Plan{}, func(string) time.Time { return seconds(1) }})
	if len(m.begun)+len(m.probed) > 0 {
		t.Errorf("begun are %q, probed %v", names(m.begun), m.probed)
	}
}

// If a new commit changes a group's declaration, the group may search its history again. Requests that have ended are forgotten.
func TestWhatIsOverWhenAPassBegins(t *testing.T) {
	group := func(name string) manifest.Key { return manifest.Key{Kind: "Group", Name: name} }
	m := &Memory{}
	set(&m.unanswered, "over", seconds(-1))
	set(&m.unanswered, "open", seconds(1))
	for _, name := range []string{"same", "other", "never"} {
		set(&m.searched, searched{group(name), "bad " + name}, true)
	}
	for _, name := range []string{"same", "other"} {
		set(&m.fallbacks, group(name), plan.Fallback{Failing: plan.Failing{Group: group(name), Marked: group(name), Digest: "bad " + name}, Commit: "c"})
	}
	want := func(name, digest string) kind.Desired { return kind.Desired{Key: group(name), Digest: digest} }
	m.Forget(PassBegins{noon, []kind.Desired{want("same", "bad same"), want("other", "better"), want("third", "bad other")}})
	if got := strings.Join(slices.Sorted(maps.Keys(m.unanswered)), " "); got != "open" {
		t.Errorf("unanswered are %s", got)
	}
	if got := names(m.fallbacks); got != "same" {
		t.Errorf("went back: %s", got)
	}
	left := map[manifest.Key]bool{}
	for s := range m.searched {
		left[s.group] = true
	}
	if got := names(left); got != "same" {
		t.Errorf("searched: %s", got)
	}
}

// The cause of a difference is stored for as long as the difference exists.
func TestTracesOfWhatDiffersStay(t *testing.T) {
	m, a, b := &Memory{}, plan.Step{Key: thingtest.Key("a")}, plan.Step{Key: thingtest.Key("b")}
	m.NoteTrace(a, kind.Trace{Who: "Ann"})
	m.NoteTrace(b, kind.Trace{Who: "Bob"})
	m.Forget(Differs{b})
	if m.Trace(a) != nil || m.Trace(b) == nil {
		t.Errorf("traces are %v", m.traces)
	}
	if b.Changes = []kind.Change{{Field: "spec.x"}}; m.Trace(b) != nil {
		t.Error("another difference has the same trace")
	}
}

// If a login leads to another project, the whole past is dropped. If it leads to the same project, only the results of lists are dropped that
// showed no object of the stack.
func TestALogin(t *testing.T) {
	for _, c := range []struct{ before, now, begun string }{{"", "p", "web"}, {"p", "p", "web"}, {"p", "q", ""}} {
		own, unused, refused, further, other := Place{Kind: "Server"}, Place{Kind: "Volume"}, Place{Kind: "Secret"}, Place{Kind: "Server", Entry: "b"}, Place{Kind: "Volume", Entry: "b"}
		m := &Memory{where: c.before}
		m.NoteBegun([]manifest.Key{web})
		m.NoteFound(own, Finding{Owns: true, At: noon})
		m.NoteFound(unused, Finding{At: noon})
		m.NoteFound(refused, Finding{At: noon, Refused: kind.ErrForbidden})
		m.NoteFound(further, Finding{Owns: true, At: noon})
		m.NoteFound(other, Finding{At: noon, Refused: kind.ErrForbidden})
		m.Forget(LoggedIn{Where: c.now})
		var want map[Place]Finding
		if c.before == c.now {
			want = map[Place]Finding{own: {Owns: true, At: noon}, further: {Owns: true, At: noon}, refused: {Refused: kind.ErrForbidden}}
		}
		if got := names(m.begun); got != c.begun || !maps.Equal(m.AllFound(), want) || m.where != c.now {
			t.Errorf("from %q to %q: begun %q, found %v, now in %q", c.before, c.now, got, m.AllFound(), m.where)
		}
	}
}
