package rollout

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// read makes members from a text, with one letter for each member. A capital letter means that the member must be changed. Members after +
// are spare.
//
//	letter  the member
//	------  ----------------------------------------------------------
//	a       is away
//	x       is sick
//	y       began to work a minute ago
//	f       will begin to work in an hour, by the cloud's clock
//	s       serves
func read(text string) (members []Member) {
	spare := false
	for _, letter := range text {
		m := Member{Spare: spare, Changes: letter < 'a'}
		switch strings.ToLower(string(letter)) {
		case "+":
			spare = true
			continue
		case "x":
			m.Health = Sick
		case "y":
			m.Health, m.Since = Serving, now.Add(-time.Minute)
		case "f":
			m.Health, m.Since = Serving, now.Add(time.Hour)
		case "s":
			m.Health, m.Since = Serving, now.Add(-time.Hour)
		}
		members = append(members, m)
	}
	return members
}

// show returns a decision as a text: one letter for each member (g for Go, w for Wait, l for Leave), and the awaited member.
func show(d Decision) string {
	var b strings.Builder
	for _, v := range d.Verdicts {
		b.WriteString(map[Verdict]string{Go: "g", Wait: "w", Leave: "l"}[v])
	}
	if d.Awaited >= 0 {
		fmt.Fprintf(&b, " after %d", d.Awaited)
	}
	if !d.Until.IsZero() {
		fmt.Fprintf(&b, " in %s", d.Until.Sub(now))
	}
	if d.Spares > 0 {
		fmt.Fprintf(&b, " +%d", d.Spares)
	}
	return b.String()
}

func amount(text string) *Amount {
	if text == "" {
		return nil
	}
	a, err := ParseAmount(text)
	if err != nil {
		panic(err)
	}
	return &a
}

func TestDecide(t *testing.T) {
	rolling := Strategy{}
	two := Strategy{MaxUnavailable: amount("2")}
	third := Strategy{MaxUnavailable: amount("34%")}
	surge := Strategy{MaxSurge: amount("1")}
	patient := Strategy{MinReady: 5 * time.Minute}
	canary, canaries := Strategy{Canary: Canary{1, 10 * time.Minute}}, Strategy{Canary: Canary{2, 10 * time.Minute}}
	paused := Strategy{PauseAfter: 2}
	for _, c := range []struct {
		name     string
		strategy Strategy
		members  string
		want     string
	}{
		{"nothing to do", rolling, "sss", "ggg"},
		{"the first one goes", rolling, "SSS", "gww"},
		{"two at a time", two, "SSSS", "ggww"},
		{"a share is rounded down", third, "SSSSS", "gwwww"},
		{"a share is one member at least", third, "SS", "gw"},
		{"one that is being made is awaited", rolling, "aSS", "gww after 0"},
		{"one that is missing and would be changed", rolling, "ASS", "gww after 0"},
		{"one that does not serve waits for one that is away", rolling, "AXS", "gww after 0"},
		{"two of which one is away", two, "aSS", "ggw after 0"},
		{"a new one that does not serve stops the others", rolling, "xSS", "gww after 0"},
		{"it stops them even when more may be unavailable", two, "xSS", "gww after 0"},
		{"it stops those that do not serve, too", two, "xXS", "gww after 0"},
		{"the first one that does not serve is awaited", rolling, "xxS", "ggw after 0"},
		{"one that does not serve goes first", rolling, "SXS", "wgw"},
		{"those that do not serve go one at a time", rolling, "XXX", "gww"},
		{"and not before the last one serves", rolling, "xXX", "gww after 0"},
		{"a young one that is to be changed goes first", patient, "SYS", "wgw"},
		{"a young one is awaited", patient, "ySS", "gww after 0 in 4m0s"},
		{"what is sick is awaited rather than what is young", patient, "yxS", "ggw after 1"},
		{"what is away is awaited rather than what is sick", patient, "yxaS", "gggw after 2"},
		{"no age is asked for", rolling, "ySS", "ggw"},
		{"the cloud's clock is ahead", rolling, "fSS", "ggw"},
		{"and an age is asked for", patient, "fSS", "gww after 0 in 1h5m0s"},
		{"the younger one is awaited", patient, "yfS", "ggw after 1 in 1h5m0s"},
		{"wherever it stands", patient, "fyS", "ggw after 0 in 1h5m0s"},
		{"what is sick rather than what is young behind it", patient, "xyS", "ggw after 0"},
		{"on deletion only", Strategy{Type: OnDelete}, "SsXA", "lllg after 3"},
		{"all at once", Strategy{Type: Recreate}, "SSXa", "gggg after 3"},
		{"a partition", Strategy{Partition: 2}, "SSSS", "llgw"},
		{"what is below a partition is repaired", Strategy{Partition: 2}, "ASSS", "glww after 0"},
		{"what is below a partition and sick", Strategy{Partition: 2}, "XsSS", "llww after 0"},
		{"or where two may be unavailable", Strategy{Partition: 2, MaxUnavailable: amount("2")}, "XsSS", "llgw after 0"},
		{"a further one comes first", surge, "SSS", "www +1"},
		{"it is being made", surge, "SSS+a", "wwwg after 3 +1"},
		{"it serves", surge, "SSS+s", "gwwg +1"},
		{"it does not serve", surge, "SSS+x", "wwwg after 3 +1"},
		{"it stays until all serve", surge, "ssa+s", "gggg after 2 +1"},
		{"then it goes", surge, "sss+s", "gggg"},
		{"none is made for what is only broken", surge, "ssa", "ggg after 2"},
		{"no more than there are to be changed", Strategy{MaxSurge: amount("3")}, "Sss", "wgg +1"},
		{"and those that are missing", Strategy{MaxSurge: amount("3")}, "Sas", "wgg after 1 +2"},
		{"a share of spare is rounded up", Strategy{MaxSurge: amount("10%")}, "SSS", "www +1"},
		{"both", Strategy{MaxSurge: amount("1"), MaxUnavailable: amount("1")}, "SSS+s", "ggwg +1"},
		{"a group of none", rolling, "", ""},
		{"a canary goes first", canary, "SSSS", "gwww"},
		{"it is awaited", canary, "ySSS", "gwww after 0 in 9m0s"},
		{"it is being made", canary, "aSSS", "gwww after 0"},
		{"it does not serve", canary, "xSSS", "gwww after 0"},
		{"it has proven itself", canary, "sSSS", "ggww"},
		{"one that is not is no longer awaited then", canary, "syss", "gggg"},
		{"two canaries, one at a time", canaries, "SSSS", "gwww"},
		{"the second of them", canaries, "ySSS", "ggww"},
		{"both are awaited, whoever else has worked for long", canaries, "yysS", "gggw after 0 in 9m0s"},
		{"the younger one", canaries, "yySS", "ggww after 1 in 9m0s"},
		{"a canary beside one that is sick", canary, "XSSS", "gwww"},
		{"and one that waits for the canary", canary, "yXSS", "gwww after 0 in 9m0s"},
		{"a canary where members are deleted by hand", Strategy{Type: OnDelete, Canary: canary.Canary}, "ySSS", "llll"},
		{"a canary where all go at once", Strategy{Type: Recreate, Canary: canary.Canary}, "ySSS", "gggg"},
		{"more canaries than members", canaries, "S", "g"},
		{"a pause", paused, "SSSS", "gwll"},
		{"in the middle", paused, "sSSS", "ggll"},
		{"at its end", paused, "ssSS", "ggll"},
		{"one that is away is one of them", paused, "saSS", "ggll after 1"},
		{"one that is missing later is made anyway", paused, "ssSA", "gglg after 3"},
		{"those that do not serve rather than others", paused, "SSXS", "wlgl"},
		{"and after them no more", paused, "ssXS", "ggll after 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(Decide(c.strategy, read(c.members), now)); got != c.want {
				t.Errorf("%s: %s, want %s", c.members, got, c.want)
			}
		})
	}
}

