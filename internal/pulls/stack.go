package pulls

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/backoff"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Stack is one stack as pull requests see it. Its exported fields are read-only
// once it is in use.
type Stack struct {
	Name string
	// Last is the newest revision of the stack's branch; false before the first.
	Last func() (source.Revision, bool)
	// Merged is what the branch would hold with a pull request in it.
	Merged func(ctx context.Context, head string) (source.Merge, error)
	// Read turns files into objects without asking anybody. Its error is a
	// [manifest.Problems] when a commit has to mend it.
	Read func(ctx context.Context, files fs.FS) ([]kind.Desired, error)
	// Plan compares files with the live cloud and changes nothing.
	Plan func(ctx context.Context, commit string, files fs.FS) (plan.Plan, error)
	// Trace says who changed an object in the cloud, as far as the cloud knows.
	Trace func(context.Context, plan.Step) (kind.Trace, bool)
	// Again asks for another pass over the cloud, without a new commit.
	Again func()
	// PlanForks plans pull requests from forks, too. Otherwise their manifests are
	// checked and compared, and no cloud is asked.
	PlanForks bool

	// Made, when set, is told of every plan that was made, or could not be.
	Made func(result string, took time.Duration)

	repository *Repository
	more       chan struct{} // there are jobs

	mu    sync.Mutex
	plans map[int]planned // by pull request
	jobs  map[int]job     // by pull request
	turn  bool            // of those that are urgent
	held  *plan.Plan      // what the branch is held with
	truth truth
}

// planned is what is remembered of a plan that was made.
type planned struct {
	head  string
	run   time.Time // when it was begun
	asked time.Time // when somebody last asked for it, by the forge's clock
	// approved are the hashes that had been approved.
	approved string
	known    bool // its head was that of a pull request from the repository itself
	// again is when to try once more after an error that may pass, and tries how
	// many there were.
	again time.Time
	tries int
}

// planTime bounds the planning of one pull request, and retryPlan is when one
// that failed for a reason that may pass is tried again: later each time.
const (
	planTime  = 5 * time.Minute
	retryPlan = time.Minute
	longRetry = 15 * time.Minute
)

func (s *Stack) context(what string) string { return "stackreeve/" + s.Name + "/" + what }

// look plans a pull request and owes the forge what came of it.
func (s *Stack) look(ctx context.Context, j job) {
	pull, now := j.pull, time.Now()
	begun := planned{head: pull.Head, run: now, asked: j.asked, approved: hashes(approvals(j.said)), known: j.known}
	s.mu.Lock()
	before := s.plans[pull.Number]
	s.plans[pull.Number] = begun
	s.mu.Unlock()
	s.pending(pull, now)
	page, passing := s.page(ctx, j)
	if ctx.Err() != nil {
		return
	}
	if page.Plan != nil {
		page.Approvals = covering(approved(j.said, j.ours, s.Name, source.Revision{}), *page.Plan)
	}
	// Git may be ahead of what the forge says, or behind.
	if passing || page.Head != pull.Head {
		begun.tries = before.tries + 1
		pause := backoff.Pause(retryPlan, longRetry, begun.tries)
		begun.again = now.Add(pause)
		time.AfterFunc(pause, s.repository.Wake)
	}
	s.mu.Lock()
	s.plans[pull.Number] = begun
	s.mu.Unlock()
	s.made(page, passing, time.Since(now))
	s.post(page, j, now, passing)
}

// made tells who counts what came of planning.
func (s *Stack) made(page comment.Page, passing bool, took time.Duration) {
	if s.Made == nil {
		return
	}
	ok, _ := page.Status()
	switch {
	case passing:
		s.Made("unavailable", took)
	case page.Waits(): // nothing was planned
	case ok:
		s.Made("success", took)
	default:
		s.Made("failure", took)
	}
}

// page makes what is said about a pull request. passing is true when it could
// not be planned for a reason that may pass by itself.
func (s *Stack) page(ctx context.Context, j job) (page comment.Page, passing bool) {
	ctx, cancel := context.WithTimeout(ctx, planTime)
	defer cancel()
	pull := j.pull
	page = comment.Page{Stack: s.Name, Number: pull.Number, Head: pull.Head, Base: pull.Base}
	merge, err := s.Merged(ctx, pull.HeadRef)
	if err != nil {
		page.Err = source.Public(err).Error()
		s.repository.complain(fmt.Sprintf("pull request %d cannot be fetched", pull.Number), err)
		return page, !source.NeedsPerson(err)
	}
	page.Head, page.BaseCommit = merge.Head, merge.Base
	page.Tree = merge.Tree
	base, _ := s.Last()
	switch {
	case len(merge.Conflicts) > 0:
		page.Err = Conflict(pull.Base, merge.Conflicts).Error()
		return page, false
	case merge.Tree != "" && merge.Tree == merge.BaseTree:
		page.Quiet = true
		return page, false
	case !s.PlanForks && !j.mayPlan(merge.Head):
		return s.compare(ctx, page, base, merge)
	}
	plan, err := s.Plan(ctx, merge.Head, merge.Files)
	if err != nil {
		return s.failed(page, err)
	}
	page.Plan = &plan
	return page, len(plan.Unlisted) > 0
}

// compare says what changes in the manifests of a pull request from a fork.
func (s *Stack) compare(ctx context.Context, page comment.Page, base source.Revision, merge source.Merge) (comment.Page, bool) {
	page.Offline = "it comes from a fork"
	after, err := s.Read(ctx, merge.Files)
	if err != nil {
		return s.failed(page, err)
	}
	var before []kind.Desired
	if base.Files != nil {
		// What is wrong on the branch is not the pull request's to tell.
		before, _ = s.Read(ctx, base.Files)
	}
	page.Differs = plan.Differences(before, after)
	return page, false
}

func (s *Stack) failed(page comment.Page, err error) (_ comment.Page, passing bool) {
	var problems manifest.Problems
	if errors.As(err, &problems) {
		page.Problems = problems
		return page, false
	}
	page.Err = err.Error()
	s.repository.complain(fmt.Sprintf("pull request %d cannot be planned", page.Number), err)
	return page, true
}

// Conflict is the error of commits that a person has to merge.
func Conflict(base string, files []string) error {
	const most = 10
	more := ""
	if len(files) > most {
		files, more = files[:most], fmt.Sprintf(" and %d more", len(files)-most)
	}
	return fmt.Errorf("it conflicts with %s in %s%s", base, strings.Join(files, ", "), more)
}

// pending says that a plan is under way, where nothing was said before.
func (s *Stack) pending(pull forge.Pull, run time.Time) {
	r := s.repository
	r.Outbox.Put(fmt.Sprintf("pending %s #%d", s.Name, pull.Number), func(ctx context.Context) error {
		if _, ok, err := r.Board.Get(ctx, pull.Head, s.context("plan")); ok || err != nil {
			return err
		}
		s.mu.Lock()
		over := s.plans[pull.Number].run.After(run)
		s.mu.Unlock()
		if over {
			return nil
		}
		_, err := r.Board.Set(ctx, pull.Head, forge.Status{Context: s.context("plan"), State: forge.Pending, Description: "being planned"})
		return err
	})
}
