// Package agent is the cycle of a stack: fetch, read, open the cloud, sync,
// report; once, or for as long as the process lives.
//
// It knows when to run and what to fall back to, and nothing of how any of it
// is done: what does I/O comes in as functions.
package agent

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/trace"
)

// Loop follows one stack: fetch, read, pass, wait. Its exported fields are read-only once it
// runs; it remembers nothing that matters after a restart.
type Loop struct {
	Name string
	// DependsOn are the stacks that have to be in sync before anything of this one is carried out, as far as Standing
	// knows them.
	DependsOn []string
	Standing  *Standing
	// Turns, when set, are shared with the other stacks of the process.
	Turns *Turns
	// Fetch returns the newest revision and whether it is another one than
	// before.
	Fetch func(context.Context) (source.Revision, bool, error)
	// Read turns files into what the stack wants. Its error is a
	// [manifest.Problems] when a commit has to correct it. The region is "" while
	// the cloud is not known.
	Read func(ctx context.Context, files fs.FS, region string) (resolve.Reading, error)
	// Emptied, when set, reports which files of a reading made objects in the past and hold none any more, as a
	// [manifest.Problems]; History visits the commits that the branch was before one, the newest first.
	Emptied func(ctx context.Context, now resolve.Reading, past resolve.Past) error
	History func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error
	// Weaker, when set, reads which policies a revision has besides those of the
	// configuration. It is asked about files that Read has accepted, and about newer
	// ones that it refused.
	Weaker func(files fs.FS) ([]plan.Policy, error)
	// Open connects to the cloud. It is called again after the cloud could not
	// be seen, so that new credentials are read.
	Open func(context.Context) (Cloud, error)
	// Approved are the plans that the brake may let through.
	Approved []plan.Approval
	// Only, when set, is the hash of the one plan that may be carried out.
	Only string
	// Approvals, when set, finds what people approved of elsewhere. It is asked
	// while a commit is held.
	Approvals func(ctx context.Context, commit string) []plan.Approval
	// Applied, when set, reports whether it is known elsewhere that a commit was in
	// sync; its error says that it cannot be asked now. It is asked after a start, until
	// there is an answer.
	Applied func(ctx context.Context, commit string) (bool, error)
	// Existed, when set, reports whether it is known elsewhere that a commit was in sync, and if so whether there was any object.
	Existed func(ctx context.Context, commit string) (known, any bool, err error)
	// AnyProject says that nothing is compared with the project of the last state that was in sync: the configuration names one.
	AnyProject bool
	// Record, when set, keeps what is known for the next process.
	Record Record
	// LeavesDrift says that drift is not corrected by itself, where neither manifests nor
	// the revision say anything else.
	LeavesDrift bool
	// Earlier, when set, visits the commits that the branch was before one, the
	// newest first. It is asked while the newest is refused and no other is known.
	Earlier func(ctx context.Context, commit string, most int, visit func(source.Revision) (more bool)) error
	// Report is called with every check that had something to say.
	Report func(report.Run)

	// Traced says to record what each run spends its time on, in [report.Run.Trace].
	Traced bool

	// Leave, when set, ends [Loop.Serve] once it is closed and the pass in progress has ended.
	Leave <-chan struct{}

	// Poll and DriftCheck say when to fetch commits, and when to check the cloud.
	Poll, DriftCheck schedule.Schedule

	cloud *Cloud
	news  *source.Revision // fetched while a pass ran, and not read yet
	last  source.Revision  // the newest that was fetched and looked at
	good  *source.Revision // the newest whose manifests were accepted
	// refused is what was wrong with last, if anything was.
	refused *report.Refusal
	// cautious is set while good was found by going back, and nobody knows that it
	// was in sync.
	cautious bool
	barren   string // the refused commit before which none is to be kept
	synced   string // the commit that was in sync last, unless another one has changed something since
	wrote    string // the last commit that changed something, or was in sync
	asked    bool   // what is known elsewhere was asked for, and there was an answer
	before   map[manifest.Key]kind.Sum
	looked   bool      // before is known
	silent   bool      // the source does not answer
	due      time.Time // when the upkeep of an object is due; the zero time for never
	once     sync.Once
	wake     chan struct{}
	check    chan struct{}
	now      chan engine.Superseded

	known   bool // the forge was asked for the last state that was in sync, and knows of none
	control control
}