// If the awaited member serves, but not yet for long enough, the decision contains the minimum time.
func TestHowLongTheAwaitedMemberMustWork(t *testing.T) {
	patient := Strategy{MinReady: 5 * time.Minute, Canary: Canary{1, 10 * time.Minute}}
	for members, want := range map[string]time.Duration{"aSS": 0, "xSS": 0, "ySS": 5 * time.Minute, "sSS": 0} {
		if got := Decide(patient, read(members), now).For; got != want {
			t.Errorf("%s: for %s, want %s", members, got, want)
		}
	}
	patient.MinReady = 0
	if got := Decide(patient, read("ySS"), now).For; got != 10*time.Minute {
		t.Errorf("a canary: for %s", got)
	}
}

func TestParseAmount(t *testing.T) {
	for text, want := range map[string]string{"0": "{0 0 false}", "3": "{3 0 false}", "25%": "{0 25 true}", "100%": "{0 100 true}"} {
		if got, err := ParseAmount(text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "-1", "101%", "-1%", "1.5", "a", "99999999999999999999"} {
		if got, err := ParseAmount(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// world is a group whose members follow the decisions. A member that is changed is away for some turns, and is up to date after that.
type world struct {
	Strategy
	wanted  int
	members []Member
	back    []int // for each member that is away, the number of turns until it is back
	bad     bool  // members do not serve after a change
	now     time.Time
}

func (w *world) available() (n int) {
	for _, m := range w.members {
		if m.Health == Serving && (m.Since.IsZero() || !m.Since.Add(w.MinReady).After(w.now)) {
			n++
		}
	}
	return n
}

// turn makes one decision and carries it out. It reports whether anything is left to do.
func (w *world) turn(rt *rapid.T) (more bool) {
	d := Decide(w.Strategy, w.members, w.now)
	for i := range w.members {
		m := &w.members[i]
		if d.Verdicts[i] == Go && m.Changes && m.Health != Away {
			m.Health, w.back[i] = Away, rapid.IntRange(0, 2).Draw(rt, "turns")
		}
	}
	w.members, w.back = w.members[:min(len(w.members), w.wanted+d.Spares)], w.back[:min(len(w.back), w.wanted+d.Spares)]
	for len(w.members) < w.wanted+d.Spares {
		w.members, w.back = append(w.members, Member{Spare: true}), append(w.back, 1)
	}
	for i, m := range w.members {
		switch {
		case m.Health == Away && w.back[i] == 0 && w.bad:
			w.members[i] = Member{Health: Sick, Spare: m.Spare}
		case m.Health == Away && w.back[i] == 0:
			w.members[i] = Member{Health: Serving, Since: w.now, Spare: m.Spare}
		case m.Health == Away:
			w.back[i]--
		}
		more = more || m.Spare || m.Health == Away || m.Changes && d.Verdicts[i] != Leave
	}
	w.now = w.now.Add(time.Minute)
	return more
}

func anyWorld(rt *rapid.T) *world {
	w := &world{now: now, wanted: rapid.IntRange(1, 8).Draw(rt, "members")}
	w.Type = rapid.SampledFrom([]Type{"", Rolling, Rolling, OnDelete, Recreate}).Draw(rt, "type")
	w.MaxUnavailable = amount(rapid.SampledFrom([]string{"", "0", "1", "3", "50%"}).Draw(rt, "unavailable"))
	w.MaxSurge = amount(rapid.SampledFrom([]string{"", "1", "2", "30%"}).Draw(rt, "surge"))
	w.MinReady = time.Duration(rapid.IntRange(0, 3).Draw(rt, "ready")) * time.Minute
	w.Partition = rapid.IntRange(0, 3).Draw(rt, "partition")
	w.PauseAfter = rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(rt, "pause")
	w.Canary = Canary{rapid.IntRange(0, 3).Draw(rt, "canaries"), time.Duration(rapid.IntRange(0, 5).Draw(rt, "canary")) * time.Minute}
	if w.Stuck(w.wanted) {
		w.MaxUnavailable = nil
	}
	for i := range w.wanted {
		m := Member{Health: Health(rapid.IntRange(0, 2).Draw(rt, "health")), Changes: rapid.Bool().Draw(rt, "changes")}
		if m.Health == Sick && (!m.Changes || i < w.Partition || w.Type == OnDelete) {
			m.Health = Serving // a member that never recovers would stop the group, as intended
		}
		w.members, w.back = append(w.members, m), append(w.back, rapid.IntRange(0, 2).Draw(rt, "turns"))
	}
	return w
}

// From any start, all members of a group are finally up to date. On the way, the number of members that serve never falls below the
// required number, unless it was lower at the start. The group never has more members than it may have.
func TestEndsAndNeverGoesBelow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := anyWorld(rt)
		floor := min(w.available(), w.wanted-w.Unavailable(w.wanted))
		for turns := 0; w.turn(rt); turns++ {
			if n := w.available(); n < floor {
				rt.Fatalf("%d serve, want %d: %+v", n, floor, w.members)
			}
			floor = max(floor, min(w.available(), w.wanted-w.Unavailable(w.wanted)))
			if len(w.members) > w.wanted+w.Surge(w.wanted) {
				rt.Fatalf("there are %d members", len(w.members))
			}
			if turns > 200 {
				rt.Fatalf("does not end: %+v %s", w.members, show(Decide(w.Strategy, w.members, w.now)))
			}
		}
	})
}

// If a template does not work, no more members are interrupted than may be unavailable. If the template could not be tried on a spare
// member, at least one is interrupted.
func TestABadTemplateStops(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := anyWorld(rt)
		if w.Type == Recreate {
			w.Type = Rolling
		}
		if w.Stuck(w.wanted) {
			w.MaxUnavailable = nil
		}
		w.bad = true
		for i := range w.members {
			w.members[i] = Member{Health: Serving, Changes: true}
		}
		for range 50 {
			w.turn(rt)
		}
		if n, floor := w.available(), w.wanted-w.Unavailable(w.wanted); n < floor {
			rt.Fatalf("%d serve, want %d: %+v", n, floor, w.members)
		}
	})
}

// Until the canaries have worked for the required time, no more members are changed than there are canaries.
func TestCanariesComeFirst(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := anyWorld(rt)
		w.Type, w.Canary.Members, w.PauseAfter = Rolling, rapid.IntRange(1, 4).Draw(rt, "canaries"), 0
		if w.Stuck(w.wanted) {
			w.MaxUnavailable = nil
		}
		for i := range w.members {
			w.members[i], w.back[i] = Member{Health: Serving, Changes: true}, 0
		}
		for turns, proven := 0, false; w.turn(rt) && turns < 100; turns++ {
			changed, worked := 0, 0
			for _, m := range w.members {
				if m.changed() {
					changed++
				}
				if m.changed() && m.Health == Serving && !m.Since.Add(w.Canary.For).After(w.now) {
					worked++
				}
			}
			if changed > w.Canary.Members && !proven {
				rt.Fatalf("%d are changed, and no more than %d should be: %+v", changed, w.Canary.Members, w.members)
			}
			proven = proven || worked >= w.Canary.Members
		}
	})
}
