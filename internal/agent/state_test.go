package agent

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/source"
)

// The test has one case for each row of the table of [contact.next].
func TestWhatFollowsFromALookAtTheSource(t *testing.T) {
	for _, c := range []struct {
		name string
		was  []contact
		at   []fetchResult
		kept bool
		now  contact
		next followUp
	}{
		{"it fails, and nothing is kept", []contact{answering, silent}, []fetchResult{{failed: true}, {failed: true, always: true}, {failed: true, changed: true}}, false, silent, reportError},
		{"it fails at the end", []contact{answering, silent}, []fetchResult{{failed: true, ended: true}, {failed: true, always: true, ended: true}}, true, silent, reportError},
		{"it fails, and a pass is asked for", []contact{answering, silent}, []fetchResult{{failed: true, always: true}, {failed: true, changed: true}}, true, silent, doPass},
		{"it fails", []contact{answering, silent}, []fetchResult{{failed: true}}, true, silent, reportErrorKeep},
		{"there is a reason", []contact{answering, silent}, []fetchResult{{always: true}, {changed: true}, {changed: true, ended: true}}, true, answering, doPass},
		{"there is a reason, and nothing is kept", []contact{answering, silent}, []fetchResult{{always: true}, {changed: true}}, false, answering, doPass},
		{"it is back", []contact{silent}, []fetchResult{{}}, true, answering, doPass},
		{"nothing is new", []contact{answering}, []fetchResult{{}}, true, answering, doNothing},
	} {
		for _, was := range c.was {
			for _, at := range c.at {
				if now, next := was.next(at, c.kept); now != c.now || next != c.next {
					t.Errorf("%s: from %d with %+v: %d and %d, want %d and %d", c.name, was, at, now, next, c.now, c.next)
				}
			}
		}
	}
}

// The test has a case for each cell of the table of [revisionInForce].
func TestRevisionInForce(t *testing.T) {
	type now struct {
		on                   certainty
		commit, noGoodBefore string
	}
	g, r := source.Revision{Commit: "g"}, source.Revision{Commit: "r"}
	for _, c := range []struct {
		name                                                 string
		from                                                 revisionInForce
		accepted, known, unknown, nothingBefore, foundInSync now
	}{
		{"none", revisionInForce{}, now{certain, "r", ""}, now{certain, "r", ""}, now{cautious, "r", ""}, now{none, "", "c"}, now{}},
		{"none before another", revisionInForce{noGoodBefore: "b"}, now{certain, "r", ""}, now{certain, "r", ""}, now{cautious, "r", ""}, now{none, "", "c"}, now{none, "", "b"}},
		{"certain", revisionInForce{certainty: certain, good: g}, now{certain, "r", ""}, now{certain, "g", ""}, now{certain, "g", ""}, now{certain, "g", ""}, now{certain, "g", ""}},
		{"cautious", revisionInForce{certainty: cautious, good: g}, now{certain, "r", ""}, now{cautious, "g", ""}, now{cautious, "g", ""}, now{cautious, "g", ""}, now{certain, "g", ""}},
	} {
		if got := c.from.exists(); got != (c.from.certainty != none) {
			t.Errorf("%s: kept: %t", c.name, got)
		}
		for _, e := range []struct {
			event string
			got   revisionInForce
			want  now
		}{
			{"accepted", c.from.accepted(r), c.accepted},
			{"went back, known", c.from.wentBack(r, true), c.known},
			{"went back, not known", c.from.wentBack(r, false), c.unknown},
			{"nothing before", c.from.nothingBefore("c"), c.nothingBefore},
			{"found in sync", c.from.foundInSync(), c.foundInSync},
		} {
			if got := (now{e.got.certainty, e.got.good.Commit, e.got.noGoodBefore}); got != e.want {
				t.Errorf("%s, %s: %+v, want %+v", c.name, e.event, got, e.want)
			}
		}
	}
}
