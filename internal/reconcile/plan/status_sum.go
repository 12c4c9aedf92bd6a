package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// summary is the status of a workload: the gravest state of its parts, and all
// their addresses.
func summary(parts []*ObjectStatus) Status {
	out := Status{State: StateInSync, Conditions: sumUp(parts)}
	fine, seen := 0, map[string]bool{}
	for _, part := range parts {
		s := part.Status
		for _, a := range s.Addresses {
			if !seen[a] {
				seen[a], out.Addresses = true, append(out.Addresses, a)
			}
		}
		if s.State.Fine() {
			fine++
		}
		if s.State.gravity() < out.State.gravity() {
			out.State, out.WaitsFor, out.worst = s.State, s.WaitsFor, cmp.Or(s.worst, part.name()+": "+s.Message)
		}
	}
	out.Message = out.worst
	if more := len(parts) - fine - 1; more > 0 {
		out.Message += fmt.Sprintf(" (and %d more of its %d parts)", more, len(parts))
	}
	return out
}

func (o *ObjectStatus) name() string { return o.Kind + "/" + o.Metadata.Name }

// sumUp gives a workload the conditions of its parts: available when all of
// them are, progressing when one of them is, and the reason of the worst.
func sumUp(parts []*ObjectStatus) []Condition {
	can := Condition{Type: "Available", Status: "True", Reason: reasonSuccess}
	going := Condition{Type: "Progressing", Status: "False", Reason: reasonSuccess, Message: "OpenStack resource is up to date"}
	ready := 0
	for _, part := range parts {
		a, p := part.Status.Conditions[0], part.Status.Conditions[1]
		name := part.name()
		if a.Status == "True" {
			ready++
		}
		if graver(a.Reason, can.Reason) {
			can.Status, can.Reason, can.Message = a.Status, a.Reason, name+": "+a.Message
		}
		if p.Status == "True" {
			going.Status = "True"
		}
		if graver(p.Reason, going.Reason) {
			going.Reason, going.Message = p.Reason, name+": "+p.Message
		}
	}
	count := fmt.Sprintf("%d of %d parts are available", ready, len(parts))
	if can.Message != "" {
		count += "; " + can.Message
	}
	can.Message = count
	return []Condition{can, going}
}

func graver(a, b string) bool {
	order := []string{reasonSuccess, reasonProgressing, reasonTransient, reasonInvalid, reasonFatal}
	return slices.Index(order, a) > slices.Index(order, b)
}
