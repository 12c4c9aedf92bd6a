package review

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Planner plans pull requests for one stack. Its exported fields are read-only after the first use. These packages set the fields:
//
//	fields                    set by    from
//	-----------------------   -------   --------------------------------------------------------
//	Name, PlanForks           service   the stack's configuration
//	Last                      service   the stack's source
//	Merged, Unsigned          service   a clone for pull requests; not set for an artifact
//	Plan                      service   a previewer of package session
//	Read, PlanSealed          service   a second one, which decrypts nothing
//	Again                     service   the loop of the stack
//	Observe                   service   the metrics, if there are any
//	repository, queue, poll   review    [Repository.Add]
//	held                      branch    each run of the stack, through [Planner.SetHeld]
type Planner struct {
	Name string
	// Last returns the newest revision of the stack's branch. The result is false before the first fetch.
	Last func() (source.Revision, bool)
	// Merged returns the files of the branch after merging first the references in under and then head. It
	// is nil for an artifact, which has no pull requests.
	Merged func(ctx context.Context, head string, under ...string) (source.Merge, error)
	// Read turns files of strangers into objects, without the cloud and without decrypting anything. Its error is a
	// [manifest.Problems] when a commit must correct it.
	Read func(ctx context.Context, files fs.FS) ([]kind.Desired, error)
	// Plan compares files with the live cloud, and finds out whether the cloud has what the plan needs. It changes nothing.
	Plan func(ctx context.Context, commit string, files fs.FS) (plan.Plan, preflight.Findings, error)
	// Unsigned returns the reason why the signature of a commit does not count; "" if it does. It is nil if no signatures are needed.
	Unsigned func(ctx context.Context, commit string) string
	// PlanSealed does the same as Plan for files of strangers, without decrypting anything.
	PlanSealed func(ctx context.Context, commit string, files fs.FS) (plan.Plan, preflight.Findings, error)
	// Again requests another pass of the stack, without a new commit.
	Again func()
	// PlanForks is true if pull requests from forks are planned, too. Otherwise their manifests are checked and compared without the cloud.
	PlanForks bool
	// Observe, when set, is called after every attempt to plan, with its result.
	Observe func(result string, took time.Duration)

	repository *Repository
	queue      *queue
	poll       schedule.Schedule
	held       atomic.Pointer[plan.Plan] // the held plan of the branch; nil if there is none
	mergedURLs sync.Map                  // addresses of the pull requests that are known to be merged, by number
}

// planTime is the time limit for planning one pull request. retryPlan is the pause after a plan has failed for a temporary reason. The
// pause grows with each failure up to maxRetry.
const (
	planTime  = 5 * time.Minute
	retryPlan = time.Minute
	maxRetry  = 15 * time.Minute
)

// Context returns the name of a stack's status. about is plan, sync or drift.
func Context(stack, about string) string { return "stackreeve/" + stack + "/" + about }

// Serve plans the pull requests that visits have queued, until ctx ends. Each stack has its own call of Serve, so a cloud that does not
// answer does not delay the plans of other stacks.
func (s *Planner) Serve(ctx context.Context) {
	var polls sync.WaitGroup
	polls.Go(func() { schedule.Run(ctx, s.poll, time.Second, s.repository.Wake) })
	defer polls.Wait()
	for {
		s.work(ctx)
		select {
		case <-ctx.Done():
			return
		case <-s.queue.more:
		}
	}
}

// work makes plans for the pull requests in the queue until it is empty.
func (s *Planner) work(ctx context.Context) {
	for ctx.Err() == nil {
		j, ok := s.queue.next()
		if !ok {
			return
		}
		s.review(ctx, j)
	}
}

// review plans a pull request and posts the result.
func (s *Planner) review(ctx context.Context, j job) {
	begun := time.Now()
	failures := s.queue.begin(j, begun)
	if s.PlanForks || j.mayPlan(j.pull.Head) { // otherwise there is no plan to wait for, and the page says why
		s.postPending(j.pull, begun)
	}
	p := s.makePage(ctx, j)
	if ctx.Err() != nil {
		return
	}
	again := time.Time{}
	// The heads differ if Git has a newer commit than the forge's answer, or an older one.
	if p.temporary || p.Head != j.pull.Head {
		failures++
		pause := backoff.Pause(retryPlan, maxRetry, failures)
		again = begun.Add(pause)
		time.AfterFunc(pause, s.repository.Wake)
	} else {
		failures = 0
	}
	s.queue.end(j, begun, again, failures)
	if s.Observe != nil {
		if result := p.result(); result != "" {
			s.Observe(result, time.Since(begun))
		}
	}
	s.post(p, j, begun)
}

