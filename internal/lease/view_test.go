package lease

import (
	"strings"
	"testing"
	"time"
)

func TestDecide(t *testing.T) {
	p := Periods{time.Minute}
	const us = ID(1)
	name := func(preferred bool) (a, b string) { // two agents; a is preferred for "s", or is not
		if a, b = "x", "y"; (Preferred([]string{a, b}, "s") == a) != preferred {
			a, b = b, a
		}
		return a, b
	}
	view := func(me, other string, otherSince int64, holder ID, since int64) View {
		v := View{map[string]Agent{me: {Name: me, Since: 5, lease: us}, other: {Name: other, Since: otherSince, lease: 2}}, map[string]Holder{}}
		if holder != 0 {
			v.Stacks["s"] = Holder{lease: holder, Since: since}
		}
		return v
	}
	long := time.Hour
	for what, c := range map[string]struct {
		preferred         bool
		other             int64
		holder            ID
		since             int64
		settled, free, at time.Duration
		want              Action
	}{
		"another has it":                       {true, 6, 2, 7, long, 0, long, Leave},
		"another has it, and it waited":        {true, 6, 2, 7, long, long, long, Leave},
		"ours, preferred":                      {true, 6, us, 7, long, 0, long, Serve},
		"ours, the preferred one neglected it": {false, 6, us, 7, long, 0, long, Serve},
		"ours, the preferred one came later":   {false, 9, us, 7, long, 0, time.Minute, HandOver},
		"ours, new preferred agent":            {false, 9, us, 7, long, 0, time.Minute - 1, Serve},
		"free and ours":                        {true, 6, 0, 0, long, 0, long, Take},
		"free, others expected":                {true, 6, 0, 0, 5*time.Second - 1, 0, long, Wait},
		"free, another's":                      {false, 6, 0, 0, long, 2*time.Minute - 1, long, Wait},
		"free, another's, neglected":           {false, 6, 0, 0, long, 2 * time.Minute, long, Take},
	} {
		me, other := name(c.preferred)
		got := view(me, other, c.other, c.holder, c.since).decide("s", situation{agent: me, lease: us, settled: c.settled, free: c.free, arrived: c.at, periods: p})
		if got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
	me, other := name(true)
	for what, c := range map[string]struct {
		holder ID
		failed int
		ago    time.Duration
		alone  bool
		want   Action
	}{
		"ours, failed just now":                {us, 1, 10*time.Second - 1, false, Wait},
		"ours, failed a while ago":             {us, 1, 10 * time.Second, false, Serve},
		"ours, failed several times":           {us, 3, 0, false, GiveUp},
		"ours, repeated failures, alone":       {us, 3, 10 * time.Second, true, Serve},
		"free, failed several times":           {0, 3, 3*time.Minute - 1, false, Wait},
		"free, failed several times, long ago": {0, 3, 3 * time.Minute, false, Take},
		"free, repeated failures, alone":       {0, 3, time.Minute, true, Take},
		"another has it, failed several times": {2, 3, 0, false, Leave},
	} {
		v := view(me, other, 6, c.holder, 7)
		if c.alone {
			delete(v.Agents, other)
		}
		if got := v.decide("s", situation{agent: me, lease: us, settled: long, free: 0, arrived: long, failed: c.failed, sinceFailure: c.ago, periods: p}); got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
}

// TestAttackValuesOfOthers checks that the values of other agents are bounded in size. A bad value does not hide its key.
func TestAttackValuesOfOthers(t *testing.T) {
	long := strings.Repeat("x", maxValue)
	v := viewOf([]Record{
		{"agents/a", []byte(`{"name":"b","address":"http://h/\u001b[31m` + strings.Repeat("y", 500) + `"}`), 1, 1},
		{"agents/c", []byte(long + long), 2, 2}, {"stacks/s", []byte(`[]`), 2, 3}, {"stacks/t", nil, 2, 4}, {"other/x", nil, 2, 5},
	})
	if len(v.Agents) != 2 || len(v.Stacks) != 2 || v.Agents["a"].Name != "a" || v.Stacks["s"].lease != 2 {
		t.Errorf("view: %+v", v)
	}
	if at := v.Agents["a"].Address; strings.Contains(at, "\x1b") || len(at) > 2*maxWord {
		t.Errorf("address: %q", at)
	}
}

func TestTermByBothClocks(t *testing.T) {
	p, sent := Periods{time.Minute}, time.Now()
	for _, c := range []struct {
		age            time.Duration
		starts, writes bool
	}{{0, true, true}, {15*time.Second - 1, true, true}, {15 * time.Second, false, true}, {45*time.Second - 1, false, true}, {45 * time.Second, false, false}} {
		// The second time has only a wall clock reading, because the monotonic clock stopped while the machine slept.
		for i, now := range []time.Time{sent.Add(c.age), sent.Round(0).Add(c.age)} {
			tm := newTerm(p, sent)
			if tm.starts(now) != c.starts || (tm.writes(now) == nil) != c.writes {
				t.Errorf("%s after, clock %d: starts %t, writes %v", c.age, i, tm.starts(now), tm.writes(now))
			}
			tm.end()
			if tm.starts(now) || tm.writes(now) == nil {
				t.Error("a lease that has ended counts")
			}
		}
	}
	if tm := newTerm(p, sent); tm.starts(sent.Add(-time.Hour).Add(2*time.Hour)) || tm.writes(sent.Round(0).Add(-time.Hour)) != nil {
		t.Error("a clock that was set back")
	}
}
