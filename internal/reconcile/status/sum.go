package status

import (
	"cmp"
	"fmt"
)

// summary returns the status of a workload: the gravest state of its parts, and all their addresses.
func summary(parts []*Object) Status {
	out := Status{State: StateInSync, Sync: StateInSync, Conditions: summaryConditions(parts)}
	fine, seen := 0, map[string]bool{}
	for _, part := range parts {
		s := part.Status
		for _, a := range s.Addresses {
			if !seen[a] {
				seen[a], out.Addresses = true, append(out.Addresses, a)
			}
		}
		out.Health = out.Health.Worse(s.Health)
		if s.Sync.gravity() < out.Sync.gravity() {
			out.Sync = s.Sync
		}
		if s.State.Fine() {
			fine++
		}
		if !s.unmanaged && !s.Made.IsZero() && (out.Made.IsZero() || s.Made.Before(out.Made)) {
			out.Made = s.Made
		}
		if s.State.gravity() < out.State.gravity() {
			out.State, out.WaitsFor, out.worst = s.State, s.WaitsFor, cmp.Or(s.worst, part.name()+": "+s.Message)
		}
	}
	out.Health = cmp.Or(out.Health, HealthGood)
	out.Message = out.worst
	if more := len(parts) - fine - 1; more > 0 {
		out.Message += fmt.Sprintf(" (and %d more of its %d parts)", more, len(parts))
	}
	return out
}

// withReady adds the values that follow from the condition Available: the condition Ready, and the number of members that can be used.
func (s Status) withReady(members []*Object) Status {
	ready := s.Conditions[0]
	ready.Type = "Ready"
	s.Conditions = append(s.Conditions, ready)
	switch {
	case members != nil:
		for _, m := range members {
			s.able, s.members = s.able+m.Status.able, s.members+m.Status.members
		}
	case ready.Status == "True":
		s.able, s.members = 1, 1
	default:
		s.members = 1
	}
	s.Ready = fmt.Sprintf("%d/%d", s.able, s.members)
	if members == nil && ready.Status == "Unknown" {
		s.Ready = "?/1"
	}
	return s
}

func (o *Object) name() string { return o.Kind + "/" + o.Metadata.Name }

// summaryConditions derives a workload's conditions from its parts. It is available if all parts are available, and progressing if one part is
// progressing. The reason is the reason of the worst part.
func summaryConditions(parts []*Object) []Condition {
	can := Condition{Type: "Available", Status: "True", Reason: ReasonSuccess}
	going := Condition{Type: "Progressing", Status: "False", Reason: ReasonSuccess, Message: upToDate}
	ready := 0
	for _, part := range parts {
		a, p := part.Status.Conditions[0], part.Status.Conditions[1]
		name := part.name()
		if a.Status == "True" {
			ready++
		}
		if isWorse(a.Reason, can.Reason) {
			can.Status, can.Reason, can.Message = a.Status, a.Reason, name+": "+a.Message
		}
		if p.Status == "True" {
			going.Status = "True"
		}
		if isWorse(p.Reason, going.Reason) {
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
