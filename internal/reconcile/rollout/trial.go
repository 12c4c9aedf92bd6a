package rollout

import (
	"math"
	"slices"
	"time"
)

// Some members are changed before others to find out whether the change works. A canary ends automatically once those members have served
// for some time. A pause lasts until people end it.

// changed reports whether a member is, or will be, up to date.
func (m Member) changed() bool { return !m.Spare && (m.Health == Away || !m.Changes) }

// pause finds the members that are not changed because enough others have been changed. If it can choose, it pauses the members that serve.
func (g *group) pause() {
	if g.PauseAfter == 0 || g.Type == OnDelete || g.Type == Recreate {
		return
	}
	room := g.PauseAfter
	for _, m := range g.members {
		if m.changed() {
			room--
		}
	}
	paused := map[int]bool{}
	for _, serving := range []bool{false, true} {
		for i, m := range g.members {
			if m.Spare || m.changed() || i < g.Partition || g.available(i) != serving {
				continue
			}
			room--
			paused[i] = room < 0
		}
	}
	g.paused = paused
}

// setTrials computes the number of members that may be changed before the first ones have served for long enough.
func (g *group) setTrials() {
	g.trials = math.MaxInt
	if g.Canary.Members == 0 || g.Type == OnDelete || g.Type == Recreate {
		return
	}
	changed, proven := 0, 0
	for i, m := range g.members {
		if !m.changed() {
			continue
		}
		changed++
		if g.available(i) && !g.provenAt(m).After(g.now) {
			proven++
		}
	}
	if proven < g.Canary.Members {
		g.trials = g.Canary.Members - changed
	}
}

// provenAt returns the time when a member will have served for as long as a canary must.
func (g *group) provenAt(m Member) time.Time {
	return m.Since.Add(g.Canary.For)
}

// canary returns the member that the members after the canary wait for, and the time until which they wait; -1 if there is no such member.
func (g *group) canary() (at int, until time.Time) {
	var open []int
	for i, m := range g.members {
		if m.changed() {
			open = append(open, i)
		}
	}
	slices.SortStableFunc(open, func(a, b int) int { return g.provenAt(g.members[a]).Compare(g.provenAt(g.members[b])) })
	if len(open) < g.Canary.Members {
		return -1, time.Time{}
	}
	at = open[g.Canary.Members-1]
	return at, g.provenAt(g.members[at])
}
