package rollout

import "time"

// Health is what can be said of a member.
type Health int

// From the worst to the best.
const (
	Away    Health = iota // it is not there, is being made, or is broken for good
	Sick                  // it is there, and what uses it or watches it says that it does not serve
	Serving               // nothing is known against it
)

// Member is one of those that a group consists of.
type Member struct {
	Health Health
	// Since is when it began to work; the zero time where that is not known, and then it is long ago.
	Since time.Time
	// Changes is true when it is not as wanted, and to change it would interrupt it.
	Changes bool
	// Spare is true of one that the group has only while others are interrupted.
	Spare bool
	// Stays is true of one that is not interrupted for a change, Last of one that is when no other can be.
	Stays, Last bool
}

// Verdict is what a member may do now.
type Verdict int

// The verdicts.
const (
	Go    Verdict = iota // it is changed, if there is anything to change
	Wait                 // it is changed later
	Leave                // the strategy leaves it as it is
)

// Decision is what the members of a group may do now.
type Decision struct {
	// Verdicts are about the members, in their order.
	Verdicts []Verdict
	// Awaited is the first member that those who wait are waiting for; -1 when they wait only
	// for those that go.
	Awaited int
	// Until is when the awaited member has worked for long enough, which is For; the zero time when it
	// lacks something else.
	Until time.Time
	For   time.Duration
	// Spares is how many further members the group needs now.
	Spares int
}

// Decide says which members may be interrupted. Members that are not spare come first, in
// the order of their numbers.
func Decide(s Strategy, members []Member, now time.Time) Decision {
	g := group{Strategy: s, members: members, now: now}
	g.pause()
	g.count()
	g.try()
	d := Decision{Verdicts: make([]Verdict, len(members)), Awaited: -1, Spares: g.needs()}
	for _, i := range inOrder(members) {
		switch m := members[i]; {
		case m.Health == Away || s.Type == Recreate:
			d.Verdicts[i] = Go
		case g.leaves(i):
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
		d.Awaited, d.Until = g.tried()
		d.For = g.Canary.For
	}
	return d
}

// group is what is counted of the members.
type group struct {
	Strategy
	members []Member
	now     time.Time

	wanted      int // members that are not spare
	serving     int // members, spare ones too, that have worked for long enough
	lacking     int // wanted ones that have not, and are or will be as wanted
	changing    int // wanted ones of which nothing works, or that do not work yet since they were changed
	outstanding int // wanted ones that are to be changed
	spares      int // spare ones that are there
	doubtful    int // members that are as wanted, are there and do not serve

	paused map[int]bool // members that are left as they are because enough have been changed
	trials int          // how many more may be changed before the first ones have worked for long enough
}

func (g *group) count() {
	for i, m := range g.members {
		available, left := g.available(i), m.Changes && g.leaves(i) && m.Health != Away
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

// available reports whether a member has worked for long enough.
func (g *group) available(i int) bool {
	return g.members[i].Serves(g.MinReady, g.now)
}

// Serves reports whether a member has worked for so long.
func (m Member) Serves(minReady time.Duration, now time.Time) bool {
	return m.Health == Serving && (minReady == 0 || !m.Since.Add(minReady).After(now))
}

// leaves reports whether a member that is there stays as it is.
func (g *group) leaves(i int) bool {
	return !g.members[i].Spare && (g.Type == OnDelete || i < g.Partition || g.paused[i] || g.members[i].Stays)
}

// mayChange reports whether one more member that does not serve anyway may be changed.
func (g *group) mayChange() bool {
	return g.doubtful == 0 && g.trials > 0 && g.changing < max(1, g.Unavailable(g.wanted))
}

// mayInterrupt reports whether one more member that serves may be interrupted.
func (g *group) mayInterrupt() bool {
	return g.doubtful == 0 && g.trials > 0 && g.serving > g.wanted-g.Unavailable(g.wanted)
}

// needs is how many further members there shall be: from the first change until all members serve.
func (g *group) needs() int {
	if g.outstanding == 0 && (g.lacking == 0 || g.spares == 0) {
		return 0
	}
	return min(g.Surge(g.wanted), max(g.outstanding+g.lacking, g.spares))
}

// awaited is the member that keeps others from being changed, and until when if only time is
// missing: one that is away, else one that does not serve, else the youngest.
func (g *group) awaited() (at int, until time.Time) {
	at = -1
	for i, m := range g.members {
		switch {
		case m.Health == Away:
			return i, time.Time{}
		case m.Changes && !g.leaves(i) || g.available(i):
		case m.Health == Sick && (at < 0 || !until.IsZero()):
			at, until = i, time.Time{}
		case m.Health == Serving && (at < 0 || !until.IsZero() && m.Since.Add(g.MinReady).After(until)):
			at, until = i, m.Since.Add(g.MinReady)
		}
	}
	return at, until
}
