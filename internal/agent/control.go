package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// State is the state of a stack after its last run, for people and programs.
type State struct {
	Stack  string    `json:"stack"`
	Commit string    `json:"commit,omitempty"` // the commit that the cloud was compared with.
	Looked time.Time `json:"looked,omitzero"`
	// Outcome is the outcome of the run; "" before the first.
	Outcome string `json:"outcome,omitempty"`
	// Held is the reason why the plan waits for an approval; Hash is the hash to approve.
	Held string `json:"held,omitempty"`
	Hash string `json:"hash,omitempty"`
	// Approved says who approved the held plan, and when. It is "" once the plan is carried out.
	Approved string `json:"approved,omitempty"`
	// Replacement is the newest replacement that a person requested from this process, and how it ended.
	Replacement string `json:"replacement,omitempty"`
	// Suspended is the reason why nothing is carried out.
	Suspended string       `json:"suspended,omitempty"`
	Plan      plan.Summary `json:"plan"`
	Refused   string       `json:"refused,omitempty"` // the newest commit, if its manifests are refused
	Error     string       `json:"error,omitempty"`
	// NoticedBy says how changes in the cloud are noticed: by "notifications", or, while those cannot be read, by "probes" or "drift checks". It is "" if
	// the stack has no source of notifications.
	NoticedBy string `json:"noticedBy,omitempty"`
	// LastLook is the last look after a notification or a probe; nil before the first.
	LastLook *LastLook `json:"lastLook,omitempty"`
	// Failures are the first failures of the run. Running is the progress of the pass that runs now. It is
	// nil while no pass changes anything.
	Failures []Failed `json:"failures,omitempty"`
	Running  *Running `json:"running,omitempty"`
	// ServedBy is the name of the other agent that serves the stack, and Address is that agent's address. Both are "" if this
	// agent serves the stack. For a stack of another agent, only Outcome, Commit and Looked are set besides them.
	ServedBy string `json:"servedBy,omitempty"`
	Address  string `json:"address,omitempty"`
}

// Failed is an object that differs from Git, with the reason.
type Failed struct {
	Object string `json:"object"` // as people write it: Server/web
	Reason string `json:"reason"`
	// Fault is the reason of the object's condition if a step was tried and failed. It is "" for an object
	// that only waits.
	Fault string `json:"fault,omitempty"`
}

// ErrNothingHeld means that there is no plan to approve.
var ErrNothingHeld = errors.New("no plan of the stack is held")

// OtherPlanError means that a plan was approved, but another plan is held. Hash is the hash of the held plan.
type OtherPlanError struct{ Hash string }

// Error implements error.
func (e *OtherPlanError) Error() string {
	return fmt.Sprintf("a different plan is held: %s; read that plan before you approve it", e.Hash)
}

// control contains the state of a stack that people read and change while it runs, such as the held plan and
// its approval. People and the stack's loop use it at the same time.
type control struct {
	mu            sync.Mutex
	state         State
	lastLook      *LastLook
	lastOutcome   string // outcome of the last run that had one
	held          *plan.Plan
	approval      *plan.Approval // the approval of the held plan, or of the rest of it.
	approvedAt    time.Time      // time of the approval.
	project       string         // the project in which the stack was last in sync; "" when unknown.
	verified      string         // the last verified commit that was in force; "" when unknown.
	recalled      bool           // the record of the previous process was read.
	serves        bool           // the loop runs as long as the process.
	approvedHere  bool           // somebody has approved a plan since the process started.
	usedApprovals []string       // hashes of used approvals
	requested     *request       // nil if nobody has requested a replacement.
}

// maxUsedApprovals is the maximum number of used approvals that are remembered.
const maxUsedApprovals = 1000

// Approve approves the held plan if hash is its hash, and starts a run now. The approval covers only that plan at its commit, or the
// rest of it if its pass is interrupted. It is valid in this process and in processes that read its [Record].
func (s *Loop) Approve(hash, by string) error {
	news, err := s.control.approve(hash, by, time.Now())
	if news {
		s.control.mu.Lock()
		s.writeRecord()
		s.control.mu.Unlock()
		s.Signals.interrupt(engine.Superseded("the approval of " + hash))
	}
	return err
}

// State returns the state of the stack after its last run.
func (s *Loop) State() State {
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	state := c.state
	now := time.Now()
	state.Stack, state.Running, state.Replacement, state.LastLook = s.Name, s.Progress.running(now), c.requested.text(now), c.lastLook
	if s.Process.NoticedBy != nil {
		state.NoticedBy = s.Process.NoticedBy()
	}
	if c.approval != nil && c.held != nil {
		state.Approved = fmt.Sprintf("by %s at %s", c.approval.By, c.approvedAt.UTC().Format(time.RFC3339))
	}
	return state
}

