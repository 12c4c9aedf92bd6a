package events

import "time"

// Pace decides when hints from the cloud start a pass. Hints that come together start one pass. While hints continue to
// arrive, the pauses between these passes grow. So a flood of messages, or the messages about the agent's own writes,
// cannot keep the agent busy. No hint is lost: a pass follows the last one. The zero value is not usable; see [Quick]
// and [Slow].
type Pace struct {
	Least, Most time.Duration // the shortest and the longest pause between two passes
	// Burst is the number of passes after which pauses begin to grow. Each [regain], one more is allowed.
	Burst int

	last    time.Time     // the start of the last pass for a hint
	pause   time.Duration // the present pause between two passes
	used    time.Duration // the time in which the passes that were taken from the burst are regained
	pending bool
}

// regain is the time after which one more pass of a burst is allowed.
const regain = 10 * time.Second

// Quick is the pace for hints that name a stack's object or project. A person who changes many objects in a few minutes, and the services that act
// for this person, are within the burst.
func Quick() Pace { return Pace{Least: time.Second, Most: time.Minute, Burst: 60} }

// Poked is the pace for hints from outside of the cloud, which name nothing. Each of them starts a whole pass.
func Poked() Pace { return Pace{Least: time.Second, Most: time.Minute} }

// Slow is the pace for hints that may be about any stack.
func Slow() Pace { return Pace{Least: 15 * time.Second, Most: 5 * time.Minute} }

// calm is the number of pauses without a hint after which the pauses are short again, if they are longer than regain.
const calm = 4

// isCalm reports whether the pass that begins now follows the last one after so much time that the burst is regained, too. Otherwise hints that come
// every few seconds would never lead to longer pauses.
func (p *Pace) isCalm(since time.Duration) bool { return since >= max(calm*p.pause, regain) }

// Hint stores a hint, and returns how long to wait until the pass. ok is false if a pass is due already, so that nothing more has to be done.
func (p *Pace) Hint(now time.Time) (wait time.Duration, ok bool) {
	if p.pending {
		return 0, false
	}
	p.pending = true
	since := now.Sub(p.last)
	switch {
	case p.last.IsZero(), since < 0, p.isCalm(since): // the clock may have been set back
		p.pause = p.Least
		return 0, true
	case since >= p.pause:
		return 0, true
	}
	return p.pause - since, true
}

// Looked records that the pass for the stored hint begins.
func (p *Pace) Looked(now time.Time) {
	since := now.Sub(p.last)
	if !p.last.IsZero() && since >= 0 {
		p.used = max(0, p.used-since)
	}
	switch {
	case p.pause == p.Least && p.used+regain <= time.Duration(p.Burst)*regain:
		p.used += regain
	case !p.last.IsZero() && since >= 0 && !p.isCalm(since):
		p.pause = min(2*p.pause, p.Most)
	}
	p.last, p.pending = now, false
}
