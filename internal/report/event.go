package report

import (
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Event is something that happened to an object, or that people should know of it.
type Event struct {
	Key     manifest.Key
	Reason  string // one word, such as Created
	Message string
	Warning bool
	First   time.Time
	Last    time.Time
	Count   int // how often it happened
}

// Repeats reports whether the other is the same, at another time.
func (e Event) Repeats(other Event) bool {
	return e.Key == other.Key && e.Reason == other.Reason && e.Message == other.Message
}

// Events are what happened in a run: drift that was found, steps that ended, and what could not go on.
func Events(r Run) (list []Event) {
	if r.Pass == nil {
		return nil
	}
	b := eventList{said: map[manifest.Key]bool{}}
	for _, steps := range [][]plan.Step{r.Pass.First.Steps, r.Pass.Late} {
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
		if !b.said[f.Key] { // its step has said it
			b.add(f.Key, "Failed", f.Reason, true, r.Started.Add(r.Took))
		}
	}
	return b.list
}

type eventList struct {
	list []Event
	said map[manifest.Key]bool // of what failed
}

func (b *eventList) add(key manifest.Key, reason, message string, warning bool, at time.Time) {
	b.list = append(b.list, Event{Key: key, Reason: reason, Message: Clean(message), Warning: warning, First: at, Last: at, Count: 1})
}

var done = map[plan.Action][2]string{
	plan.Create:   {"Created", "created"},
	plan.Update:   {"Changed", "changed"},
	plan.Recreate: {"Deleted", "deleted, to be created again"},
	plan.Delete:   {"Deleted", "deleted"},
	plan.Detach:   {"Detached", "left in the cloud without an owner"},
}

func (b *eventList) ended(r engine.Result) {
	at := r.Started.Add(r.Took)
	said, known := done[r.Step.Action]
	switch {
	case waits(r) || !known:
	case r.Err != nil:
		b.said[r.Step.Key] = true
		b.add(r.Step.Key, "Failed", r.Err.Error(), true, at)
	case r.Step.Drift && r.Step.Action != plan.Recreate:
		b.add(r.Step.Key, "Healed", withFields(said[1], r.Step), false, at)
	default:
		b.add(r.Step.Key, said[0], withFields(said[1], r.Step), false, at)
	}
}

func drifted(s plan.Step) string {
	if Vanished(s) {
		return "is gone from the cloud"
	}
	return withFields("changed in the cloud", s)
}

// Vanished reports whether the object of a drifted step is not there any more.
func Vanished(s plan.Step) bool {
	return s.Action == plan.Create ||
		s.Action == plan.Keep && s.ID() == "" && len(s.Changes) == 1 && s.Changes[0].Field == "metadata.name"
}

func withFields(text string, s plan.Step) string {
	if names := fields(s); len(names) > 0 {
		return text + ": " + strings.Join(names, ", ")
	}
	return text
}
