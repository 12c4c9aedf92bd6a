package report

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/source"
)

func read(p plan.Plan, verbose bool) string {
	var b bytes.Buffer
	Text{W: &b, Verbose: verbose}.Plan(p, preflight.Findings{}, source.Revision{})
	return b.String()
}

// fifty returns a plan in which fifty machines of a group get another flavor, one after the other, and two have
// disappeared with their ports.
func fifty() plan.Plan {
	const old, other = "0b6f3a3e-6e4b-4a4e-9d8f-1f2e3d4c5b6a", "m1-large"
	group := key("VirtualMachineGroup", "web")
	p := plan.Plan{Stack: "prod", Workloads: []plan.Workload{{Key: group, Origin: at(1)}}}
	for i := range 50 {
		s := plan.Step{Key: key("Server", fmt.Sprintf("web-%d", i)), Action: plan.Recreate, Source: plan.Source{Parent: group, Origin: at(1)},
			Causes: cause.List{cause.Of(cause.Reported, "spec.resource.flavorRef cannot be changed in place")}, Comparison: plan.Comparison{Names: map[string]string{old: "Flavor small", other: "Flavor/large"}, Ignored: []kind.Change{{Field: "spec.resource.description", Have: "by hand", Want: ""}}, Changes: []kind.Change{{Field: "spec.resource.flavorRef", Have: old, Want: other, Disruption: kind.Replace},
				{Field: "spec.resource.metadata", Have: map[string]string{"name": s(i), "a": "1"}, Want: map[string]string{"a": "1"}}, {Field: kind.MarkField, Have: s(i), Want: "x"}}},
		}
		if i > 0 {
			s.Turn = cause.Of(cause.Turn, key("Server", "web-0"), "one member of VirtualMachineGroup/web at a time")
		}
		p.Steps = append(p.Steps, s)
	}
	for i := 50; i < 53; i++ {
		p.Steps = append(p.Steps, plan.Step{Key: key("Port", s(i)), Action: plan.Delete, Source: plan.Source{Within: group}, Causes: cause.List{cause.Of(cause.Reported, "no longer in the repository")}, Order: plan.Order{Blockers: []string{"Server/" + s(i)}}})
	}
	p.Steps = append(p.Steps, plan.Step{Key: key("Network", "front"), Action: plan.Update, Comparison: plan.Comparison{Adopts: true, Changes: []kind.Change{{Field: "spec.resource.mtu", Have: 1500, Want: 9000}, {Field: kind.MarkField, Have: "", Want: "x"}}}, Source: plan.Source{Origin: at(9)}})
	return p
}

func s(i int) string { return fmt.Sprintf("web-%d", i) }

