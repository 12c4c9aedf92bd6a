package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Many methods derive a property from the fields of a step. Each row lists the properties of one step.
func TestWhatFollowsFromAStep(t *testing.T) {
	t.Parallel()
	mark, colour := kind.Change{Field: kind.MarkField}, kind.Change{Field: "colour"}
	unknown := kind.Change{Field: "colour", Have: kind.Unknown}
	want, have := &kind.Desired{}, &kind.Live{ID: "1"}
	made := func(action Action, change func(*Step)) Step {
		s := Step{Action: action, Object: Object{Want: want, Have: have}}
		if change != nil {
			change(&s)
		}
		return s
	}
	for name, c := range map[string]struct {
		step Step
		want string
	}{
		"kept":                    {made(Keep, nil), "silent"},
		"created":                 {made(Create, func(s *Step) { s.Have = nil }), "alters"},
		"replaced":                {made(Recreate, nil), "alters"},
		"deleted":                 {made(Delete, nil), ""},
		"marked":                  {made(Update, func(s *Step) { s.Changes = []kind.Change{mark} }), ""},
		"changed":                 {made(Update, func(s *Step) { s.Changes = []kind.Change{mark, colour} }), "alters"},
		"differs and is kept":     {made(Keep, func(s *Step) { s.Changes = []kind.Change{colour} }), "reported"},
		"adopted as it is":        {made(Update, func(s *Step) { s.Adopts, s.Changes = true, []kind.Change{mark, unknown} }), "alters noted"},
		"adopted and changed":     {made(Update, func(s *Step) { s.Adopts, s.Changes = true, []kind.Change{mark, colour} }), "alters"},
		"adopted later":           {made(Wait, func(s *Step) { s.Adopts, s.Changes = true, []kind.Change{mark} }), ""},
		"not adopted":             {made(Update, func(s *Step) { s.Changes = []kind.Change{mark, unknown} }), "alters"},
		"suspended":               {made(Keep, func(s *Step) { s.Want = &kind.Desired{Options: kind.Options{Suspend: true}} }), "silent suspended"},
		"of something suspended":  {made(Keep, func(s *Step) { s.Want, s.OfSuspended = nil, true }), "silent suspended"},
		"suspended and waits":     {made(Wait, func(s *Step) { s.OfSuspended = true }), ""},
		"frozen":                  {made(Keep, func(s *Step) { s.Frozen, s.Uncounted = true, []kind.Change{colour} }), "silent outdated"},
		"frozen as it shall be":   {made(Keep, func(s *Step) { s.Frozen = true }), "silent"},
		"frozen and drifted":      {made(Keep, func(s *Step) { s.Frozen, s.Drift, s.Uncounted = true, true, []kind.Change{colour} }), "silent"},
		"frozen and not there":    {made(Keep, func(s *Step) { s.Frozen, s.Have = true, nil }), "silent outdated"},
		"frozen without manifest": {made(Keep, func(s *Step) { s.Frozen, s.Want = true, nil }), "silent outdated"},
		"only used":               {made(Keep, func(s *Step) { s.Want = &kind.Desired{Unmanaged: true} }), "silent unmanaged"},
		"without a manifest":      {made(Keep, func(s *Step) { s.Want = nil }), "silent"},
		"refused":                 {made(Refuse, nil), "stuck"},
		"waits":                   {made(Wait, nil), ""},
		"waits for a person":      {made(Wait, func(s *Step) { s.Error = true }), "stuck"},
		"broken":                  {made(Recreate, func(s *Step) { s.Have = &kind.Live{Phase: kind.Failed} }), "alters broken"},
		"not there, not broken":   {made(Wait, func(s *Step) { s.Have = nil }), ""},
		"loses data":              {made(Delete, func(s *Step) { s.DataAtStake = true }), "loses"},
		"would lose data, kept":   {made(Keep, func(s *Step) { s.DataAtStake = true }), "silent"},
	} {
		s, got := c.step, []string{}
		for _, what := range []struct {
			word string
			is   bool
		}{
			{"silent", s.Silent()}, {"alters", s.Alters()}, {"reported", s.Reported()}, {"noted", s.OnlyNoted()}, {"suspended", s.Suspended()}, {"outdated", s.Outdated()},
			{"unmanaged", s.Unmanaged()}, {"stuck", s.Stuck()}, {"broken", s.Broken()}, {"loses", s.LosesData()},
		} {
			if what.is {
				got = append(got, what.word)
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

// A step does harm if it removes an object, data, or something that others depend on, unless people have agreed to that.
func TestHarm(t *testing.T) {
	t.Parallel()
	cuts, loses := kind.Change{Cuts: "no traffic"}, kind.Change{Destroys: true}
	live := func(applied string) *kind.Live { return &kind.Live{Mark: &kind.Mark{Applied: applied}} }
	for name, c := range map[string]struct {
		step  Step
		harms bool
		d     kind.Disruption
		cuts  bool // whether the step only cuts off users
	}{
		"deleted":                   {Step{Action: Delete}, true, kind.Replace, false},
		"let go":                    {Step{Action: Detach}, false, kind.InPlace, true},
		"a surplus copy":            {Step{Action: Delete, Object: Object{Surplus: true}}, false, kind.Replace, false},
		"a spare":                   {Step{Action: Delete, Manner: Manner{Spare: true}}, false, kind.Replace, false},
		"rebooted":                  {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{{Disruption: kind.Reboot}}}}, false, kind.Reboot, true},
		"wiped":                     {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{{}, {Disruption: kind.Rebuild}}}}, true, kind.Rebuild, false},
		"loses data":                {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{{}, loses}}}, true, kind.Rebuild, false},
		"loses data as agreed":      {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{loses}}, Manner: Manner{IsUpkeep: true}}, false, kind.InPlace, false},
		"loses data and is kept":    {Step{Action: Keep, Comparison: Comparison{Changes: []kind.Change{loses}}}, false, kind.InPlace, false},
		"cut off":                   {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{cuts}}, Object: Object{Have: live("x")}}, true, kind.Rebuild, true},
		"cut off by the cloud":      {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{{Cuts: "no traffic", Unfinished: true}}}, Object: Object{Have: live("x")}}, false, kind.InPlace, true},
		"somebody's way is cut off": {Step{Action: Update, Comparison: Comparison{Drift: true, Changes: []kind.Change{cuts}}, Object: Object{Have: live("x")}}, false, kind.InPlace, true},
		"cut off while half made":   {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{cuts}}, Object: Object{Have: live("")}}, false, kind.InPlace, true},
		"cut off while unfinished":  {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{cuts}}, Object: Object{Have: live(kind.Unfinished)}}, false, kind.InPlace, true},
		"cut off without a mark":    {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{cuts}}, Object: Object{Have: &kind.Live{}}}, true, kind.Rebuild, true},
		"cut off, of nothing":       {Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{cuts}}}, true, kind.Rebuild, true},
	} {
		if d, harms := c.step.Harm(); harms != c.harms || d != c.d || c.step.CutsOnly() != c.cuts {
			t.Errorf("%s: harms %t by %d, only cuts %t", name, harms, d, c.step.CutsOnly())
		}
	}
}

