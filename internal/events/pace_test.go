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
	if len(looks) < 55 || len(looks) > 70 {
		t.Errorf("%d looks in an hour, the longest pause is a minute", len(looks))
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

// A clock that is set back does not stop looks.
func TestPaceClockSetBack(t *testing.T) {
	p, begin := Slow(), time.Unix(1e9, 0)
	p.Looked(begin)
	if wait, ok := p.Hint(begin.Add(-time.Hour)); wait != 0 || !ok {
		t.Errorf("%v %t", wait, ok)
	}
}
