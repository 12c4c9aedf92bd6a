package events

import "time"

// Pace decides when hints from the cloud start a pass. Hints that come together start one pass. While hints continue to
// arrive, the pauses between these passes grow. So a flood of messages, or the messages about the agent's own writes,
// cannot keep the agent busy. No hint is lost: a pass follows the last one. The zero value is not usable; see [Quick]
// and [Slow].
type Pace struct {
	Least, Most time.Duration // the shortest and the longest pause between two passes

	last    time.Time     // the start of the last pass for a hint
	pause   time.Duration // the present pause between two passes
	pending bool
}

// Quick is the pace for hints that name a stack's object or project.
func Quick() Pace { return Pace{Least: time.Second, Most: time.Minute} }

// Slow is the pace for hints that may be about any stack.
func Slow() Pace { return Pace{Least: 15 * time.Second, Most: 5 * time.Minute} }

// calm is the number of pauses without a hint after which the pauses are short again.
const calm = 4

// Hint stores a hint, and returns how long to wait until the pass. ok is false if a pass is due already, so that nothing more has to be done.
func (p *Pace) Hint(now time.Time) (wait time.Duration, ok bool) {
	if p.pending {
		return 0, false
	}
	p.pending = true
	since := now.Sub(p.last)
	switch {
	case p.last.IsZero(), since < 0, since >= calm*p.pause: // the clock may have been set back
		p.pause = p.Least
		return 0, true
	case since >= p.pause:
		return 0, true
	}
	return p.pause - since, true
}

// Looked records that the pass for the stored hint begins.
func (p *Pace) Looked(now time.Time) {
	if since := now.Sub(p.last); !p.last.IsZero() && since >= 0 && since < calm*p.pause {
		p.pause = min(2*p.pause, p.Most)
	}
	p.last, p.pending = now, false
}
