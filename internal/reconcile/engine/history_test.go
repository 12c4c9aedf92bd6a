package engine

import (
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func tending(colour string) plan.Step {
	s := plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "spec.colour", Want: colour}}}}
	s.IsUpkeep = true
	return s
}

// A step that has run four times is not repeated. An update with other values starts a new count. For a replacement, the creations of the
// object count, too.
func TestWhatRepeats(t *testing.T) {
	red, blue := plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "f", Want: "red"}}}}, plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "f", Want: "blue"}}}}
	made := plan.Step{Action: plan.Create}
	for _, c := range []struct {
		name   string
		ran    []plan.Step
		action plan.Action
		want   bool
	}{
		{"three times", []plan.Step{red, red, red}, plan.Update, false},
		{"four times", []plan.Step{red, red, red, red}, plan.Update, true},
		{"something else each time", []plan.Step{red, blue, red, blue}, plan.Update, false},
		{"made four times, and to be made again", []plan.Step{made, made, made, made}, plan.Recreate, true},
		{"made four times, and to be changed", []plan.Step{made, made, made, made}, plan.Update, false},
	} {
		h := &history{}
		for _, s := range c.ran {
			h.noteSuccess(s)
		}
		if got := h.repeats(c.action); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A pass carries out the same upkeep once. An update with other values is not the same upkeep.
func TestWhatWasTended(t *testing.T) {
	h := &history{}
	if h.didUpkeep(tending("red")) {
		t.Error("nothing was done, and it is tended")
	}
	h.noteSuccess(tending("red"))
	plain := tending("red")
	plain.IsUpkeep = false
	for name, c := range map[string]struct {
		step plan.Step
		want bool
	}{"the same": {tending("red"), true}, "another": {tending("blue"), false}, "a change that is not due": {plain, false}} {
		if got := h.didUpkeep(c.step); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Upkeep that is due again is carried out by the next pass if no other step is in progress or can start.
func TestWhatIsEndless(t *testing.T) {
	other := plan.Step{Action: plan.Create}
	for _, c := range []struct {
		name  string
		step  plan.Step
		tends int
		round round
		doing []plan.Step
		final bool
		want  bool
	}{
		{name: "again", step: tending("red"), tends: 1, want: true},
		{name: "the first time", step: tending("red")},
		{name: "a change", step: other, tends: 1},
		{name: "the cloud works on something", step: tending("red"), tends: 1, round: round{waiting: make([]Activity, 1)}},
		{name: "another is done", step: tending("red"), tends: 1, doing: []plan.Step{other}},
		{name: "another that is due is done", step: tending("red"), tends: 1, doing: []plan.Step{tending("blue")}, want: true},
		{name: "another can begin", step: tending("red"), tends: 1, round: round{queue: []candidate{{id: "b", step: &other}}}},
		{name: "another has failed for good", step: tending("red"), tends: 1, round: round{queue: []candidate{{id: "b", step: &other}}}, final: true, want: true},
	} {
		r := &run{round: c.round, doing: map[string]Activity{}, histories: map[string]*history{}}
		for _, s := range c.doing {
			r.doing["x"] = ActivityOf(&s, time.Time{})
		}
		if c.final {
			r.histories["b"] = &history{final: true}
		}
		if got := r.onlyUpkeep(&history{upkeeps: c.tends}, c.step); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// ineffectiveChange returns a change with a way that the cloud accepted and did not carry out. If a step has several such changes, each needs its own
// request.
func TestWhatIsInVain(t *testing.T) {
	change := func(fields ...string) plan.Step {
		s := plan.Step{Action: plan.Update}
		for _, f := range fields {
			s.Changes = append(s.Changes, kind.Change{Field: f, Way: "restart"})
		}
		return s
	}
	h := &history{ways: map[string]int{}}
	h.noteWays(plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "plain"}}}})
	if got := h.ineffectiveChange(change("a")); got != "" {
		t.Errorf("nothing was tried by a way, and in vain is %q", got)
	}
	h.noteWays(change("a", "b"))
	if got := h.ineffectiveChange(change("a")); got != "" {
		t.Errorf("one of two may still follow, and in vain is %q", got)
	}
	h.noteWays(change("a"))
	if got := h.ineffectiveChange(change("b", "a")); got != "a by restart" {
		t.Errorf("in vain is %q", got)
	}
	if got := h.ineffectiveChange(plan.Step{Action: plan.Recreate, Comparison: plan.Comparison{Changes: change("a").Changes}}); got != "" {
		t.Errorf("of what is made again %q is in vain", got)
	}
	if got := h.ineffectiveChange(plan.Step{Action: plan.Update, Comparison: plan.Comparison{Changes: []kind.Change{{Field: "plain"}}}}); got != "" {
		t.Errorf("without a way %q is in vain", got)
	}
}

// A step that the cloud has rejected is tried once more if an object was deleted after the attempt began.
func TestASecondChance(t *testing.T) {
	noon := time.Unix(1000, 0)
	for _, c := range []struct {
		name  string
		h     history
		freed time.Time
		want  bool
	}{
		{"deleted later", history{rejected: noon, final: true}, noon.Add(1), true},
		{"deleted at the same time", history{rejected: noon, final: true}, noon, true},
		{"deleted before", history{rejected: noon, final: true}, noon.Add(-1), false},
		{"had it", history{rejected: noon, final: true, retriedRejected: true}, noon.Add(1), false},
		{"is tried anyway", history{rejected: noon}, noon.Add(1), false},
		{"failed otherwise", history{final: true}, noon.Add(1), false},
	} {
		r := &run{histories: map[string]*history{"a": &c.h}, lastDeletion: c.freed, refused: map[string]error{"x": kind.ErrExhausted}}
		if got := r.retryRejected(); got != c.want || c.want && (c.h.final || !c.h.retriedRejected) || len(r.refused) == 0 != c.want {
			t.Errorf("%s: %v, %+v, refused %v", c.name, got, c.h, r.refused)
		}
	}
}

// The preferred entry of an object is that of its manifest. The manifest is the one whose mark the object has, under a present or former
// name, or the one that adopts it by its ID. Virtual and unmanaged objects have no preferred entry.
func TestThroughWhichEntryAnObjectIsSeen(t *testing.T) {
	key := func(name string) manifest.Key { return manifest.Key{Kind: "Thing", Name: name} }
	e := &Engine{Stack: "s", Entries: []Entry{{Name: "b"}}}
	seen := e.preferred([]kind.Desired{
		{Key: key("a"), Entry: "b", From: []manifest.Key{key("old"), key("main")}}, {Key: key("main")}, {Key: key("given"), Entry: "b", Import: &kind.Import{ID: "id-1"}},
		{Key: key("virtual"), Entry: "b", Virtual: true}, {Key: key("used"), Entry: "b", Unmanaged: true, Import: &kind.Import{ID: "id-2"}}, {Key: key("named"), Entry: "b", Import: &kind.Import{ByName: true}},
	})
	for name, c := range map[string]struct {
		mark, id string
		entry    string
		ok       bool
	}{
		"its own":            {"a", "", "b", true},
		"its former name's":  {"old", "", "b", true},
		"another's own name": {"main", "", "", true},
		"adopted by its ID":  {"", "id-1", "b", true},
		"virtual":            {"virtual", "", "", false},
		"only used":          {"used", "id-2", "", false},
		"nobody's":           {"", "", "", false},
	} {
		l := &kind.Live{ID: c.id}
		if c.mark != "" {
			l.Mark = &kind.Mark{Owner: ownertext.Of("s", key(c.mark))}
		}
		if entry, ok := seen(l); entry != c.entry || ok != c.ok {
			t.Errorf("%s: %q, %v", name, entry, ok)
		}
	}
	if (&Engine{}).preferred(nil) != nil {
		t.Error("one entry is preferred to itself")
	}
}

// A place is listed again if a manifest names it, if an object there was written, or if its list failed temporarily. It is not listed again
// if its list is refused, or if the stack has no object there.
func TestWhichPlacesAreListedAgain(t *testing.T) {
	at := memory.Place{Kind: "Thing", Entry: "b"}
	for name, c := range map[string]struct {
		part  kind.Shown
		asked map[memory.Place]bool
		wrote map[string]bool
		want  int
	}{
		"nothing of the stack's": {},
		"asked for":              {asked: map[memory.Place]bool{at: true}, want: 1},
		"written":                {wrote: map[string]bool{"b": true}, want: 1},
		"could not be listed":    {part: kind.Shown{Err: kind.ErrUnanswered}, want: 1},
		"could not log in":       {part: kind.Shown{Err: kind.ErrUnanswered, Closed: true}},
		"may not list":           {part: kind.Shown{Err: kind.ErrUnanswered, Refused: true}},
	} {
		c.part.Entry = "b"
		e := &Engine{Entries: []Entry{{Name: "b"}}}
		if got := e.placesOf("Thing", kind.Collection{Parts: []kind.Shown{c.part}}, c.asked, c.wrote); len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := (&Engine{}).placesOf("Thing", kind.Collection{}, nil, nil); len(got) != 1 {
		t.Errorf("without further entries: %v", got)
	}
}