// page is the report about a pull request. temporary means that the page is incomplete for a reason that may disappear, so the pull request is
// planned again soon. retracted means that the pull request is now for another branch.
type page struct {
	comment.Page
	temporary, retracted bool
}

// result returns the plan's label in metrics; "" if nothing was planned.
func (p page) result() string {
	ok, _ := p.Status()
	switch {
	case p.temporary:
		return "unavailable"
	case p.Waits():
		return ""
	case ok:
		return "success"
	}
	return "failure"
}

// makePage merges the pull request into the branch, plans the result and returns the page.
func (s *Planner) makePage(ctx context.Context, j job) page {
	ctx, cancel := context.WithTimeout(ctx, planTime)
	defer cancel()
	p := page{Page: comment.Page{
		Stack: s.Name, Number: j.pull.Number, Head: j.pull.Head, Base: j.pull.Base, Unread: j.comments.unread, Browser: s.repository.Forge.Browser,
		MoreNeeds: j.needs.more,
	}}
	var unknown bool
	p.Needs, unknown = s.needsForPage(ctx, j)
	refs, commits := j.needs.included()
	merge, err := s.Merged(ctx, j.pull.HeadRef, refs...)
	if err != nil {
		p.Err, p.temporary = source.Public(err).Error(), !source.NeedsPerson(err)
		s.repository.Complain(fmt.Sprintf("pull request %d cannot be fetched", p.Number), err)
		return p
	}
	p.Head, p.BaseCommit, p.Tree = merge.Head, merge.BaseCommit, merge.Tree
	makePlan := s.Plan
	if s.Unsigned != nil {
		p.Unsigned = s.Unsigned(ctx, merge.Head)
	}
	switch {
	case !slices.Equal(merge.Under, commits): // the needed pull requests have new commits, which were not checked when the job was made
		p.Err, p.temporary = "a pull request on which this one depends has just changed", true
		return p
	case len(merge.Conflicts) > 0:
		what, with := p.against(merge.Clean)
		p.Err = conflict(what, with, merge.Conflicts).Error()
		return p
	case merge.Tree != "" && merge.Tree == merge.BaseTree:
		p.Quiet = true
		return p
	case !s.PlanForks && !j.mayPlan(merge.Head): // nobody with the right to push asked for a plan against the cloud
		return s.compare(ctx, p, merge, "it comes from a fork")
	case j.strange(): // a plan of a fork never shows decrypted values, no matter who asked for it
		makePlan = s.PlanSealed
		want, err := s.Read(ctx, merge.Files)
		if err != nil {
			return s.failed(p, err)
		}
		if slices.ContainsFunc(want, func(d kind.Desired) bool { return d.Object != nil && d.Object.Unknown() }) {
			return s.compare(ctx, p, merge, "it comes from a fork, and the agent decrypts no values for forks")
		}
	}
	plan, findings, err := makePlan(ctx, merge.Head, merge.Files)
	if err != nil {
		return s.failed(p, err)
	}
	p.Plan, p.Preflight, p.temporary = &plan, findings, len(plan.Unlisted) > 0 || unknown
	p.Approvals = Covering(approved(j.comments, s.Name, source.Revision{}), plan)
	return p
}

// compare compares the manifests of a pull request from a fork with the branch, without the cloud. Encrypted values are
// compared by their encrypted texts.
func (s *Planner) compare(ctx context.Context, p page, merge source.Merge, why string) page {
	p.Offline = why
	after, err := s.Read(ctx, merge.Files)
	if err != nil {
		return s.failed(p, err)
	}
	var before []kind.Desired
	if base, _ := s.Last(); base.Files != nil {
		// An error in the branch's files is not an error of the pull request.
		before, _ = s.Read(ctx, base.Files)
	}
	p.Differs = document.Differences(before, after)
	return p
}

func (s *Planner) failed(p page, err error) page {
	if problems := (manifest.Problems)(nil); errors.As(err, &problems) {
		p.Problems = problems
		return p
	}
	p.Err, p.temporary = err.Error(), true
	s.repository.Complain(fmt.Sprintf("pull request %d cannot be planned", p.Number), err)
	return p
}

// Conflict returns the error for a merge with conflicts, which only a person can resolve.
func Conflict(base string, files []string) error { return conflict("it", base, files) }

func conflict(what, base string, files []string) error {
	const most = 10
	more := ""
	if len(files) > most {
		files, more = files[:most], fmt.Sprintf(" and %d more", len(files)-most)
	}
	return fmt.Errorf("%s conflicts with %s in %s%s", what, base, strings.Join(files, ", "), more)
}
