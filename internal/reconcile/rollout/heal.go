package rollout

import (
	"fmt"
	"slices"
	"time"
)

// Cure is the action for a member that does not serve. It is the name of a way that the kind of the member's
// machine offers, [Replace], or "" for none.
type Cure string

// Replace deletes the member's machine and creates another one.
const Replace Cure = "replace"

// Heal is how members are brought back that do not serve and need no change. The zero value brings none back.
type Heal struct {
	// Down has the cure for a member that is down, by the word that the cloud's objects have for that state. Silent is
	// the cure for a member that does not answer its probes.
	Down   map[string]Cure
	Silent Cure
	// After is how long a member must not have served before it is healed. The time is twice as long after it was
	// healed once, and four times after twice. A healing no longer counts once it is an hour old and the member
	// serves.
	After time.Duration
	// PerHour is the number of times that members of the group are healed within an hour, at most.
	PerHour int
	// MaxSick is the largest number of members that may not serve while members are still healed. With more, the cause
	// is not a single member.
	MaxSick Amount
}

// Patient is what is known of a member that may have to be healed.
type Patient struct {
	// Away is true of a member that does not exist, is being created, or is being healed.
	Away bool
	// Changes is true of a member that is changed now, without waiting for its turn. It counts, and is not healed.
	Changes bool
	// Down is the cloud's word for a member that is down; Silent is true of a member that does not answer.
	// Neither is set for a member that serves. A member that is down does not answer either: its cure depends
	// on Down.
	Down   string
	Silent bool
	// Accused is true of a member that something else reports not to serve, such as its load balancer or its cluster. It
	// counts, and no cure follows from that.
	Accused bool
	// Since is when this state was first seen.
	Since time.Time
	// Healed are the times when the member was healed: within the last hour, and earlier ones for as long as it has not
	// served since.
	Healed []time.Time
}

// Cured is what is done about the members of a group now.
type Cured struct {
	Cures []Cure // in the order of the members
	// Held says why members that would be healed are not; "" if there are none.
	Held string
}

func (h Heal) cure(p Patient) Cure {
	if p.Silent && p.Down == "" {
		return h.Silent
	}
	return h.Down[p.Down]
}

// Treat decides which members to heal. At most atOnce members are away for that at the same time.
func (h Heal) Treat(patients []Patient, atOnce int, now time.Time) Cured {
	out := Cured{Cures: make([]Cure, len(patients))}
	sick, away, healed := 0, 0, 0
	for _, p := range patients {
		switch {
		case p.Away, h.treated(p, now):
			away++
		case p.Down != "" || p.Silent || p.Accused:
			sick++
		}
		healed += recent(p.Healed, now)
	}
	for i, p := range patients {
		cure := h.cure(p)
		if p.Away || p.Changes || h.treated(p, now) || cure == "" || h.due(p).After(now) {
			continue
		}
		switch limit := h.most(len(patients)); {
		case sick+away > limit:
			out.Held = fmt.Sprintf("%d of %d members do not serve, more than %d, so none is healed: the cause is probably not a single member", sick+away, len(patients), limit)
		case healed >= h.PerHour:
			out.Held = fmt.Sprintf("members were healed %d times within an hour, and no more is allowed", healed)
		case away < max(1, atOnce):
			out.Cures[i] = cure
			away, healed, sick = away+1, healed+1, sick-1
		}
	}
	return out
}

// due returns when a member is to be healed.
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

// treated reports whether an earlier cure of a member may still help.
func (h Heal) treated(p Patient, now time.Time) bool {
	return slices.ContainsFunc(p.Healed, func(t time.Time) bool { return now.Sub(t) < h.pause() })
}

// pause returns how much time a member has to serve again.
func (h Heal) pause() time.Duration { return max(h.After, time.Minute) }

// most returns how many of a number of members may not serve. A share allows at least one.
func (h Heal) most(members int) int {
	if h.MaxSick.Share {
		return max(1, members*h.MaxSick.Percent/100)
	}
	return h.MaxSick.Count
}

// recent counts the times within the last hour.
func recent(times []time.Time, now time.Time) (n int) {
	for _, t := range times {
		if now.Sub(t) < time.Hour {
			n++
		}
	}
	return n
}