// Cloud is an opened cloud, as the cycle sees it.
type Cloud struct {
	Region string
	// Project is the ID of the project that the credentials are of; "" where that is not known.
	Project string
	Sync    func(context.Context, engine.Revision) engine.Pass
}

// Pass checks once and carries out what differs. A group that has to go back, and what the pass has left to the next one, have another
// pass before it returns.
func (s *Loop) Pass(ctx context.Context) report.Run {
	run, _ := s.runOnce(ctx, true)
	if run.Pass != nil && (run.Pass.Back || run.Pass.Left && s.Only == "") && ctx.Err() == nil {
		run, _ = s.runOnce(ctx, true)
	}
	s.Standing.saw(run)
	return run
}

// runOnce fetches, and goes on to a pass when always is set, there is a new revision, or the source is back: what was
// reported while it was away is over only if the cloud is as the revision says. said is false when there is nothing to
// report.
func (s *Loop) runOnce(ctx context.Context, always bool) (run report.Run, said bool) {
	run = report.Run{Stack: s.Name, Started: time.Now()}
	if s.Traced {
		ctx, run.Trace = trace.Start(ctx)
	}
	rev, changed, err := s.newest(ctx)
	err = source.Public(err)
	before := s.silent
	s.silent = err != nil
	switch {
	case err != nil && (s.good == nil || ctx.Err() != nil):
		run.Err = err
		return run, true
	case err != nil:
		run.FetchErr, rev = err, s.last
	default:
		if sameFiles(rev, s.last) {
			s.carry(s.last.Commit, rev.Commit)
		}
		s.last = rev
	}
	switch unchanged := !always && !changed; {
	case unchanged && s.silent:
		run.Revision, run.Refused = *s.good, s.refused
		return run, true
	case unchanged && !before:
		return run, false
	}
	done, err := s.Turns.take(ctx)
	if err != nil {
		run.Err = err
		return run, true
	}
	defer done()
	s.pass(ctx, &run, rev)
	s.refused = run.Refused
	run.Took = time.Since(run.Started)
	return run, true
}

func (s *Loop) pass(ctx context.Context, run *report.Run, newest source.Revision) {
	s.recall(false)
	rev, read, ok := s.choose(ctx, run, newest)
	if ok && s.cloud == nil {
		end := trace.Begin(ctx, "log in", nil)
		cloud, err := s.Open(ctx)
		end(err != nil)
		if err != nil {
			run.Revision, run.Err = rev, err
			return
		}
		s.cloud = &cloud
		if cloud.Region != "" {
			rev, read, ok = s.choose(ctx, run, newest)
		}
	}
	if !ok {
		return
	}
	run.Revision = rev
	synced, unknown := s.wasSynced(ctx, rev.Commit)
	if synced && s.cautious && run.Refused != nil {
		s.cautious, run.Refused.Cautious = false, false
	}
	policies := append(s.weaker(rev, newest), s.depends()...)
	if unknown != nil && s.leavesDrift(read.Want, policies) {
		run.Err = errNotKnown
		return
	}
	before, err := s.wantedBefore(ctx, rev, read, policies)
	if err != nil {
		run.Err = err
		return
	}
	if s.cautious {
		policies = append(policies, plan.Cautious)
	}
	revision := engine.Revision{
		Commit: rev.Commit, Want: read.Want, Left: read.Ignored, Approved: s.approved(rev.Commit), Only: s.Only, Synced: synced, Policies: policies,
		Earlier: s.wanted(rev, s.cloud.Region), Before: before,
	}
	ctx, stop := s.attend(ctx)
	pass := s.syncHere(ctx, revision, rev)
	stop()
	if by := supersededBy(ctx); by != "" && pass.Superseded == "" && s.news == nil {
		s.interrupt(by) // it came when the pass had ended
	}
	run.Pass, s.due = &pass, pass.Last.Due()
	if len(pass.Results) > 0 {
		s.wrote = rev.Commit
	}
	if s.wrote != "" && s.wrote != s.synced {
		s.synced = "" // should the branch go back to it, what this pass did is no drift
	}
	if pass.Outcome() == plan.InSync && !s.cautious {
		s.synced, s.wrote, s.asked = rev.Commit, rev.Commit, true
		s.settled()
	}
	if pass.Last.Unseen() {
		s.cloud = nil
	}
}

