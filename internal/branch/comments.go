package branch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/review"
)

// driftComments is one report of drift in comments of pull requests. All attempts to deliver it use the same value.
type driftComments struct {
	comment.Drift
	authors map[int][]plan.Step // the steps that each pull request gets
	began   time.Time
	runs    map[int]int64  // the run number of each pull request's comment; the same for every attempt
	files   map[string]int // the pull request of each file for which an attempt has found it
}

// maxFiles is the maximum number of files for which the forge is asked which pull request changed them. maxDriftPulls is the maximum
// number of pull requests on which drift is reported. Even these need hundreds of requests to the forge, and all other reports wait
// meanwhile.
const (
	maxFiles      = 50
	maxDriftPulls = 10
)

// postDriftComments reports drift on the pull requests that last changed the files of the drifted objects. Each pull request gets only the
// objects in its files. The drift status then links to one of the comments.
func (s *Tracker) postDriftComments(r driftReport) {
	r.Stack = s.review.Name
	rev, _ := s.review.Last()
	c := driftComments{Drift: r.Drift, began: time.Now(), runs: map[int]int64{}, files: map[string]int{}}
	s.repository.Outbox.Put("drift comments "+r.Stack, func(ctx context.Context) (err error) {
		if c.authors, c.More, err = s.stepsByPull(ctx, rev.Branch, r.Steps, c.files); err != nil {
			return err
		}
		if c.More > 0 {
			s.repository.Complain("some drift could not be reported on pull requests", fmt.Errorf("%s could not be reported: the drift concerns more than %d files, or more than %d pull requests", report.Plural(c.More, "object"), maxFiles, maxDriftPulls))
		}
		url, err := s.writeDriftComments(ctx, c)
		if err != nil {
			return err
		}
		s.state.driftReported(r.difference)
		return s.linkDriftStatus(ctx, r.Commit, url)
	})
}

// writeDriftComments writes the comments, and returns the address of the last one; "" when there is none. If one comment is refused, the
// others are still written.
func (s *Tracker) writeDriftComments(ctx context.Context, c driftComments) (url string, err error) {
	all := slices.Sorted(maps.Keys(c.authors))
	for _, number := range all {
		written, err := s.writeDriftComment(ctx, number, all, c)
		if errors.Is(err, forge.ErrRefused) || errors.Is(err, forge.ErrNotFound) {
			s.repository.Complain(fmt.Sprintf("drift cannot be reported on pull request %d", number), err)
			continue
		}
		if err != nil {
			return url, err
		}
		s.state.driftCommented(number, !c.Corrected)
		url = written.URL
	}
	return url, nil
}

// writeDriftComment writes the comment of one pull request. The argument all has the pull requests that get one.
func (s *Tracker) writeDriftComment(ctx context.Context, number int, all []int, c driftComments) (forge.Comment, error) {
	f := s.repository.Forge
	if c.runs[number] == 0 {
		comments, err := f.Comments(ctx, number)
		if err != nil {
			return forge.Comment{}, err
		}
		c.runs[number] = memory.NextRun(comments, memory.DriftComment, c.Stack, c.began)
	}
	text := c.Drift
	text.Steps, text.Browser = c.authors[number], f.Browser
	m := memory.Marker{Kind: memory.DriftComment, Stack: c.Stack, Base: c.Commit, Run: c.runs[number], Reported: all}
	s.repository.Invalidate(number)
	written, _, err := memory.Upsert(ctx, f, number, m, comment.Split(text.Markdown(), memory.CommentSize))
	return written, err
}

// linkDriftStatus makes a commit's drift status link to a comment about the drift, if the status still reports drift.
func (s *Tracker) linkDriftStatus(ctx context.Context, commit, url string) error {
	status, ok, err := s.repository.Board.Get(ctx, commit, s.context("drift"))
	if err != nil || !ok || url == "" || memory.ParseStatus(status).Is != memory.Drifted {
		return err
	}
	status.URL = url
	_, err = s.repository.Board.Set(ctx, commit, status)
	return err
}

// driftReported records that the comments describe the current difference.
func (s *state) driftReported(difference string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drift.reported = difference
}

