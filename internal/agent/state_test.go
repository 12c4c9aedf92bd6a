package agent

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/source"
)

// The test has one case for each row of the table of [contact.look].
func TestWhatFollowsFromALookAtTheSource(t *testing.T) {
	for _, c := range []struct {
		name string
		was  []contact
		at   []looked
		kept bool
		now  contact
		next followUp
	}{
		{"it fails, and nothing is kept", []contact{answers, silent}, []looked{{failed: true}, {failed: true, always: true}, {failed: true, changed: true}}, false, silent, fails},
		{"it fails at the end", []contact{answers, silent}, []looked{{failed: true, ended: true}, {failed: true, always: true, ended: true}}, true, silent, fails},
		{"it fails, and a pass is asked for", []contact{answers, silent}, []looked{{failed: true, always: true}, {failed: true, changed: true}}, true, silent, passes},
		{"it fails", []contact{answers, silent}, []looked{{failed: true}}, true, silent, lingers},
		{"there is a reason", []contact{answers, silent}, []looked{{always: true}, {changed: true}, {changed: true, ended: true}}, true, answers, passes},
		{"there is a reason, and nothing is kept", []contact{answers, silent}, []looked{{always: true}, {changed: true}}, false, answers, passes},
		{"it is back", []contact{silent}, []looked{{}}, true, answers, passes},
		{"nothing is new", []contact{answers}, []looked{{}}, true, answers, rests},
	} {
		for _, was := range c.was {
			for _, at := range c.at {
				if now, next := was.look(at, c.kept); now != c.now || next != c.next {
					t.Errorf("%s: from %d with %+v: %d and %d, want %d and %d", c.name, was, at, now, next, c.now, c.next)
				}
			}
		}
	}
}

// The test has a case for each cell of the table of [footing].
func TestWhatTheCloudIsKeptAt(t *testing.T) {
	type now struct {
		on                   ground
		commit, noGoodBefore string
	}
	g, r := source.Revision{Commit: "g"}, source.Revision{Commit: "r"}
	for _, c := range []struct {
		name                                                 string
		from                                                 footing
		accepted, known, unknown, nothingBefore, foundInSync now
	}{
		{"none", footing{}, now{firm, "r", ""}, now{firm, "r", ""}, now{withCaution, "r", ""}, now{none, "", "c"}, now{}},
		{"none before another", footing{noGoodBefore: "b"}, now{firm, "r", ""}, now{firm, "r", ""}, now{withCaution, "r", ""}, now{none, "", "c"}, now{none, "", "b"}},
		{"firm", footing{on: firm, good: g}, now{firm, "r", ""}, now{firm, "g", ""}, now{firm, "g", ""}, now{firm, "g", ""}, now{firm, "g", ""}},
		{"with caution", footing{on: withCaution, good: g}, now{firm, "r", ""}, now{withCaution, "g", ""}, now{withCaution, "g", ""}, now{withCaution, "g", ""}, now{firm, "g", ""}},
	} {
		if got := c.from.kept(); got != (c.from.on != none) {
			t.Errorf("%s: kept: %t", c.name, got)
		}
		for _, e := range []struct {
			event string
			got   footing
			want  now
		}{
			{"accepted", c.from.accepted(r), c.accepted},
			{"went back, known", c.from.wentBack(r, true), c.known},
			{"went back, not known", c.from.wentBack(r, false), c.unknown},
			{"nothing before", c.from.nothingBefore("c"), c.nothingBefore},
			{"found in sync", c.from.foundInSync(), c.foundInSync},
		} {
			if got := (now{e.got.on, e.got.good.Commit, e.got.noGoodBefore}); got != e.want {
				t.Errorf("%s, %s: %+v, want %+v", c.name, e.event, got, e.want)
			}
		}
	}
}
