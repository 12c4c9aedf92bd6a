package rollout

import (
	"fmt"
	"slices"
	"time"
)

// Cure is the action for a member that does not serve. It is the name of a way to heal that the kind of the member's machine offers. It is
// [Replace] for a new machine, or "" if there is none.
type Cure string

// Replace deletes the member's machine and creates another one.
const Replace Cure = "replace"

// Heal configures the healing of members that do not serve and need no change. The zero value heals none.
type Heal struct {
	// Down contains the cures for a member that is down, by the word that the cloud's objects have for that state. Silent is the cure for a
	// member that does not answer its probes.
	Down   map[string]Cure
	Silent Cure
	// After is the time for which a member must not have served before it is healed. The time doubles with each healing. A healing does not
	// count any more once it is an hour old and the member serves.
	After time.Duration
	// PerHour is the maximum number of healings in the group within an hour.
	PerHour int
	// MaxSick is the largest number of members out of service with which members are healed. If more do not serve, none is healed, because
	// the cause is not a single member.
	MaxSick Amount
}

// Patient contains the facts about a member that may have to be healed.
type Patient struct {
	// Away is true if the member does not exist, is being created, or is being healed.
	Away bool
	// Changes is true if the member is changed now, without waiting for its turn. If it does not serve, it counts as sick, but it is not
	// healed.
	Changes bool
	// Down is the cloud's word for a member that is down. Silent is true if the member does not answer. A member that serves has neither. A
	// member that is down does not answer either, but its cure depends only on Down.
	Down   string
	Silent bool
	// Accused is true if something else reports that the member does not serve, such as its load balancer or its cluster. The member counts
	// as sick, but that is no reason to heal it.
	Accused bool
	// Since is when this state was first seen.
	Since time.Time
	// Healed are the times when the member was healed within the last hour. They also contain earlier times, if the member has not served
	// since.
	Healed []time.Time
}

// Treatment is the decision about healing the members of a group now.
type Treatment struct {
	Cures []Cure // in the order of the members
	// Held says that too many members are sick, or that too many were healed, so that no more are healed now; "" if neither is so.
	Held string
}

func (h Heal) cure(p Patient) Cure {
	if p.Silent && p.Down == "" {
		return h.Silent
	}
	return h.Down[p.Down]
}

// Treat decides which members to heal. No member is healed while atOnce members, or one if atOnce is 0, are away for any reason.
func (h Heal) Treat(patients []Patient, atOnce int, now time.Time) Treatment {
	out := Treatment{Cures: make([]Cure, len(patients))}
	sick, away, healed := 0, 0, 0
	for _, p := range patients {
		switch {
		case p.Away, h.inTreatment(p, now):
			away++
		case p.Down != "" || p.Silent || p.Accused:
			sick++
		}
		healed += countRecent(p.Healed, now)
	}
	for i, p := range patients {
		cure := h.cure(p)
		if p.Away || p.Changes || h.inTreatment(p, now) || cure == "" || h.due(p).After(now) {
			continue
		}
		switch limit := h.maxSick(len(patients)); {
		case sick+away > limit:
			out.Held = fmt.Sprintf("%d of %d members do not serve, which is more than %d, so no member is healed: the cause is probably not a single member", sick+away, len(patients), limit)
		case healed >= h.PerHour:
			out.Held = fmt.Sprintf("members were healed %d times within an hour, which is the limit", healed)
		case away < max(1, atOnce):
			out.Cures[i] = cure
			away, healed, sick = away+1, healed+1, sick-1
		}
	}
	return out
}

// due returns the time at which a member must be healed.
func (h Heal) due(p Patient) time.Time {
	since, wait := p.Since, h.After
	if n := len(p.Healed); n > 0 {
		wait = h.pause() << min(n, 10)
		if last := slices.MaxFunc(p.Healed, time.Time.Compare); last.After(since) {
			since = last
		}
	}
	return since.Add(wait)
}

// inTreatment reports whether an earlier cure of a member may still help.
func (h Heal) inTreatment(p Patient, now time.Time) bool {
	return slices.ContainsFunc(p.Healed, func(t time.Time) bool { return now.Sub(t) < h.pause() })
}

// pause returns the time that a healed member has until it must serve again.
func (h Heal) pause() time.Duration { return max(h.After, time.Minute) }

// maxSick returns the largest number of members out of service with which members are healed. If it is a share, it is at least one.
func (h Heal) maxSick(members int) int {
	if h.MaxSick.Share {
		return max(1, members*h.MaxSick.Percent/100)
	}
	return h.MaxSick.Count
}

// countRecent returns the number of times within the last hour.
func countRecent(times []time.Time, now time.Time) (n int) {
	for _, t := range times {
		if now.Sub(t) < time.Hour {
			n++
		}
	}
	return n
}
