package engine

import (
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Members are what passes have found out of members of groups, and no list shows: since when which of them do not serve, and what was done about it. It outlives
// engines: a new one follows each pass in which anything could not be listed, and a service that is down for long would keep
// all members from being brought back. Only one engine uses it at a time.
type Members struct {
	probed map[probe]rollout.Record
	// patients are those that did not serve when they were last looked at, or were healed since.
	patients map[manifest.Key]rollout.Patient
	seen     plan.Seen // by the newest plan
}

// probe is one of the probes of a member.
type probe struct {
	member manifest.Key
	at     int
}

// note takes in what a plan has found out.
func (m *Members) note(p plan.Plan, now time.Time) {
	m.patients, m.seen = p.Patients(m.patients, now), p.Seen()
}

// noteHealed remembers that something was done about a member, or tried.
func (m *Members) noteHealed(s plan.Step, now time.Time) {
	member, ok := s.Heals()
	if !ok {
		return
	}
	p := m.patients[member]
	p.Healed = append(p.Healed, now)
	maps.DeleteFunc(m.probed, func(at probe, _ rollout.Record) bool { return at.member == member }) // what it answered before
	m.patients[member] = p
}

// forget drops what is remembered of members that there are no more.
func (m *Members) forget(p plan.Plan) {
	members := map[manifest.Key]bool{}
	for _, of := range p.Probed() {
		members[of.Member] = true
	}
	maps.DeleteFunc(m.probed, func(at probe, _ rollout.Record) bool { return !members[at.member] })
}
