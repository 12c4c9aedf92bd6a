package memory

import (
	"maps"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// Event is an event after which a part of the past does not matter any more.
type Event interface{ forget(m *Memory) }

// Forget drops the knowledge that does not matter any more after an event.
func (m *Memory) Forget(event Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	event.forget(m)
}

// LoggedIn is a new login. Where is the project and the region of the login. As is the user with its roles; "" if they are unknown. If an earlier
// login saw nothing in a place, that says nothing about the new one. Only the first login of a process may continue with the lists of the process
// before it, if the user and the roles are the same. If the project or the region is another one, the whole past is dropped.
type LoggedIn struct{ Where, As string }

func (l LoggedIn) forget(m *Memory) {
	if m.where != "" && m.where != l.Where {
		m.clear()
	}
	switch {
	case m.where != l.Where:
		m.found = nil
	case !m.restored || m.login != l.As:
		m.keepFacts()
	}
	m.where, m.login, m.restored, m.sights, m.preflight = l.Where, l.As, false, nil, checked{}
}

// keepFacts drops the findings that hold only for one login. The stack still owns what it owned in the project, and it has still created nothing
// where the list was refused. Such a place is listed again. A further entry may have
// another project since. There, the first list that is allowed shows whether the stack still owns something.
func (m *Memory) keepFacts() {
	for at, f := range m.found {
		switch {
		case !f.Owns && (f.Refused == nil || at.Entry != ""):
			delete(m.found, at)
		case !f.Owns:
			m.found[at] = Finding{Refused: f.Refused}
		}
	}
}

func (m *Memory) clear() {
	m.knownIDs, m.made, m.created, m.unanswered, m.begun, m.adopted, m.killedUntil = nil, nil, nil, nil, nil, nil, time.Time{}
	m.probed, m.patients, m.seen, m.fallbacks, m.searched = nil, nil, plan.Seen{}, nil, nil
	m.found, m.sights, m.building, m.traces, m.preflight = nil, nil, nil, nil, checked{}
}

// PassBegins is the start of a pass, with the objects that its commit declares. If the declaration of a group has changed, its failure is
// forgotten, so that the group tries again. Requests that have ended before the start are forgotten, because the lists of the pass show
// their results. The sights of the last pass are dropped, too.
type PassBegins struct {
	At   time.Time
	Want []kind.Desired
}

func (b PassBegins) forget(m *Memory) {
	m.sights = nil
	maps.DeleteFunc(m.unanswered, func(_ string, until time.Time) bool { return until.Before(b.At) })
	if len(m.searched) == 0 {
		return
	}
	digests, wanted := map[manifest.Key]string{}, map[string]bool{}
	for i := range b.Want {
		d := &b.Want[i]
		digests[d.Key], wanted[d.Digest] = d.Digest, true
	}
	again := map[manifest.Key]bool{}
	for group, f := range m.fallbacks {
		if again[group] = digests[f.Marked] != f.Digest; again[group] {
			delete(m.fallbacks, group)
		}
	}
	maps.DeleteFunc(m.searched, func(s searched, _ bool) bool { return again[s.group] || !wanted[s.digest] })
}

// Differs contains all steps about changes that were made in the cloud. All other traces are dropped, because a difference that has ended
// may come again, and somebody else may cause it then.
type Differs []plan.Step

func (d Differs) forget(m *Memory) {
	still := map[string]bool{}
	for i := range d {
		still[d[i].Identity()] = true
	}
	maps.DeleteFunc(m.traces, func(id string, _ traceOf) bool { return !still[id] })
}

// PassEnds is the end of a pass, with its last plan. The knowledge about an object is dropped if that plan shows the object as up to date,
// as owned by nobody, or as gone for good. Listed returns the time when the newest list of a kind began; zero if that list failed.
type PassEnds struct {
	Plan   plan.Plan
	Listed func(kind string) time.Time
}

func (e PassEnds) forget(m *Memory) {
	wanted, open, members := make(map[string]bool, len(e.Plan.Steps)), map[manifest.Key]bool{}, map[manifest.Key]bool{}
	for i := range e.Plan.Steps {
		s := &e.Plan.Steps[i]
		wanted[s.Identity()] = s.Want != nil
		if s.Part != nil && s.Have == nil && s.Action == plan.Wait { // the member may exist
			members[s.Part.Member] = true
		}
		open[s.Key] = open[s.Key] || s.Want == nil || s.Have == nil || s.Action != plan.Keep || len(s.Changes) > 0 || s.Left != ""
	}
	for _, of := range e.Plan.Probed() {
		members[of.Member] = true
	}
	maps.DeleteFunc(m.knownIDs, func(id, _ string) bool { return !wanted[id] })
	maps.DeleteFunc(m.begun, func(key manifest.Key, o begun) bool { return !open[key] && o.until.Before(e.Listed(key.Kind)) })
	maps.DeleteFunc(m.probed, func(at probe, _ rollout.Record) bool { return !members[at.member] })
}
