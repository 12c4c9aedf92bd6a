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
	Commit string    `json:"commit,omitempty"` // that the cloud was compared with
	Looked time.Time `json:"looked,omitzero"`
	// Outcome is the outcome of the run; "" before the first.
	Outcome string `json:"outcome,omitempty"`
	// Held is the reason why the plan waits for an approval; Hash is the hash to approve.
	Held string `json:"held,omitempty"`
	Hash string `json:"hash,omitempty"`
	// Approved says who approved the held plan, and when. It is "" once the plan is carried out.
	Approved string `json:"approved,omitempty"`
	// Suspended is the reason why nothing is carried out.
	Suspended string       `json:"suspended,omitempty"`
	Plan      plan.Summary `json:"plan"`
	Refused   string       `json:"refused,omitempty"` // the newest commit, when its manifests are refused
	Error     string       `json:"error,omitempty"`
	// Failures are the first failures of the run. Running is a pass in progress; it is nil while no pass changes anything.
	Failures []Failed `json:"failures,omitempty"`
	Running  *Running `json:"running,omitempty"`
	// ServedBy is the agent that serves the stack if another agent does, and Address is where that agent is reached. Then only the
	// outcome, the commit and the time of the look are known.
	ServedBy string `json:"servedBy,omitempty"`
	Address  string `json:"address,omitempty"`
}

// Failed is an object that differs from Git, and why.
type Failed struct {
	Object string `json:"object"` // as people write it: Server/web
	Reason string `json:"reason"`
	// Fault is the reason of its condition if a step was tried and failed. It is "" for an object that only waits.
	Fault string `json:"fault,omitempty"`
}

// ErrNothingHeld means that there is no plan to approve.
var ErrNothingHeld = errors.New("no plan of the stack is held")

// OtherPlanError means that the held plan is not the one that was approved. Hash is the held plan's.
type OtherPlanError struct{ Hash string }

// Error implements error.
func (e *OtherPlanError) Error() string {
	return fmt.Sprintf("another plan is held: %s; read it before you approve it", e.Hash)
}

// control holds what people ask of a running stack. People and the stack use it at the same time.
type control struct {
	mu       sync.Mutex
	state    State
	stand    string // outcome of the last run that had one
	held     *plan.Plan
	given    *plan.Approval // approves the held plan, or the rest of it.
	at       time.Time      // time of the approval
	project  string         // in which the stack was last in sync; "" when unknown.
	recalled bool           // the record of the process before was read
	serves   bool           // it runs for as long as the process.
	heard    bool           // somebody has approved a plan since the process started
	spent    []string       // hashes of used approvals

	running *engine.Progress // the running pass; nil when there is none
}

// mostSpent is how many used approvals are remembered.
const mostSpent = 1000

// Approve approves the held plan if it has the hash, and starts a run now. The approval covers only that plan at its commit, or the rest
// of it when its pass is interrupted. It is valid for this process and for those that read its [Record].
func (s *Loop) Approve(hash, by string) error {
	news, err := s.control.approve(hash, by, time.Now())
	if news {
		s.control.mu.Lock()
		s.keep()
		s.control.mu.Unlock()
		s.interrupt(engine.Superseded("the approval of " + hash))
	}
	return err
}

// State returns the state of the stack after its last run.
func (s *Loop) State() State {
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	state := c.state
	state.Stack, state.Running = s.Name, c.shown(time.Now())
	if c.given != nil && c.held != nil {
		state.Approved = fmt.Sprintf("by %s at %s", c.given.By, c.at.UTC().Format(time.RFC3339))
	}
	return state
}

// LastOutcome returns the state of the stack for stacks that depend on it: the outcome of the last run that had one, "" before that.
func (s *Loop) LastOutcome() string {
	s.control.mu.Lock()
	defer s.control.mu.Unlock()
	return s.control.stand
}

// approve stores an approval. news is false when the approval is already there: the pass that carries the plan out must not give way
// to it.
func (c *control) approve(hash, by string, now time.Time) (news bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		return false, ErrNothingHeld
	}
	if have := c.held.Hash(); have != hash {
		return false, &OtherPlanError{have}
	}
	if c.given != nil && c.given.Hash == hash && c.given.Commit == c.held.Commit {
		return false, nil
	}
	c.given = &plan.Approval{Hash: hash, By: by, Commit: c.held.Commit, Proof: c.held.Proof()}
	c.at, c.heard = now, true
	c.spent = slices.DeleteFunc(c.spent, func(spent string) bool { return spent == hash })
	return true, nil
}

// approved returns the approvals that a pass of the commit may use.
func (s *Loop) approved(commit string) (list []plan.Approval) {
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range s.Approved {
		if !slices.Contains(c.spent, a.Hash) {
			list = append(list, a)
		}
	}
	if c.given != nil && c.given.Commit == commit {
		list = append(list, *c.given)
	}
	return list
}

// forgets reports whether a plan of the commit may have been approved in the process before this one, without a record of it. That is so
// when the commit did not arrive while this process ran, and nobody has approved anything since it started.
func (s *Loop) forgets(commit string) bool {
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.serves || s.Approvals != nil || s.Record != "" {
		return false
	}
	s.state.first = cmp.Or(s.state.first, commit)
	return commit == s.state.first && !c.heard
}

// saw stores the result of a run, and writes the [Record] if the approval has changed.
func (s *Loop) saw(run report.Run) {
	s.control.mu.Lock()
	before := s.control.given
	s.control.mu.Unlock()
	s.control.saw(run)
	s.control.mu.Lock()
	defer s.control.mu.Unlock()
	if s.control.given != before {
		s.keep()
	}
}

// saw stores the result of a run, and drops the approval if it was used or is for another plan.
func (c *control) saw(run report.Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.state
	c.state, c.running = stateOf(run), nil
	if now, ok := stands(run); ok {
		c.stand = now.String()
	}
	if run.Pass == nil { // nothing was planned: the held plan stays held
		c.state.Held, c.state.Hash, c.state.Suspended, c.state.Plan = before.Held, before.Hash, before.Suspended, before.Plan
		return
	}
	c.held = nil
	switch pass := *run.Pass; {
	case pass.First.Held != nil:
		c.held = &pass.First
		if c.given != nil && !c.given.Covers(pass.First) {
			c.given = nil // it was for another plan; an approval that arrived during the pass counts for the next one
		}
	case pass.Interrupted || len(pass.Last.Unlisted) > 0:
	case pass.Last.Summary().Writes() == 0:
		// The approved plan is carried out. The same plan may come up again for other reasons, and then needs another approval.
		if used := pass.First.Approved; used != nil {
			c.spend(used.Hash)
		}
		c.given = nil
	}
}

func (c *control) spend(hash string) {
	if !slices.Contains(c.spent, hash) {
		c.spent = append(c.spent, hash)
	}
	if len(c.spent) > mostSpent {
		c.spent = c.spent[1:]
	}
}

// mostFailures is how many failures of a run are named.
const mostFailures = 100

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
		for _, f := range pass.Failures[:min(len(pass.Failures), mostFailures)] {
			state.Failures = append(state.Failures, Failed{f.Key.String(), report.Clean(f.Reason()), f.Fault})
		}
	}
	return state
}