func TestEqualChangesAreReadOnce(t *testing.T) {
	const want = `stack prod

VirtualMachineGroup/web  web.yaml:1
  -/+ 50 Servers: web-0 … web-49  replace: deleted and recreated; spec.resource.flavorRef cannot be changed in place; after Server/web-0, one member of VirtualMachineGroup/web at a time
      spec.resource.flavorRef: Flavor small (0b6f3a3e…) -> Flavor/large (m1-large)  (forces replacement)
      spec.resource.metadata:
        - name: "‹name›"
        1 more unchanged
  - 3 Ports: web-50 … web-52  no longer in the repository; each after its Server

~ Network/front  adopts Network   web.yaml:9
    spec.resource.mtu: 1500 -> 9000

0 to create, 1 to change (1 of them adopted), 50 to replace, 3 to delete; 0 objects unchanged.
`
	if got := read(fifty(), false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, more := range []string{"owner mark: renewed", "ignored: spec.resource.description: the cloud has \"by hand\""} {
		if !strings.Contains(read(fifty(), true), more) {
			t.Errorf("-v does not say %q", more)
		}
	}
}

// Objects that differ in more than their names are shown separately. This also works if a name equals a word of
// the plan.
func TestWhatDiffersIsReadApart(t *testing.T) {
	var p plan.Plan
	for i, name := range []string{"changed", "a", "NAME", "web-1", "web-10"} {
		p.Steps = append(p.Steps, plan.Step{Key: key("Server", name), Action: plan.Update, Source: plan.Source{Origin: at(i)},
			Comparison: plan.Comparison{Changes: []kind.Change{{Field: "spec.resource.description", Have: "was", Want: fmt.Sprint("of ", i)}}}})
	}
	text := read(p, false)
	for i, step := range p.Steps {
		if !strings.Contains(text, fmt.Sprintf("~ %s  web.yaml:%d\n    spec.resource.description: \"was\" -> \"of %d\"\n", step.Key, i, i)) && i > 0 {
			t.Errorf("%s is lost in\n%s", step.Key, text)
		}
	}
}

func TestMarksAreCountedOnce(t *testing.T) {
	mark := []kind.Change{{Field: kind.MarkField, Have: "a", Want: "b"}}
	p := plan.Plan{Stack: "prod", Steps: []plan.Step{
		{Key: key("Network", "one"), Action: plan.Update, Comparison: plan.Comparison{Changes: mark}}, {Key: key("Network", "two"), Action: plan.Update, Comparison: plan.Comparison{Changes: mark}},
		{Key: key("Network", "gone"), Action: plan.Update, Comparison: plan.Comparison{Changes: mark, Drift: true}}}}
	if text := read(p, false); strings.Contains(text, "Network/one") || !strings.Contains(text, "2 objects: only the owner mark is renewed (-v names them)") || !strings.Contains(text, "Network/gone  changed in the cloud") {
		t.Error(text)
	}
	if text := read(p, true); !strings.Contains(text, "~ Network/one\n    owner mark: renewed\n") {
		t.Error(text)
	}
}

// A step that waits for an image may find further changes in addition to the mark when the image exists. So the
// plan shows that it waits.
func TestWhatWaitsIsNotOnlyMarkedAgain(t *testing.T) {
	p := plan.Plan{Stack: "prod", Steps: []plan.Step{
		{Key: key("Server", "web"), Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: kind.MarkField, Have: "a", Want: "b"}}}, Order: plan.Order{Awaits: []manifest.Key{key("Image", "os")}}}}}
	if text := read(p, false); !strings.Contains(text, "~ Server/web  waits for Image/os\n") || strings.Contains(text, "only the owner mark") {
		t.Error(text)
	}
}

func TestRanges(t *testing.T) {
	for names, want := range map[string]string{
		"a b c": "a|b|c", "web-0 web-1 web-2": "web-0 … web-2", "web-0 web-1": "web-0|web-1", "web-0 web-1 web-2 web-4 web-5": "web-0 … web-2|web-4|web-5",
		"web-0-root web-1-root web-2-root": "web-0-root … web-2-root", "n08 n09 n10": "n08 … n10", "n9 n10 n11": "n9 … n11", "n08 n9 n10": "n08|n9|n10",
		"99999999999999999999 99999999999999999998 1": "99999999999999999999|99999999999999999998|1",
	} {
		if got := strings.Join(Ranges(strings.Fields(names)), "|"); got != want {
			t.Errorf("%s: %s, want %s", names, got, want)
		}
	}
}

