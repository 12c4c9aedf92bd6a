package rollout

import (
	"fmt"
	"slices"
	"time"
)

// Cure is what is done about a member that does not serve: the name of a way that the kind of what does its work
// offers, [Replace], or "" for nothing.
type Cure string

// Replace deletes what does the work of a member, and makes another one.
const Replace Cure = "replace"

// Heal is how members that do not serve, and need no change, are brought back. The zero value brings none back.
type Heal struct {
	// Down is done about a member that is down, by the word that the cloud's objects have for it; Silent about one that
	// does not answer its probes.
	Down   map[string]Cure
	Silent Cure
	// After is how long a member must not have served before anything is done about it: twice as long after it was
	// healed once, four times after twice, until it serves or an hour has passed.
	After time.Duration
	// PerHour is how often members of the group are healed within an hour.
	PerHour int
	// MaxSick is how many members may not serve for any to be healed. When there are more, no member is the reason.
	MaxSick Amount
}

// Patient is what is known of a member that may have to be healed.
type Patient struct {
	// Away is true of one that is not there, is being made, or is being healed.
	Away bool
	// Changes is true of one that is changed now, and not only in its turn: it counts, and is not healed.
	Changes bool
	// Down is the word for what it is, or Silent is true; neither of one that serves. One that is down does not
	// answer either: what is done about it follows from why.
	Down   string
	Silent bool
	// Accused is true of one that something else reports not to serve, such as a load balancer or the cluster that it is in: it
	// counts, and no way of bringing it back follows from that.
	Accused bool
	// Since is when it was first seen so.
	Since time.Time
	// Healed are the times when something was done about it: within the last hour, and before that as long as it has not
	// served since.
	Healed []time.Time
}

// Cured is what is done about the members of a group now.
type Cured struct {
	Cures []Cure // in the order of the members
	// Held says why nothing is done about members that would be healed; "" when that is not so.
	Held string
}

func (h Heal) cure(p Patient) Cure {
	if p.Silent && p.Down == "" {
		return h.Silent
	}
	return h.Down[p.Down]
}

// Treat decides whom to heal. At most so many are at the same time.
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
			out.Held = fmt.Sprintf("%d of %d members do not serve, more than %d: none is healed, since no member is likely to be the reason", sick+away, len(patients), limit)
		case healed >= h.PerHour:
			out.Held = fmt.Sprintf("members were healed %d times within an hour, and no more is allowed", healed)
		case away < max(1, atOnce):
			out.Cures[i] = cure
			away, healed, sick = away+1, healed+1, sick-1
		}
	}
	return out
}

// due is when something is to be done about a member.
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

// treated reports whether what was done about a member may still help it.
func (h Heal) treated(p Patient, now time.Time) bool {
	return slices.ContainsFunc(p.Healed, func(t time.Time) bool { return now.Sub(t) < h.pause() })
}

// pause is how long a member is given to serve again.
func (h Heal) pause() time.Duration { return max(h.After, time.Minute) }

// most is how many of so many members may not serve: one at least.
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
