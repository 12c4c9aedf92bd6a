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

// State is how a stack was left by the last run, for people and programs.
type State struct {
	Stack  string    `json:"stack"`
	Commit string    `json:"commit,omitempty"` // that the cloud was compared with
	Looked time.Time `json:"looked,omitzero"`
	// Outcome is that of the run; "" before the first.
	Outcome string `json:"outcome,omitempty"`
	// Held says why the plan waits for an approval of its hash, which is Hash.
	Held string `json:"held,omitempty"`
	Hash string `json:"hash,omitempty"`
	// Approved returns who let a held plan through, and when; it is not carried out yet.
	Approved string `json:"approved,omitempty"`
	// Suspended says why nothing is carried out.
	Suspended string       `json:"suspended,omitempty"`
	Plan      plan.Summary `json:"plan"`
	Refused   string       `json:"refused,omitempty"` // the newest commit, when its manifests are wrong
	Error     string       `json:"error,omitempty"`
	// Failures are of the run, the first of them; Running is a pass that goes on, nil where none changes anything.
	Failures []Failed `json:"failures,omitempty"`
	Running  *Running `json:"running,omitempty"`
	// ServedBy is the agent that serves the stack, if that is another one, and Address where it is reached; then only the
	// outcome, the commit and when it was looked are known.
	ServedBy string `json:"servedBy,omitempty"`
	Address  string `json:"address,omitempty"`
}

// Failed is an object that is not as wanted, and why.
type Failed struct {
	Object string `json:"object"` // as people write it: Server/web
	Reason string `json:"reason"`
	// Fault is the reason of its condition, where a step was tried and failed; "" of what only waits.
	Fault string `json:"fault,omitempty"`
}

// ErrNothingHeld says that there is no plan to approve of.
var ErrNothingHeld = errors.New("no plan of the stack is held")

// OtherPlanError says that the plan which is held is another one than was approved.
type OtherPlanError struct{ Hash string }

// Error implements error.
func (e *OtherPlanError) Error() string {
	return fmt.Sprintf("the plan that is held is another one, %s; read it before you approve of it", e.Hash)
}

// control is what people ask of a stack while it runs. It is used by them and by
// the stack at the same time.
type control struct {
	mu       sync.Mutex
	state    State
	stand    string // the outcome of the last run that found out anything
	held     *plan.Plan
	given    *plan.Approval // of the plan that is held, or of what is left of it
	at       time.Time      // when it was given
	project  string         // of the last state that was in sync; "" where that is not known
	recalled bool           // what the process before has kept was read
	serves   bool           // for as long as the process lives
	heard    bool           // somebody has approved of a plan since it began
	spent    []string       // hashes of approvals that were used

	running *engine.Progress // of the pass that runs; nil while none does
}

// mostSpent bounds what is remembered of approvals that were used.
const mostSpent = 1000

// Approve lets the plan through that is held, if it has the hash, and has the stack
// checked now. The approval is for that one plan at its commit, or what is left
// of it when its pass is interrupted, and for this process and those that find its [Record].
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

// State is how the stack was left by the last run.
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

// Stands is how the stack stands for those that depend on it: the outcome of the last run that found out anything, "" before
// that.
func (s *Loop) Stands() string {
	s.control.mu.Lock()
	defer s.control.mu.Unlock()
	return s.control.stand
}

// approve notes an approval. news is false when it was given before: the pass that
// carries the plan out must not give way to it.
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

// approved are the approvals that a pass of the commit may use.
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

// forgets reports whether a plan of the commit may have been approved by a word to the process before this one, of which nothing tells:
// the commit did not come while this one ran, and nobody has approved of anything since.
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

// saw takes note of a run, and keeps what became of the approval.
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

// saw takes note of a run, and of what became of the approval.
func (c *control) saw(run report.Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.state
	c.state, c.running = stateOf(run), nil
	if now, ok := stands(run); ok {
		c.stand = now.String()
	}
	if run.Pass == nil { // nothing was planned: what is held, is
		c.state.Held, c.state.Hash, c.state.Suspended, c.state.Plan = before.Held, before.Hash, before.Suspended, before.Plan
		return
	}
	c.held = nil
	switch pass := *run.Pass; {
	case pass.First.Held != nil:
		c.held = &pass.First
		if c.given != nil && !c.given.Covers(pass.First) {
			c.given = nil // it was for another plan; one that was given during the pass counts for the next
		}
	case pass.Interrupted || len(pass.Last.Unlisted) > 0:
	case pass.Last.Summary().Writes() == 0:
		// What was approved is done. The same plan may come again, for other reasons.
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

// mostFailures are named of a run.
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