// LastOutcome returns the outcome of the last run that had one, for the stacks that depend on this stack. It
// returns "" before the first.
func (s *Loop) LastOutcome() string {
	s.control.mu.Lock()
	defer s.control.mu.Unlock()
	return s.control.lastOutcome
}

// approve stores an approval. news is false if the same approval is stored already. In that case, the pass that carries
// out the approved plan continues.
func (c *control) approve(hash, by string, now time.Time) (news bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		return false, ErrNothingHeld
	}
	if have := c.held.Hash(); have != hash {
		return false, &OtherPlanError{have}
	}
	if c.approval != nil && c.approval.Hash == hash && c.approval.Commit == c.held.Commit {
		return false, nil
	}
	c.approval = &plan.Approval{Hash: hash, By: by, Commit: c.held.Commit, Proof: c.held.Proof()}
	c.approvedAt, c.approvedHere = now, true
	c.usedApprovals = slices.DeleteFunc(c.usedApprovals, func(spent string) bool { return spent == hash })
	return true, nil
}

// approved returns the approvals that a pass of the commit may use.
func (s *Loop) approved(commit string) (list []plan.Approval) {
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range s.Approved {
		if !slices.Contains(c.usedApprovals, a.Hash) {
			list = append(list, a)
		}
	}
	if c.approval != nil && c.approval.Commit == commit {
		list = append(list, *c.approval)
	}
	return list
}

// approvalMayBeLost reports whether a plan of the commit may have been approved in the previous process, which left no record of it. That is
// possible if the commit did not arrive while this process ran, and nobody has approved a plan since the process started.
func (s *Loop) approvalMayBeLost(commit string) bool {
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.serves || s.Approvals != nil || s.Record != "" {
		return false
	}
	s.state.first = cmp.Or(s.state.first, commit)
	return commit == s.state.first && !c.approvedHere
}

// storeRun stores the result of a run, and writes the [Record] if the approval has changed.
func (s *Loop) storeRun(run report.Run) {
	s.control.mu.Lock()
	before := s.control.approval
	s.control.mu.Unlock()
	s.Progress.end()
	if run.Limited() {
		return // the state of the whole stack is as before; a pass of all objects follows
	}
	s.control.storeRun(run)
	s.control.mu.Lock()
	defer s.control.mu.Unlock()
	if s.control.approval != before {
		s.writeRecord()
	}
}

// storeRun stores the result of a run, and drops the approval if it was used or is for another plan.
func (c *control) storeRun(run report.Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.state
	c.state = stateOf(run)
	if now, ok := outcomeOf(run); ok {
		c.lastOutcome = now.String()
	}
	if run.Pass == nil { // nothing was planned, so the held plan stays held
		c.state.Held, c.state.Hash, c.state.Suspended, c.state.Plan = before.Held, before.Hash, before.Suspended, before.Plan
		return
	}
	c.held = nil
	switch pass := *run.Pass; {
	case pass.First.Held != nil:
		c.held = &pass.First
		if c.approval != nil && !c.approval.Covers(pass.First) {
			c.approval = nil // the approval was for another plan; an approval that arrived during the pass covers pass.First, and stays for the next pass
		}
	case pass.Interrupted || len(pass.Last.Unlisted) > 0:
	case pass.Last.Summary().Writes() == 0:
		// The approved plan is carried out. The same plan may come up again for other reasons, and then needs another approval.
		if used := pass.First.Approved; used != nil {
			c.markUsed(used.Hash)
		}
		c.approval = nil
	}
}

func (c *control) markUsed(hash string) {
	if !slices.Contains(c.usedApprovals, hash) {
		c.usedApprovals = append(c.usedApprovals, hash)
	}
	if len(c.usedApprovals) > maxUsedApprovals {
		c.usedApprovals = c.usedApprovals[1:]
	}
}

// maxFailures is the maximum number of failures in a [State].
const maxFailures = 100

func stateOf(run report.Run) State {
	state := State{Commit: run.Revision.Commit, Looked: run.Started, Outcome: run.Outcome().String()}
	if run.Refused != nil {
		state.Refused = run.Refused.Commit
	}
	if err := errors.Join(run.Err, run.FetchErr); err != nil {
		state.Error = err.Error()
	}
	if pass := run.Pass; pass != nil {
		state.Held, state.Suspended, state.Plan = pass.First.Held.String(), pass.First.Suspended, pass.Last.Summary()
		if state.Held != "" {
			state.Hash = pass.First.Hash()
		}
		for _, f := range pass.Failures[:min(len(pass.Failures), maxFailures)] {
			state.Failures = append(state.Failures, Failed{f.Key.String(), report.Clean(f.Reason()), f.Fault})
		}
	}
	return state
}