// A step is carried out through the entry that its manifest names, if that entry shows the object. Otherwise it is carried out through
// the entry that shows the object.
func TestEntriesOfAStep(t *testing.T) {
	t.Parallel()
	of := func(entry string) *kind.Desired { return &kind.Desired{Entry: entry} }
	one := &kind.Live{Entry: "a"}
	both := &kind.Live{Entry: "a", OtherViews: []kind.Live{{Entry: "a"}, {Entry: "b"}}}
	for name, c := range map[string]struct {
		object  Object
		through string
		others  []string
	}{
		"shown by its own":        {Object{Want: of("a"), Have: one}, "a", nil},
		"shown by another":        {Object{Want: of("b"), Have: one}, "a", nil},
		"shown by both":           {Object{Want: of("b"), Have: both}, "b", nil},
		"not there":               {Object{Want: of("b")}, "b", nil},
		"no manifest":             {Object{Have: one}, "a", nil},
		"no manifest, and both":   {Object{Have: both}, "a", []string{"b"}},
		"a surplus copy":          {Object{Want: of("b"), Have: both, Surplus: true}, "a", []string{"b"}},
		"a surplus copy, nowhere": {Object{Want: of("b"), Surplus: true}, "", nil},
		"nothing":                 {Object{}, "", nil},
	} {
		s := Step{Object: c.object}
		if s.Entry() != c.through || !slices.Equal(s.OtherEntries(), c.others) {
			t.Errorf("%s: through %q, others %q", name, s.Entry(), s.OtherEntries())
		}
	}
}

