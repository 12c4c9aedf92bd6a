package service

import (
	"context"
	"errors"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/source"
)

// reviewTime is the time limit for pull requests in a single run.
const reviewTime = 10 * time.Minute

// Once runs one pass of every stack.
type Once struct {
	Opener   session.Opener
	Stacks   []config.Stack
	Approved string // hash of the only plan that may be carried out; "" for any
	// Refuse returns the reason why nothing of a stack may be carried out, or nil.
	Refuse func(s *config.Stack) error
	// Show returns a viewer for a pass of a stack. last returns the revision that was fetched last.
	Show func(s *config.Stack, last func() source.Revision) Viewer
	// Ended is called with the finished run of a stack, and returns its outcome.
	Ended func(s *config.Stack, run report.Run) plan.Outcome
}

// Viewer shows a pass until it is closed.
type Viewer interface {
	engine.Watcher
	Close()
}

// Run runs the passes at the same time, except that stacks wait for their dependencies. After that it reviews pull requests. The error is
// about the reviews.
func (o *Once) Run(ctx context.Context) ([]plan.Outcome, error) {
	reviews := newForges(o.Opener.Log, nil)
	defer reviews.close()
	outcomes := make([]plan.Outcome, len(o.Stacks))
	passes, loops := make([]func() report.Run, len(o.Stacks)), make([]*agent.Loop, len(o.Stacks))
	shared := agent.Process{Turns: agent.NewTurns(), Dependencies: agent.NewDependencies()}
	for i := range o.Stacks {
		s := &o.Stacks[i]
		loop, pass, end, err := o.prepare(ctx, reviews, s, shared)
		if err != nil { // the other stacks still run
			loop = agent.New(agent.Config{Name: s.Name, DependsOn: s.Spec.DependsOn, Process: shared})
			pass = func() report.Run { return report.Run{Stack: s.Name, Err: err} }
		} else {
			defer end()
		}
		loops[i], passes[i] = loop, pass
		shared.Dependencies.Expect(s.Name)
		shared.Dependencies.Join(loop)
	}
	agent.InOrder(loops, func(i int) { outcomes[i] = o.Ended(&o.Stacks[i], passes[i]()) })
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	defer o.Opener.Progress.Begin("reading pull requests")()
	return outcomes, reviews.once(ctx)
}

// prepare sets up a stack for its pass. end is called after all passes and after the pull requests.
func (o *Once) prepare(ctx context.Context, reviews *forges, s *config.Stack, shared agent.Process) (loop *agent.Loop, pass func() report.Run, end func(), err error) {
	if err := o.Refuse(s); err != nil {
		return nil, nil, nil, err
	}
	w := o.Opener
	from, err := w.Source(s)
	if err != nil {
		return nil, nil, nil, err
	}
	shown := o.Show(s, func() source.Revision {
		rev, _ := from.Last()
		return rev
	})
	shared.Signals = agent.NewSignals()
	to, err := reviews.add(w, s, from, shared.Check)
	if err != nil {
		return nil, nil, nil, errors.Join(err, from.Close())
	}
	w.Watchers = append([]engine.Watcher{shown}, watchersOf(to.branches)...)
	cfg := w.LoopConfig(s, from, to.branches)
	cfg.Approved, cfg.Only = approvals(o.Approved), o.Approved
	shared.Record = w.Record(s)
	cfg.Process = shared
	loop = agent.New(cfg)
	return loop, func() report.Run {
		run := loop.Pass(ctx)
		shown.Close()
		if !agent.CutOff(ctx, run) {
			for _, b := range to.branches {
				b.Ran(run)
			}
		}
		return run
	}, func() { to.close(); _ = from.Close() }, nil
}

// approvals returns the approval given by --approve, if any.
func approvals(hash string) []plan.Approval {
	if hash == "" {
		return nil
	}
	return []plan.Approval{{Hash: hash}}
}
