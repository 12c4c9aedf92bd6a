package status

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// message returns the text for people that is shown with the state of an object.
func (s subject) message(state State) string {
	said := s.allTexts()
	switch {
	case said != "" || state != StateInSync:
		return said
	case s.Unmanaged():
		return "not managed"
	}
	return cmp.Or(s.lock(), s.ignoredText())
}

// allTexts joins all texts of the step, the pass and the cloud about the object, each text once.
func (s subject) allTexts() string {
	var said []string
	add := func(text string) {
		if text != "" && !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	add(s.DriftText())
	add(s.fault.Text)
	add(s.FullCause())
	add(s.changeText())
	if s.have != nil && s.Reported() {
		add("differs in " + fieldNames(s.Changes))
	}
	if len(s.uncounted) > 0 {
		add("differs in " + fieldNames(s.uncounted))
	}
	add(s.problems.sick)
	add(s.problems.crowded)
	add(s.problems.overdue)
	add(s.cloudMessage())
	return strings.Join(said, "; ")
}

// cloudMessage returns the cloud's message about the object; "" if the step contains it already.
func (s subject) cloudMessage() string {
	switch {
	case s.have == nil || s.have.Message != "" && s.Causes.Names(s.have.Message):
		return ""
	case s.have.Phase != kind.Ready:
		return cmp.Or(s.have.Message, string(s.have.Phase))
	}
	return s.have.Message
}

// changeText returns the text about the change that will be made.
func (s subject) changeText() string {
	switch s.Action {
	case plan.Create:
		return "to be created"
	case plan.Update:
		return s.updateText()
	case plan.Recreate:
		return "to be recreated"
	case plan.Delete:
		return "to be deleted"
	case plan.Detach:
		return "to be let go"
	case plan.Keep, plan.Wait, plan.Refuse:
	}
	return ""
}

// updateText returns the text about an update.
func (s subject) updateText() string {
	if s.OnlyNoted() {
		return "to be adopted; nothing changes"
	}
	return "to be changed: " + fieldNames(s.Known())
}

// waitText returns the reason of a step. If the step only waits for another object, the text is the same as K-ORC's.
func (s subject) waitText() string {
	if s.Action == plan.Wait && len(s.Awaits) == 1 && s.Causes.Is(cause.WaitsFor) {
		return "Waiting for " + s.Awaits[0].String() + " to be ready"
	}
	return s.FullCause()
}

// ignoredText returns a text with the fields that the annotation ignore-fields leaves to the cloud; "" if there are none.
func (s subject) ignoredText() string {
	if s.want == nil || len(s.want.Options.Ignore) == 0 {
		return ""
	}
	return "up to date, except for the fields that " + resolve.AnnotationIgnore + " excludes: " + strings.Join(s.want.Options.Ignore, ", ")
}

func fieldNames(changes []kind.Change) string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Field
	}
	return strings.Join(names, ", ")
}