// driftCommented records that a pull request has a comment about drift. open is true if the comment must be closed at the end of the drift.
func (s *state) driftCommented(number int, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drift.comments == nil {
		s.drift.comments = map[int]bool{}
	}
	s.drift.comments[number] = open
}

// stepsByPull returns the steps by the pull request that last changed their file. It also returns the number of steps that are left out because there are
// too many files or pull requests. files contains the results of earlier attempts; stepsByPull adds the new ones.
func (s *Tracker) stepsByPull(ctx context.Context, branch string, steps []plan.Step, files map[string]int) (pulls map[int][]plan.Step, more int, err error) {
	pulls = map[int][]plan.Step{}
	for _, step := range steps {
		file := step.Origin.File
		number, ok := files[file]
		if !ok && len(files) < maxFiles {
			if number, err = s.lastChangedBy(ctx, branch, file); err != nil {
				return nil, 0, err
			}
			files[file], ok = number, true
		}
		switch {
		case !ok || number > 0 && pulls[number] == nil && len(pulls) >= maxDriftPulls:
			more++
		case number > 0:
			pulls[number] = append(pulls[number], step)
		}
	}
	return pulls, more, nil
}

// lastChangedBy returns the pull request that last changed a file; 0 for none.
func (s *Tracker) lastChangedBy(ctx context.Context, branch, file string) (int, error) {
	if !s.repository.Forge.Reviewed() {
		return 0, nil
	}
	commit, err := s.repository.Forge.LastTouch(ctx, branch, file)
	if err == nil {
		var pull forge.Pull
		if pull, err = s.repository.Forge.MergedBy(ctx, branch, commit); err == nil {
			return pull.Number, nil
		}
	}
	if errors.Is(err, forge.ErrNotFound) {
		return 0, nil
	}
	return 0, err
}

// closeDriftComments writes into the comments that their drift has ended. A comment can name other pull requests with comments about the
// same drift. These are closed, too.
func (s *Tracker) closeDriftComments(c driftClosing) {
	run := time.Now().UnixMilli()
	s.repository.Outbox.Put("end of drift "+s.review.Name, func(ctx context.Context) error {
		numbers := slices.Clone(c.pulls)
		if len(numbers) == 0 {
			number, ok, err := s.commentOfDriftStatus(ctx, c.commit, c.parent)
			if err != nil || !ok {
				return err
			}
			numbers = append(numbers, number)
		}
		for i := 0; i < len(numbers); i++ {
			reported, err := s.closeDriftComment(ctx, numbers[i], c.commit, run)
			if review.TryLater(err) {
				return err
			}
			for _, number := range reported {
				if !slices.Contains(numbers, number) {
					numbers = append(numbers, number)
				}
			}
		}
		return nil
	})
}

// commentOfDriftStatus finds a comment that an earlier process wrote. The link to it is in the drift status of this commit or of its
// parent.
func (s *Tracker) commentOfDriftStatus(ctx context.Context, commit, parent string) (number int, ok bool, err error) {
	status, ok, err := s.repository.Board.Get(ctx, commit, s.context("drift"))
	if err == nil && !ok && parent != "" {
		status, ok, err = s.repository.Board.Get(ctx, parent, s.context("drift"))
	}
	if err != nil || !ok {
		return 0, false, err
	}
	number, ok = memory.PullOf(status)
	return number, ok, nil
}

// closeDriftComment writes into one comment that the drift has ended. It returns the other pull requests that the same drift was reported
// on.
func (s *Tracker) closeDriftComment(ctx context.Context, number int, commit string, run int64) (reported []int, err error) {
	comments, err := s.repository.Forge.Comments(ctx, number)
	if err != nil {
		return nil, err
	}
	_, marker, _, ok := memory.Find(comments, memory.DriftComment, s.review.Name)
	if !ok {
		return nil, nil
	}
	news := comment.Drift{Stack: s.review.Name, Commit: commit, Over: true}.Markdown()
	parts := memory.Texts(comments, memory.DriftComment, s.review.Name)
	if strings.HasPrefix(parts[0], strings.TrimSpace(news)) {
		return marker.Reported, nil
	}
	marker.Run = max(run, marker.Run)
	parts[0] = onTop(news, parts[0])
	s.repository.Invalidate(number)
	_, _, err = memory.Upsert(ctx, s.repository.Forge, number, marker, parts)
	return marker.Reported, err
}
