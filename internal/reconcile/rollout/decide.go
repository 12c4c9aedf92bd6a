package rollout

import "time"

// Health is the state of a member.
type Health int

// These are the states, from the worst to the best.
const (
	Away    Health = iota // the member does not exist, is being created, is about to be healed, or is broken for good.
	Sick                  // the member exists, but the cloud, its users or its probes report that it does not serve, or a part of it is missing.
	Serving               // nothing reports that the member does not serve.
)

// Member is one member of a group.
type Member struct {
	Health Health
	// Since is the time when the member began to run. If it is unknown, it is zero, which counts as long ago.
	Since time.Time
	// Changes is true if the member differs from its template, and the change would interrupt it.
	Changes bool
	// Spare is true if the group has this member only while others are interrupted.
	Spare bool
	// Stays is true if the member must not be interrupted for a change. Last is true if the member may be interrupted only when no other
	// can be.
	Stays, Last bool
}

// Verdict is the permission for a change of a member.
type Verdict int

// The verdicts.
const (
	Go    Verdict = iota // the member may be changed now, if there is anything to change
	Wait                 // the member is changed later
	Leave                // the strategy does not allow a change of the member
)

// Decision is the permission for changes of a group's members.
type Decision struct {
	// Verdicts are the verdicts about the members, in the order of the members.
	Verdicts []Verdict
	// Awaited is the index of the first member that waiting members are waiting for. It is -1 if they wait only for members that are
	// changed now.
	Awaited int
	// Until is the time when the awaited member will have served for the required time, For. It is zero if the member lacks something else.
	Until time.Time
	For   time.Duration
	// Spares is the number of spare members that the group needs now.
	Spares int
}

// Decide returns which members may be interrupted. members starts with the members that are not spare, in the order of their numbers.
func Decide(s Strategy, members []Member, now time.Time) Decision {
	g := group{Strategy: s, members: members, now: now}
	g.pause()
	g.count()
	g.setTrials()
	d := Decision{Verdicts: make([]Verdict, len(members)), Awaited: -1, Spares: g.sparesNeeded()}
	for _, i := range inOrder(members) {
		switch m := members[i]; {
		case m.Health == Away || s.Type == Recreate:
			d.Verdicts[i] = Go
		case g.unchanged(i):
			d.Verdicts[i] = Leave
		case m.Changes && !g.available(i) && g.mayChange():
			g.changing++
			g.trials--
		case m.Changes:
			d.Verdicts[i] = Wait
		}
	}
	for _, i := range inOrder(members) {
		if d.Verdicts[i] == Wait && g.available(i) && g.mayInterrupt() {
			d.Verdicts[i] = Go
			g.serving--
			g.trials--
		}
	}
	if d.Awaited, d.Until = g.awaited(); !d.Until.IsZero() {
		d.For = g.MinReady
	}
	if d.Awaited < 0 && g.trials <= 0 {
		d.Awaited, d.Until = g.canary()
		d.For = g.Canary.For
	}
	return d
}

// group contains the members and their counts.
type group struct {
	Strategy
	members []Member
	now     time.Time

	wanted      int // members that are not spare.
	serving     int // members, including spare ones, that have served for long enough.
	lacking     int // wanted members that do not serve for long enough, and are or will be up to date.
	changing    int // wanted members that do not exist, or that have not served for long enough since they were changed.
	outstanding int // wanted members that must be changed.
	spares      int // spare members that exist.
	doubtful    int // members that are up to date, exist and do not serve.

	paused map[int]bool // members that are not changed because enough members have been changed.
	trials int          // number of members that may still be changed before the first ones have served for long enough.
}

func (g *group) count() {
	for i, m := range g.members {
		available, left := g.available(i), m.Changes && g.unchanged(i) && m.Health != Away
		if available {
			g.serving++
		}
		if m.Health == Sick && !m.Changes {
			g.doubtful++
		}
		if m.Spare {
			if m.Health != Away {
				g.spares++
			}
			continue
		}
		g.wanted++
		if m.Changes && !left {
			g.outstanding++
		}
		if !available && !left {
			g.lacking++
			if m.Health == Away || !m.Changes {
				g.changing++
			}
		}
	}
}

// available reports whether a member has served for long enough.
func (g *group) available(i int) bool {
	return g.members[i].Serves(g.MinReady, g.now)
}

// Serves reports whether a member has served for minReady.
func (m Member) Serves(minReady time.Duration, now time.Time) bool {
	return m.Health == Serving && (minReady == 0 || !m.Since.Add(minReady).After(now))
}

// unchanged reports whether an existing member is not changed.
func (g *group) unchanged(i int) bool {
	return !g.members[i].Spare && (g.Type == OnDelete || i < g.Partition || g.paused[i] || g.members[i].Stays)
}

// mayChange reports whether one more member that does not serve may be changed.
func (g *group) mayChange() bool {
	return g.doubtful == 0 && g.trials > 0 && g.changing < max(1, g.Unavailable(g.wanted))
}

// mayInterrupt reports whether one more member that serves may be interrupted.
func (g *group) mayInterrupt() bool {
	return g.doubtful == 0 && g.trials > 0 && g.serving > g.wanted-g.Unavailable(g.wanted)
}

// sparesNeeded returns the number of spare members that must exist, from the first change until all members serve.
func (g *group) sparesNeeded() int {
	if g.outstanding == 0 && (g.lacking == 0 || g.spares == 0) {
		return 0
	}
	return min(g.Surge(g.wanted), max(g.outstanding+g.lacking, g.spares))
}

// awaited returns the member that the others must wait for before they are changed. until is set if only time is missing. A member that is
// away is returned first, then one that does not serve, then the youngest.
func (g *group) awaited() (at int, until time.Time) {
	at = -1
	for i, m := range g.members {
		switch {
		case m.Health == Away:
			return i, time.Time{}
		case m.Changes && !g.unchanged(i) || g.available(i):
		case m.Health == Sick && (at < 0 || !until.IsZero()):
			at, until = i, time.Time{}
		case m.Health == Serving && (at < 0 || !until.IsZero() && m.Since.Add(g.MinReady).After(until)):
			at, until = i, m.Since.Add(g.MinReady)
		}
	}
	return at, until
}
