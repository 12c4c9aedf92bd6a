// Package agent is the loop of one stack: fetch, read, open the cloud, sync, report. It runs once, or as long as the process.
//
//	Config (what it is given) ──▶ Loop (fetches, reads, runs passes) ──events──▶ state (tables: pure)
//
// The package decides when to run, and which revision to fall back to. Except for its record file (record.go), it does no I/O
// itself. Functions for that are in Config.
package agent

import (
	"context"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// Loop serves one stack: it fetches, reads, runs passes and waits. A restart loses nothing that matters.
type Loop struct {
	Config
	state   state
	cloud   *Cloud           // nil until it is opened; nil again after a pass that must be followed by a new login (storePass).
	fetched *source.Revision // the revision that was fetched while a pass ran, and that is not read yet. newer sets it, and newest takes it.
	// onlyLooks is true if the next run is requested only because the cloud may have changed. serve.go sets it.
	onlyLooks bool
	due       time.Time // the time of an object's next upkeep; zero if there is none.
	turn      *turn     // a look waits for it, or a run has it; nil if there is none.
	control   control
}

// New returns a loop that has not run yet. cfg is complete, except that Signals and Progress may be nil if nobody else uses them.
func New(cfg Config) *Loop {
	if cfg.Signals == nil {
		cfg.Signals = NewSignals()
	}
	if cfg.Progress == nil {
		cfg.Progress = NewProgress()
	}
	return &Loop{Config: cfg}
}

// Cloud is an opened cloud.
type Cloud struct {
	Region string
	// Project is the ID of the credentials' project; "" when unknown. User is the ID of their user; "" when unknown.
	Project, User string
	// Sync carries out a pass: [engine.Engine.Sync], through package session (loop.go, cloud.go).
	Sync func(context.Context, engine.Revision) engine.Pass
	// Look reports whether a change in the cloud concerns the stack. If it is nil, a pass finds out.
	Look func(context.Context, engine.Moved) engine.Looked
	// Probe notices changes of the project; nil if there are no probes.
	Probe Probe
}

// Probe asks the services of a project whether something has changed. matter has the collections that stacks list, as in [kind.Info.Lists]. At most one
// goroutine at a time asks about each service.
type Probe interface {
	// Login identifies the user who asks, and the user's roles; "" if they are unknown.
	Login() string
	// Asks returns the number of questions to a service, and whether one of them was never asked.
	Asks(service string, matter map[string]bool) (questions int, untried bool)
	// Moved asks a service one question. It returns the collections that have changed since the question was asked before, and, after the
	// first answer to a question, all collections that the question shows.
	Moved(ctx context.Context, service string, matter map[string]bool) (moved []string, err error)
}

// Pass checks the stack once and carries out the differences. It runs a second pass if a group must go back to its former revision,
// or if the first pass left steps for the next one.
func (s *Loop) Pass(ctx context.Context) report.Run {
	run, _ := s.runOnce(ctx, true)
	if run.Pass != nil && (run.Pass.RollsBack || run.Pass.LeavesUnforeseen && s.Only == "") && ctx.Err() == nil {
		run, _ = s.runOnce(ctx, true)
	}
	s.Dependencies.storeRun(run)
	return run
}

// runOnce fetches from the source, and does what [contact.next] decides. If always is true, it runs a pass even without a new commit.
// ok is false if there is nothing to report.
func (s *Loop) runOnce(ctx context.Context, always bool) (run report.Run, ok bool) {
	run = report.Run{Stack: s.Name, Started: time.Now()}
	if s.Traced {
		ctx, run.Trace = trace.Start(ctx)
	}
	rev, changed, err := s.newest(ctx)
	err = source.Public(err)
	var next followUp
	s.state.contact, next = s.state.contact.next(fetchResult{failed: err != nil, changed: changed, always: always, ended: ctx.Err() != nil}, s.state.inForce.exists())
	switch {
	case next == reportError:
		run.Err = err
		return run, true
	case err != nil:
		run.FetchErr, rev = err, s.state.last
	default:
		s.state.last = rev
	}
	switch next {
	case reportErrorKeep:
		run.Revision, run.Refused = s.state.inForce.good, s.state.refused
		return run, true
	case doNothing:
		return run, false
	case reportError, doPass:
	}
	defer s.endTurn()
	if !s.takeTurn(ctx) {
		run.Err = ctx.Err()
		return run, run.Err != nil // a stack that leaves has nothing to report
	}
	s.pass(ctx, &run, rev)
	s.state.refused = run.Refused
	run.Took = time.Since(run.Started)
	return run, true
}

// newest returns the revision that was fetched while a pass ran. If there is none, it fetches the source's
// newest revision, unless the run only looks at the cloud.
func (s *Loop) newest(ctx context.Context) (rev source.Revision, changed bool, err error) {
	looks := s.onlyLooks
	s.onlyLooks = false
	if s.fetched != nil {
		rev, s.fetched = *s.fetched, nil
		return rev, true, nil
	}
	if looks && s.state.contact == answering && s.state.inForce.exists() {
		return s.state.last, false, nil
	}
	end := trace.Begin(ctx, "fetch", nil)
	rev, changed, err = s.Fetch(ctx)
	end(err != nil)
	return rev, changed, err
}

// pass chooses a revision, logs in if necessary, and makes the cloud equal to the revision.
func (s *Loop) pass(ctx context.Context, run *report.Run, newest source.Revision) {
	s.readRecord(false)
	rev, read, ok := s.choose(ctx, run, newest)
	if ok && s.cloud == nil {
		if err := s.logIn(ctx); err != nil {
			run.Revision, run.Err = rev, err
			return
		}
		if s.cloud.Region != "" { // the defaults of kinds depend on the region, which was unknown before the login
			rev, read, ok = s.choose(ctx, run, newest)
		}
	}
	if !ok {
		return
	}
	run.Revision = rev
	revision, err := s.revision(ctx, run, rev, newest, read)
	if err != nil {
		run.Err = err
		return
	}
	asked := s.control.takeRequest(time.Now())
	revision = asked.limit(revision)
	ctx, stop := s.attend(ctx)
	pass := s.syncInProject(ctx, revision, rev) // project.go, then sync.go, then Cloud.Sync
	stop()
	if by := supersededBy(ctx); by != "" && pass.Superseded == "" && s.fetched == nil {
		s.Signals.interrupt(by) // the signal came after the end of the pass
	}
	run.Pass = &pass
	if asked != nil {
		s.control.storeRequested(pass)
	}
	s.storePass(rev.Commit, pass)
}

// logIn opens the cloud.
func (s *Loop) logIn(ctx context.Context) error {
	end := trace.Begin(ctx, "log in", nil)
	cloud, err := s.Open(ctx)
	end(err != nil)
	if err == nil {
		s.cloud = &cloud
	}
	return err
}

// revision returns the revision that a pass gets. Its parts come from these files:
//
//	Synced           synced.go    was this commit in sync?
//	Policies         weaker.go, depends.go, control.go; project.go adds more before the pass
//	PreviousSums     sums.go      the manifests of the previous commit
//	Approved         control.go   approvals of the command line and of HTTP
//	EarlierCommits   back.go      for groups that go back
//	EarlierKinds     back.go      kinds that the stack had, for refused lists
func (s *Loop) revision(ctx context.Context, run *report.Run, rev, newest source.Revision, read resolve.Reading) (engine.Revision, error) {
	synced, errUnknown := s.wasSynced(ctx, rev.Commit)
	if synced && run.Refused != nil {
		s.state.inForce, run.Refused.Cautious = s.state.inForce.foundInSync(), false
	}
	unverified := run.Refused != nil && run.Refused.Unverified
	if run.Refused == nil && rev.Commit != newest.Commit {
		unverified = true // the signatures of newest cannot be checked
	}
	if unverified {
		newest = rev // strangers may have written the newest files
	}
	policies := append(s.policiesOf(rev, newest), s.depends()...)
	if unverified {
		policies = append(policies, guard.Unverified)
	}
	if errUnknown != nil && s.leavesDrift(read.Want, policies) {
		return engine.Revision{}, errNotKnown
	}
	sums, err := s.sumsBefore(ctx, rev, read, policies)
	if err != nil {
		return engine.Revision{}, err
	}
	if s.state.inForce.certainty == cautious {
		policies = append(policies, guard.Cautious)
	}
	if s.approvalMayBeLost(rev.Commit) {
		policies = append(policies, guard.Forgetful)
	}
	return engine.Revision{
		Commit: rev.Commit, Want: read.Want, Ignored: read.Ignored, Approved: s.approved(rev.Commit), Only: s.Only, Targets: s.Targets, Recreate: s.Recreate, Synced: synced, Policies: policies,
		EarlierCommits: s.earlierObjects(s.Earlier, rev, s.cloud.Region), EarlierKinds: s.earlierObjects(s.History, rev, s.cloud.Region), PreviousSums: sums,
	}, nil
}

// storePass stores the results of a pass, for later runs.
func (s *Loop) storePass(commit string, pass engine.Pass) {
	s.due = pass.Last.Due()
	if len(pass.Results) > 0 {
		s.state.sync = s.state.sync.Changed(commit)
	}
	if pass.Outcome() == plan.InSync && s.state.inForce.certainty != cautious {
		s.state.sync = s.state.sync.InSync(commit)
		s.storeProject()
	}
	if pass.Last.ListsIncomplete() {
		s.cloud = nil
	}
}