// sync carries out a revision, also when it is held and people approved of that
// elsewhere.
func (s *Loop) sync(ctx context.Context, rev engine.Revision) engine.Pass {
	pass := s.cloud.Sync(ctx, rev)
	if pass.First.Held == "" || s.Approvals == nil || ctx.Err() != nil {
		return pass
	}
	approved := s.Approvals(ctx, rev.Commit)
	if !slices.ContainsFunc(approved, func(a plan.Approval) bool { return a.Covers(pass.First) }) {
		return pass
	}
	rev.Approved = append(slices.Clip(rev.Approved), approved...)
	return s.cloud.Sync(ctx, rev)
}

// wasSynced reports whether the cloud was equal to a commit before, so that what
// differs now is drift. Its error says that this is not known yet.
func (s *Loop) wasSynced(ctx context.Context, commit string) (bool, error) {
	if commit == "" || s.asked || s.Applied == nil || s.wrote != "" && s.wrote != commit {
		return commit != "" && commit == s.synced, nil
	}
	was, err := s.Applied(ctx, commit)
	if err != nil {
		return false, err
	}
	if s.asked = true; was {
		s.synced = commit
	}
	return commit == s.synced, nil
}

var errNotKnown = errors.New("whether the commit was in sync before is not known, as the forge does not answer; what differs may be drift, which nothing may follow from: it is tried again")

// leavesDrift reports whether there is drift that is not corrected by itself. Then a pass
// waits until it is known what is drift: it would bring back what people are to decide
// about if it took drift for a commit's change, and the other way round report a commit
// to be in sync of which nothing was applied. Where all drift is corrected the same
// follows in either case, and no forge holds that up.
func (s *Loop) leavesDrift(want []kind.Desired, policies []plan.Policy) bool {
	return s.LeavesDrift || (plan.Plan{}).Apply(policies...).Manual != "" ||
		slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Options.Report != nil && *d.Options.Report })
}

// choose reads rev or, when its manifests are refused, the last revision that
// was accepted. ok is false when there is neither.
func (s *Loop) choose(ctx context.Context, run *report.Run, rev source.Revision) (_ source.Revision, read resolve.Reading, ok bool) {
	region := ""
	if s.cloud != nil {
		region = s.cloud.Region
	}
	end := trace.Begin(ctx, "load", nil)
	read, err := s.Read(ctx, rev.Files, region)
	end(err != nil)
	var emptied []string
	if err == nil {
		if err = s.emptied(ctx, rev, read); errors.As(err, new(manifest.Problems)) {
			emptied = read.Suspects()
		}
	}
	if err == nil {
		s.good, s.cautious = &rev, false
		return rev, read, true
	}
	var problems manifest.Problems
	if !errors.As(err, &problems) {
		run.Err = err
		return rev, resolve.Reading{}, false
	}
	run.Refused = &report.Refusal{Commit: rev.Commit, Problems: problems}
	if s.good == nil {
		s.fallBack(ctx, rev, region, emptied, run.Refused)
	}
	if s.good == nil {
		return rev, resolve.Reading{}, false
	}
	run.Refused.Cautious = s.cautious
	if read, err = s.Read(ctx, s.good.Files, region); err != nil {
		return rev, resolve.Reading{}, false
	}
	return *s.good, read, true
}
