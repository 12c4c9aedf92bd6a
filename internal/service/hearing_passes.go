package service

import (
	"maps"
	"path"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
)

// This file has the methods by which the passes of the stack tell a hearing what they see and write.

// Ran stores which objects a pass has seen, and that the agent no longer writes.
func (h *hearing) Ran(run report.Run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.passes {
		h.passes, h.vain = false, h.foundNothing(run)
	}
	if h.running || run.Pass != nil && run.Pass.Writes() > 0 {
		h.quiet = now.Add(echo)
	}
	if h.running = false; run.Pass != nil {
		h.of.IDs, h.kinds = idsOf(run.Pass.Last), kindsOf(run.Pass.Last)
	}
	h.settle(now)
}

// foundNothing reports whether a pass after a look wrote nothing, and ended with the same plan as the pass after the look before. The caller holds
// the lock.
func (h *hearing) foundNothing(run report.Run) bool {
	switch {
	case run.Pass == nil:
		return true
	case run.Pass.Writes() > 0, run.Pass.Superseded != "":
		return false
	}
	before := h.plan
	h.plan = run.Pass.Last.Hash()
	return h.plan == before
}

// idsOf returns the IDs of a plan's objects.
func idsOf(p plan.Plan) map[string]bool {
	ids := make(map[string]bool, len(p.Steps))
	for i := range p.Steps {
		if id := p.Steps[i].ID(); id != "" {
			ids[ownID(id)] = true
		}
	}
	return ids
}

// ownID returns the last part of an ID, which is compared. The ID of a record set begins with the ID of its zone in steps, but not in messages.
func ownID(id string) string { return path.Base(id) }

// kindsOf returns the kinds of a plan's objects.
func kindsOf(p plan.Plan) map[string]bool {
	kinds := map[string]bool{}
	for i := range p.Steps {
		kinds[p.Steps[i].Key.Kind] = true
	}
	return kinds
}

// has returns the kinds of the objects that the last pass has seen. Nobody changes the answer.
func (h *hearing) has() map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kinds
}

// Started stores that the agent writes, and which object.
func (h *hearing) Started(s plan.Step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.running && !time.Now().Before(h.quiet) {
		h.of.Changing = map[string]bool{} // those of earlier passes are no longer reported
	}
	h.running = true
	if id := s.ID(); id != "" && len(h.of.Changing) < maxChanging {
		h.of.Changing[ownID(id)] = true
	}
}

// Planned adds the kinds of the plan to those of the last pass. Otherwise a change of an object that the pass creates, while the pass goes on, would be
// left out as a change that concerns no stack.
func (h *hearing) Planned(p plan.Plan, _ preflight.Findings) {
	kinds := kindsOf(p)
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.Copy(kinds, h.kinds)
	h.kinds = kinds
}

// Finished implements [engine.Watcher].
func (h *hearing) Finished(engine.Result) {}

// Progress implements [engine.Watcher].
func (h *hearing) Progress(engine.Progress) {}