func TestStanding(t *testing.T) {
	for text, want := range map[string]string{"web": "NAME", "web-0": "NAME-0", "my-web": "my-web", "webs web": "webs NAME", "my-web-web web.": "my-web-web NAME.", `{"a":"web"}`: `{"a":"NAME"}`} {
		if got := WithPlaceholder(text, "web"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A creation that failed is not counted as one half of a replacement.
func TestDeedsOfAnInterruptedReplacement(t *testing.T) {
	result := func(name string, action plan.Action, err error) engine.Result {
		return engine.Result{Step: plan.Step{Key: key("Server", name), Action: action}, Err: err}
	}
	p := engine.Pass{Results: []engine.Result{
		result("a", plan.Recreate, nil), result("a", plan.Create, errors.New("no")), result("b", plan.Create, nil),
		result("c", plan.Recreate, nil), result("c", plan.Create, nil)}}
	if got := ChangeCounts(p); got != "1 created, 2 replaced" {
		t.Error(got)
	}
}

// Text and JSON have the same counts.
func TestCountsAgree(t *testing.T) {
	p := story()
	if doc := Document(p, preflight.Findings{}, revision); doc.Summary != p.Summary() || !strings.Contains(read(p, false), "\n"+p.Summary().String()+"; ") {
		t.Errorf("%+v, %+v", doc.Summary, p.Summary())
	}
	p.Steps = append(p.Steps, plan.Step{Key: manifest.Key{Kind: "Network", Name: "more"}, Action: plan.Keep})
	if s := p.Summary(); s.Unchanged != 3 || s.Drifted != 3 || s.Reported != 1 || s.Stuck != 2 || s.Keep != 4 {
		t.Errorf("%+v", s)
	}
}

// If an adoption only adds the mark, and writes values that the cloud does not show, the plan says that nothing
// is changed.
func TestAdoptionsThatChangeNothing(t *testing.T) {
	unseen := []kind.Change{{Field: "spec.resource.userData", Have: kind.Unknown, Want: "x", Secret: true}, {Field: "spec.resource.schedulerHints", Have: kind.Unknown, Want: "none"}}
	mark := kind.Change{Field: kind.MarkField, Have: "", Want: "x"}
	step := func(changes ...kind.Change) plan.Plan {
		return plan.Plan{Stack: "prod", Steps: []plan.Step{{Key: key("Server", "db"), Action: plan.Update, Comparison: plan.Comparison{Adopts: true, Changes: append(changes, mark)}}}}
	}
	calm, size := read(step(unseen...), false), read(step(append(unseen, kind.Change{Field: "spec.resource.name", Have: "a", Want: "b"})...), false)
	if !strings.Contains(calm, "; nothing changes\n    owner mark: added\n") || strings.Contains(calm, "schedulerHints") || strings.Contains(calm, "userData") {
		t.Errorf("got\n%s", calm)
	}
	if strings.Contains(size, "nothing changes") || !strings.Contains(size, `spec.resource.name: "a" -> "b"`) || strings.Contains(size, "unknown") {
		t.Errorf("got\n%s", size)
	}
}

// Of a long list, only a few items are shown, with the numbers of added and removed items.
func TestLongListsAreCounted(t *testing.T) {
	var have, want []string
	for i := range 300 {
		have, want = append(have, fmt.Sprintf("10.0.1.%d", i)), append(want, fmt.Sprintf("10.0.2.%d", i))
	}
	p := plan.Plan{Stack: "prod", Steps: []plan.Step{{Key: key("LoadBalancer", "web"), Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "spec.members", Have: have[:24], Want: want[:270]}}}}}}
	got := read(p, false)
	if !strings.Contains(got, "spec.members: +270, -24 (24 -> 270)\n") || !strings.Contains(got, "- 21 more (-v)") || !strings.Contains(got, "+ 267 more (-v)") || strings.Count(got, "\n") > 16 {
		t.Errorf("got\n%s", got)
	}
	if got := read(p, true); strings.Count(got, "\n") < 294 {
		t.Errorf("-v shows %d lines", strings.Count(got, "\n"))
	}
}

// Only added and removed items are counted, however many stay. A short list is shown completely.
func TestListed(t *testing.T) {
	items := func(from, to int) (list []string) {
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprint(i))
		}
		return list
	}
	for _, c := range []struct {
		have, want []string
		sum, words string
	}{
		{items(0, 30), items(0, 300), "+270 (30 -> 300)", "+270 (30 -> 300): +30, +31, +32, +267 more"},
		{items(0, 30), items(0, 6), "-24 (30 -> 6)", "-24 (30 -> 6): -6, -7, -8, -21 more"},
		{items(0, 32), items(2, 302), "+270, -2 (32 -> 300)", "+270, -2 (32 -> 300): -0, -1, +32, +33, +34, +267 more"},
		{items(0, 300), items(2, 302), "", "-0, -1, +300, +301"},
		{items(0, 9), items(1, 9), "", "-0"},
		{nil, items(0, 8), "", "+0, +1, +2, +3, +4, +5, +6, +7"},
		{[]string{"a", "b"}, []string{"b", "a"}, "", "in another order"},
		{[]string{"a", "a"}, []string{"a"}, "", "-a"},
	} {
		list := Compared(c.have, c.want)
		if list.Sum() != c.sum || list.words() != c.words {
			t.Errorf("%q, %q; want %q, %q", list.Sum(), list.words(), c.sum, c.words)
		}
	}
}