// Methods about optional parts of a step also work if the step lacks the part.
func TestPartsOfAStep(t *testing.T) {
	t.Parallel()
	secrets := redact.New(slices.Values([]string{"hidden-word"}), slices.Values([]string{}))
	until, failing, whom := time.Unix(1, 0), time.Unix(2, 0), named("m")
	full := Step{Key: named("k"), Causes: cause.List{cause.Of(cause.Gone)}, Object: Object{
		Have: &kind.Live{ID: "id", Name: "hidden-word", Locked: "by ada"}, Want: &kind.Desired{}, Viewed: &kind.Want{Key: named("k")}, Secrets: secrets, Upkeep: &kind.Upkeep{Overdue: "no time"},
	}}
	full.Settles = &Settling{Until: until, Patience: time.Minute, Failing: failing, Member: whom}
	nameless := Step{Key: named("k"), Object: Object{Have: &kind.Live{ID: "id"}, Surplus: true, Want: &kind.Desired{}}}
	for name, c := range map[string]struct {
		step Step
		want string
	}{
		"all of them":   {full, "id; •••; by ada; no time; Thing/k; true 1 60 2 Thing/m; Thing/k; gone"},
		"none of them":  {Step{Key: named("k")}, "; ; ; ; ; false never 0 never ; Thing/k#; "},
		"without names": {nameless, "id; Thing/id; ; ; ; false never 0 never ; Thing/k#id; "},
	} {
		s := c.step
		at := func(t time.Time) string {
			if t.IsZero() {
				return "never"
			}
			return fmt.Sprint(t.Unix())
		}
		patience, failing := s.Patience()
		got := fmt.Sprintf("%s; %s; %s; %s; %s; %t %s %v %s %s; %s; %s", s.ID(), s.LiveName(), s.Lock(), s.Overdue(), s.View().Key, s.Settling(), at(s.Until()), patience.Seconds(), at(failing), s.AwaitedMember(), s.Identity(), codesOf(s.CauseList()))
		if got = strings.ReplaceAll(got, redacted(secrets), "•••"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if kept := full.Recorded(); kept.Viewed != nil || kept.Have != full.Have {
		t.Errorf("a step is recorded with its planner: %+v", kept.Object)
	}
	if kept := (Step{}).Recorded(); kept.Have != nil {
		t.Error("a step that has no object is recorded with one")
	}
	bare := full
	bare.Target = "t"
	if s := bare.Recording(); s.Viewed.Mark.Target != "t" || full.Viewed.Mark.Target != "" {
		t.Error("a machine does not have its target, or another one does")
	}
	if s := full.Recording(); s.Viewed != full.Viewed {
		t.Error("without a target a step is seen as it was")
	}
	if bare.Viewed = nil; bare.Recording().Viewed != nil {
		t.Error("a recorded step is seen by its kind")
	}
}

// redacted returns the text that replaces a secret.
func redacted(r *redact.Redactor) string { return r.Text("hidden-word") }

func codesOf(list cause.List) string {
	var all []string
	for _, c := range list {
		all = append(all, string(c.Code))
	}
	return strings.Join(all, " ")
}

// If a step waits for several objects, it has all the reasons. The last one is its Turn.
func TestWaitingForSeveralThings(t *testing.T) {
	t.Parallel()
	s := Step{Action: Update, Comparison: Comparison{Changes: []kind.Change{{Field: "colour"}}}}
	s.WaitFor(cause.Of(cause.Turn), named("a"))
	once := s
	s.WaitFor(cause.Of(cause.Seen), named("b"), named("c"))
	if got := codesOf(once.Causes) + " | " + string(once.Turn.Code); got != " | turn" {
		t.Errorf("once: %s", got)
	}
	if got := codesOf(s.Causes) + " | " + string(s.Turn.Code); got != "field turn | seen" || !slices.Equal(s.Awaits, []manifest.Key{named("a"), named("b"), named("c")}) {
		t.Errorf("twice: %s after %v", got, s.Awaits)
	}
	if kept := s.WithAction(Keep, cause.Of(cause.Gone)); !kept.Turn.IsZero() || codesOf(kept.Causes) != "gone" {
		t.Errorf("what it waited for counts when it is kept: %s %s", kept.Turn.Code, codesOf(kept.Causes))
	}
}
