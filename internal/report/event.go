package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Event is something that happened to an object, or that people should know about it.
type Event struct {
	Key     manifest.Key
	Reason  string // one word, such as Created
	Message string
	Warning bool
	First   time.Time
	Last    time.Time
	Count   int // the number of times that it happened
}

// Repeats reports whether the events are equal except for their times.
func (e Event) Repeats(other Event) bool {
	return e.Key == other.Key && e.Reason == other.Reason && e.Message == other.Message
}

// Events returns the events of a run: drift, finished steps, and steps that could not continue. The renewal of a mark is not an event, because it
// concerns only the agent.
func Events(r Run) (list []Event) {
	if r.Pass == nil {
		return nil
	}
	b := eventList{said: map[manifest.Key]bool{}}
	for _, steps := range [][]plan.Step{r.Pass.First.Steps, r.Pass.LateDrift} {
		for _, s := range steps {
			if s.Drift {
				b.add(s.Key, "Drifted", drifted(s), true, r.Started)
			}
		}
	}
	for _, result := range r.Pass.Results {
		b.ended(result)
	}
	for _, f := range r.Pass.Failures {
		if !b.said[f.Key] { // otherwise its step has reported it
			b.add(f.Key, "Failed", f.Reason(), true, r.Started.Add(r.Took))
		}
	}
	return b.list
}

type eventList struct {
	list []Event
	said map[manifest.Key]bool // the objects for which a step has reported a failure
}

func (b *eventList) add(key manifest.Key, reason, message string, warning bool, at time.Time) {
	b.list = append(b.list, Event{Key: key, Reason: reason, Message: Clean(message), Warning: warning, First: at, Last: at, Count: 1})
}

var done = map[plan.Action][2]string{
	plan.Create:   {"Created", "created"},
	plan.Update:   {"Changed", "changed"},
	plan.Recreate: {"Deleted", "deleted; it will be created again"},
	plan.Delete:   {"Deleted", "deleted"},
	plan.Detach:   {"Detached", "stays in the cloud without an owner"},
}

func (b *eventList) ended(r engine.Result) {
	at := r.Started.Add(r.Took)
	said, known := done[r.Step.Action]
	switch {
	case wasBusy(r) || !known:
	case r.Err != nil:
		b.said[r.Step.Key] = true
		b.add(r.Step.Key, "Failed", r.Err.Error(), true, at)
	case r.Step.Drift && r.Step.Action != plan.Recreate:
		b.add(r.Step.Key, "Healed", withFields(said[1], r.Step, false), false, at)
	case r.Step.Adopts:
		b.add(r.Step.Key, "Adopted", withFields("adopted", r.Step, false), false, at)
	case r.Step.Action == plan.Update && marksOnly(r.Step):
	default:
		b.add(r.Step.Key, said[0], withFields(said[1], r.Step, false), false, at)
	}
}

// marksOnly reports whether a step only renews the mark.
func marksOnly(s plan.Step) bool {
	return len(s.Changes) > 0 && !slices.ContainsFunc(s.Changes, func(c kind.Change) bool { return c.Field != kind.MarkField })
}

// Drifted says how the object of a drifting step differs, and who changed it.
func Drifted(s plan.Step) string {
	text := drift(s)
	if names := fields(s); len(names) > 0 && !s.Vanished() {
		text += ": " + strings.Join(names, ", ")
	}
	return text
}

func drift(s plan.Step) string { return cmp.Or(s.DriftText(), "changed in the cloud") }

// drifted returns the text of [Drifted] with the old and new values of the fields.
func drifted(s plan.Step) string {
	if s.Vanished() {
		return drift(s)
	}
	return withFields(drift(s), s, true)
}

// maxChanges is the maximum number of fields in an event. longestEvent is the maximum length of an event in bytes.
const (
	maxChanges   = 8
	longestEvent = 1000
)

// withFields adds the changed fields with their old and new values to text. With cloud, it describes the change that somebody made in the cloud.
// Otherwise, it describes the change that the step made.
func withFields(text string, s plan.Step, cloud bool) string {
	var list []string
	for _, c := range s.Changes {
		if c.Field == kind.MarkField && len(s.Changes) > 1 {
			continue
		}
		from, to := c.Have, c.Want
		if cloud {
			from, to = c.Want, c.Have
		}
		list = append(list, changeText(c, from, to, s.Names))
	}
	if left := len(list) - maxChanges; left > 0 {
		list = append(list[:maxChanges], Plural(left, "more field"))
	}
	if len(list) == 0 {
		return text
	}
	return printable.Clip(text+": "+strings.Join(list, "; "), longestEvent)
}

// changeText returns a field with its old and new value. For a list, it returns the items that were removed and added.
func changeText(c kind.Change, from, to any, names map[string]string) string {
	field := Clean(c.Field)
	switch {
	case c.Field == kind.MarkField:
		return field
	case c.Secret:
		return field + " (secret, not shown)"
	}
	var t Text
	before, ok1 := t.itemsOf(from, names)
	after, ok2 := t.itemsOf(to, names)
	if !ok1 || !ok2 {
		return field + " " + t.value(from, names) + " -> " + t.value(to, names)
	}
	return field + " " + Compared(before, after).words()
}
