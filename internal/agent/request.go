package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Request is what a person asks an agent to replace although nothing differs. Hash is the hash of the plan that the person has read, so it
// also names the objects by their IDs. Only exactly that plan is carried out.
type Request struct {
	Hash    string
	Targets []plan.Target
	By      string // for people
}

// ErrBusy means that another request of the stack has not been carried out yet.
var ErrBusy = errors.New("another replacement was requested and has not ended yet; ask again when it has")

// requestLife is how long a request waits for its pass, for example while the repository does not answer.
const requestLife = 10 * time.Minute

// request is the newest request of a stack. It is carried out at most once, and it is not stored. After a restart, the objects that were
// deleted are missing, so the next pass recreates them, and nothing else is replaced.
type request struct {
	Request
	at     time.Time
	taken  bool   // its pass has begun.
	result string // the end of the pass, for people; "" before.
}

// Replace requests a replacement, and starts a run now. The same request counts once until its pass has ended, and no other one is accepted.
func (s *Loop) Replace(r Request) error {
	news, err := s.control.request(r, time.Now())
	if news {
		s.Signals.interrupt(r.signal())
	}
	return err
}

// signal is the reason that a pass in progress reports when it gives way to the request.
func (r Request) signal() engine.Superseded { return engine.Superseded("the replacement " + r.Hash) }

// request stores a request. news is false if it waits already, or is being carried out.
func (c *control) request(r Request, now time.Time) (news bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have := c.requested; have.waits(now) || have.runs() {
		if have.Hash == r.Hash && slices.Equal(have.Targets, r.Targets) {
			return false, nil
		}
		return false, ErrBusy
	}
	c.requested = &request{Request: r, at: now}
	return true, nil
}

func (r *request) waits(now time.Time) bool {
	return r != nil && !r.taken && now.Sub(r.at) < requestLife
}

// runs reports whether the pass of the request has begun and not ended.
func (r *request) runs() bool { return r != nil && r.taken && r.result == "" }

// carriesOut reports whether a signal is that of the request whose pass runs now. It may arrive after the pass has begun.
func (c *control) carriesOut(by engine.Superseded) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requested.runs() && c.requested.signal() == by
}

// text describes the request for people.
func (r *request) text(now time.Time) string {
	if r == nil {
		return ""
	}
	result := r.result
	switch {
	case r.waits(now):
		result = "waits for its pass"
	case !r.taken:
		result = "no pass began in time, so nothing was done; ask again"
	}
	return fmt.Sprintf("%s, requested by %s at %s: %s", r.Hash, r.By, r.at.UTC().Format(time.RFC3339), cmp.Or(result, "is being carried out"))
}

// takeRequest returns the request that the next pass carries out; nil if there is none.
func (c *control) takeRequest(now time.Time) *Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.requested.waits(now) {
		return nil
	}
	c.requested.taken = true
	return &c.requested.Request
}

// limit limits a revision to the request. The plan with its hash is approved, and no other plan is carried out.
func (r *Request) limit(rev engine.Revision) engine.Revision {
	if r == nil {
		return rev
	}
	rev.Targets, rev.Recreate, rev.Only = r.Targets, true, r.Hash
	rev.Approved = append(slices.Clip(rev.Approved), plan.Approval{Hash: r.Hash, By: r.By})
	return rev
}

// storeRequested stores the result of the pass of the request.
func (c *control) storeRequested(pass engine.Pass) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case pass.First.Stopped():
		c.requested.result = "nothing was changed: " + cmp.Or(pass.First.Suspended, pass.First.Held.String())
	case pass.First.Limit != nil && len(pass.First.Limit.Missing) > 0:
		c.requested.result = "nothing was changed: no object of the stack is called " + pass.First.Limit.Missing[0]
	case pass.Interrupted:
		c.requested.result = "interrupted; what was deleted is recreated, and nothing else is replaced"
	case len(pass.Failures) > 0:
		c.requested.result = "failed: " + pass.Failures[0].Key.String() + ": " + report.Clean(pass.Failures[0].Reason())
	case pass.LeavesUnforeseen || slices.ContainsFunc(pass.Last.Steps, func(s plan.Step) bool { return s.Action.Writes() || s.Action == plan.Wait }):
		c.requested.result = fmt.Sprintf("ended early, after %d steps; ask again for the rest", pass.Writes())
	case len(pass.Results) == 0:
		c.requested.result = "nothing was changed: nothing was to be replaced"
	default:
		c.requested.result = "carried out"
	}
}
