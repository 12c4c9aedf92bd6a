package rollout

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// ward makes patients from a text, with one letter for each patient.
//
//	letter  the patient
//	------  ------------------------------------------
//	s       serves
//	a       is away
//	d       has been down for ten minutes
//	q       has been silent for ten minutes
//	p       has been paused for ten minutes
//	n       is down since now
//	h       is down and was healed eight minutes ago
//	e       is down and was healed five minutes ago
//	b       is down and silent
//	c       is down and is changed anyway
//	r       is reported by others
//	l       is paused and silent
func ward(text string) (out []Patient) {
	ago := now.Add(-10 * time.Minute)
	for _, letter := range text {
		out = append(out, map[rune]Patient{
			's': {}, 'a': {Away: true}, 'd': {Down: "stopped", Since: ago}, 'q': {Silent: true, Since: ago}, 'n': {Down: "stopped", Since: now},
			'h': {Down: "stopped", Since: ago, Healed: []time.Time{now.Add(-8 * time.Minute)}}, 'p': {Down: "paused", Since: ago},
			'e': {Down: "stopped", Since: ago, Healed: []time.Time{now.Add(-5 * time.Minute)}},
			'r': {Accused: true}, 'c': {Down: "stopped", Since: ago, Changes: true}, 'b': {Down: "stopped", Silent: true, Since: ago}, 'l': {Down: "paused", Silent: true, Since: ago},
		}[letter])
	}
	return out
}

func TestTreat(t *testing.T) {
	h := Heal{Down: map[string]Cure{"stopped": "restart"}, Silent: Replace, After: 5 * time.Minute, PerHour: 2, MaxSick: Amount{Percent: 50, Share: true}}
	for _, c := range []struct {
		name, patients string
		atOnce         int
		want, held     string
	}{
		{"none", "", 1, "", ""},
		{"all serve", "sss", 1, "---", ""},
		{"one is down", "sds", 1, "-d-", ""},
		{"one is silent", "sqss", 1, "-q--", ""},
		{"one that is paused has no cure", "sps", 1, "---", ""},
		{"one that is down does not answer either", "sbs", 1, "-d-", ""},
		{"nor does one that is paused", "sls", 1, "---", ""},
		{"not at once", "sns", 1, "---", ""},
		{"one at a time", "ddss", 1, "d---", ""},
		{"two at a time", "ddss", 2, "dd--", ""},
		{"another is being made", "dass", 1, "----", ""},
		{"another is being made, and most do not serve", "daqs", 1, "----", "3 of 4 members do not serve, which is more than 2"},
		{"one that was healed long enough ago is sick, not away", "edss", 1, "-d--", ""},
		{"later the second time", "hsss", 1, "----", ""},
		{"half of them", "dqss", 1, "d---", ""},
		{"more than half", "dqns", 2, "----", "3 of 4 members do not serve, which is more than 2"},
		{"one of one", "d", 1, "d", ""},
		{"one that is changed anyway", "csss", 1, "----", ""},
		{"beside one that is changed", "cdss", 1, "-d--", ""},
		{"those that are changed count", "ccds", 1, "----", "3 of 4 members do not serve, which is more than 2"},
		{"one that is only reported", "rsss", 1, "----", ""},
		{"beside one that is reported", "rdss", 1, "-d--", ""},
		{"those that are reported count", "rrds", 1, "----", "3 of 4 members do not serve, which is more than 2"},
		{"the second of three is left", "rds", 1, "---", "2 of 3 members do not serve, which is more than 1"},
		{"both of two", "dd", 1, "--", "2 of 2 members"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := h.Treat(ward(c.patients), c.atOnce, now)
			var got strings.Builder
			for _, cure := range out.Cures {
				got.WriteString(map[Cure]string{"": "-", "restart": "d", Replace: "q"}[cure])
			}
			if got.String() != c.want || !strings.Contains(out.Held, c.held) || (out.Held == "") != (c.held == "") {
				t.Errorf("%s: %s %q, want %s %q", c.patients, got.String(), out.Held, c.want, c.held)
			}
		})
	}
	third := h
	third.MaxSick = Amount{Percent: 30, Share: true}
	if out := third.Treat(ward("qqqssssss"), 3, now); slices.ContainsFunc(out.Cures, func(c Cure) bool { return c != "" }) || out.Held == "" {
		t.Errorf("a third is away at once: %+v", out) // ovh/terraform-provider-ovh#1215
	}
	often := ward("dsss")
	often[1].Healed = []time.Time{now.Add(-59 * time.Minute), now.Add(-50 * time.Minute), now.Add(-time.Hour)}
	if out := h.Treat(often, 1, now); out.Cures[0] != "" || !strings.Contains(out.Held, "2 times within an hour") {
		t.Errorf("after two: %+v", out)
	}
	often[1].Healed = often[1].Healed[1:]
	if out := h.Treat(often, 1, now); out.Cures[0] != "restart" {
		t.Errorf("after one, and one an hour ago: %+v", out)
	}
}

// Members may fail in any way, and healing may help or not. Members are never healed more often than allowed, too many at a time, too
// early, or while most of them are sick.
func TestHealingIsBounded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := Heal{Down: map[string]Cure{"stopped": "restart"}, Silent: Replace, After: time.Duration(rapid.IntRange(1, 10).Draw(rt, "after")) * time.Minute,
			PerHour: rapid.IntRange(1, 5).Draw(rt, "an hour"), MaxSick: Amount{Percent: 50, Share: true}}
		patients := make([]Patient, rapid.IntRange(1, 8).Draw(rt, "members"))
		atOnce := rapid.IntRange(1, 3).Draw(rt, "at once")
		var all []time.Time
		for at := now; at.Before(now.Add(3 * time.Hour)); at = at.Add(time.Minute) {
			for i := range patients {
				p := &patients[i]
				switch rapid.IntRange(0, 9).Draw(rt, "fate") {
				case 0:
					p.Down, p.Silent, p.Since = "stopped", false, at
				case 1:
					p.Down, p.Silent, p.Since = "", true, at
				case 2:
					p.Down, p.Silent = "", false
				}
			}
			out, sick, done := h.Treat(patients, atOnce, at), 0, 0
			for i := range patients {
				p := &patients[i]
				if p.Down != "" || p.Silent {
					sick++
				} else {
					p.Healed = slices.DeleteFunc(p.Healed, func(t time.Time) bool { return at.Sub(t) >= time.Hour })
				}
				if out.Cures[i] == "" {
					continue
				}
				if done++; at.Sub(p.Since) < h.After {
					rt.Fatalf("healed after %s", at.Sub(p.Since))
				}
				p.Healed, all = append(p.Healed, at), append(all, at)
			}
			if done > 0 && sick > max(1, len(patients)/2) || done > atOnce || countRecent(all, at) > h.PerHour {
				rt.Fatalf("%d of %d are sick, %d are healed at once, %d within an hour", sick, len(patients), done, countRecent(all, at))
			}
		}
	})
}
