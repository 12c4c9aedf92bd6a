package listen

import (
	"testing"
	"time"
)

// at describes one of the used places: the time since the connection was accepted or began to send, and the
// number of bytes that it has sent.
type at struct {
	name    string
	ago     time.Duration
	bytes   int64
	resting bool
}

func TestWhoGoesFirst(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		name string
		held []at
		want string // "" if all stay
		wait time.Duration
	}{
		{"everybody is new", []at{{"a", 0, 0, false}, {"b", grace / 4, 0, false}}, "", grace - grace/4},
		{"slow ones go before faster ones", []at{{"faster", 3 * time.Second, pace, false}, {"slow", 2 * time.Second, 2, false}}, "slow", 0},
		{"a new one stays, however little it sent", []at{{"slow", 3 * time.Second, pace, false}, {"new", time.Millisecond, 0, false}}, "slow", 0},
		{"who keeps pace stays", []at{{"fast", 3 * time.Second, 3 * pace, false}, {"new", grace / 4, 0, false}}, "", grace - grace/4},
		{"who rests goes before who reads", []at{{"slow", 9 * time.Second, 1, false}, {"idle", time.Millisecond, 0, true}}, "idle", 0},
		{"who rests longest goes first", []at{{"idle", time.Second, 0, true}, {"older", 2 * time.Second, 0, true}}, "older", 0},
		{"of two that send nothing the older goes", []at{{"a", 2 * time.Second, 0, false}, {"b", 3 * time.Second, 0, false}}, "b", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlaces(len(c.held))
			names := map[*conn]string{}
			for _, a := range c.held {
				one := &conn{places: p, begun: now.Add(-a.ago), until: now.Add(grace - a.ago), resting: a.resting}
				if a.resting {
					one.until = one.begun
				}
				one.read.Store(a.bytes)
				p.held[one], names[one] = struct{}{}, a.name
			}
			ok, victim, wait := p.take(&conn{places: p}, now)
			if ok != (c.want != "") || names[victim] != c.want || wait != c.wait || len(p.held) != len(c.held) {
				t.Errorf("%v, %q has to go, wait %s; want %q, %s", ok, names[victim], wait, c.want, c.wait)
			}
		})
	}
}
