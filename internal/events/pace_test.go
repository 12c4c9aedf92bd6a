package events

import (
	"testing"
	"time"
)

// storm gives a pace a hint each step for a time, and returns the times of the looks since the begin.
func storm(p *Pace, begin time.Time, step, long time.Duration) (looks []time.Duration) {
	var due time.Time
	for at := time.Duration(0); at <= long; at += step {
		now := begin.Add(at)
		if !due.IsZero() && !now.Before(due) {
			p.Looked(now)
			looks, due = append(looks, at), time.Time{}
		}
		if wait, ok := p.Hint(now); ok {
			due = now.Add(wait)
			if wait == 0 {
				p.Looked(now)
				looks, due = append(looks, at), time.Time{}
			}
		}
	}
	if !due.IsZero() {
		p.Looked(due)
		looks = append(looks, due.Sub(begin))
	}
	return looks
}

func TestPaceFirstHintAtOnce(t *testing.T) {
	p, begin := Quick(), time.Unix(1e9, 0)
	if wait, ok := p.Hint(begin); wait != 0 || !ok {
		t.Errorf("%v %t", wait, ok)
	}
	if _, ok := p.Hint(begin); ok {
		t.Error("a second hint announces another look before the first")
	}
	p.Looked(begin)
	if wait, ok := p.Hint(begin.Add(300 * time.Millisecond)); wait != 700*time.Millisecond || !ok {
		t.Errorf("%v %t after 300 ms", wait, ok)
	}
}

// In an hour with a hint each 100 ms, the pauses grow to the longest one. After a calm, they are short again.
func TestAttackPaceStorm(t *testing.T) {
	p, begin := Quick(), time.Unix(1e9, 0)
	looks := storm(&p, begin, 100*time.Millisecond, time.Hour)
	if burst := p.Burst; len(looks) < burst+55 || len(looks) > burst+80 {
		t.Errorf("%d looks in an hour, the burst is %d and the longest pause a minute", len(looks), burst)
	}
	for i := range looks[1:] {
		if pause := looks[i+1] - looks[i]; pause < time.Second || pause > time.Minute+time.Second {
			t.Errorf("a pause of %v", pause)
		}
	}
	if last := looks[len(looks)-1]; last < time.Hour {
		t.Errorf("the last look is at %v, before the last hint", last)
	}
	later := begin.Add(2 * time.Hour)
	if wait, ok := p.Hint(later); wait != 0 || !ok {
		t.Errorf("%v %t after a calm", wait, ok)
	}
	p.Looked(later)
	if wait, _ := p.Hint(later); wait != time.Second {
		t.Errorf("a pause of %v after a calm", wait)
	}
}

// Hints that come every few seconds lead to longer pauses, too. In a project where something changes all the time, a probe notices a change every
// 5 s.
func TestAttackPaceSlowStorm(t *testing.T) {
	for _, step := range []time.Duration{2 * time.Second, busyProbe, calmProbe} {
		p := Quick()
		looks := storm(&p, time.Unix(1e9, 0), step, 4*time.Hour)
		late := 0
		for _, at := range looks {
			if at > 3*time.Hour {
				late++
			}
		}
		if late > 70 {
			t.Errorf("a hint every %s: %d looks in the fourth hour", step, late)
		}
	}
}

// The first looks of a burst follow each other with the shortest pause. Somebody who changes something every ten seconds never waits longer.
func TestPaceBurst(t *testing.T) {
	p, begin := Quick(), time.Unix(1e9, 0)
	for i, at := range storm(&p, begin, 100*time.Millisecond, time.Minute)[:p.Burst] {
		if want := time.Duration(i) * time.Second; at != want {
			t.Fatalf("look %d is at %v, want %v", i, at, want)
		}
	}
	p, now := Quick(), begin
	for range 1000 {
		if wait, ok := p.Hint(now); wait != 0 || !ok {
			t.Fatalf("%v %t after %v", wait, ok, now.Sub(begin))
		}
		p.Looked(now)
		now = now.Add(regain)
	}
	p = Poked()
	if looks := storm(&p, begin, 100*time.Millisecond, time.Hour); len(looks) > 70 {
		t.Errorf("%d looks in an hour without a burst", len(looks))
	}
}

// A clock that is set back does not stop looks.
func TestPaceClockSetBack(t *testing.T) {
	p, begin := Slow(), time.Unix(1e9, 0)
	p.Looked(begin)
	if wait, ok := p.Hint(begin.Add(-time.Hour)); wait != 0 || !ok {
		t.Errorf("%v %t", wait, ok)
	}
}
