package pulls

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/report/forge"
	"github.com/stackreeve/stackreeve/internal/source"
)

// drift is what is remembered of it between passes.
type drift struct {
	open   bool      // the cloud differs now
	since  time.Time // when it began, or had begun
	count  int       // how many objects drifted, when last looked
	news   bool      // it has begun since the branch was last told
	steps  []reconcile.Step
	traces chan map[manifest.Key]reconcile.Trace
	// told are the pull requests that were told and not yet that it is over.
	told map[int]bool
	// looked is set once comments of a process before this one were looked for.
	looked bool
}

// begin takes note of drift.
func (d *drift) begin(objects int, now time.Time) {
	if !d.open {
		d.open, d.since, d.news = true, now, true
	}
	d.count = objects
}

const (
	// mostTraced bounds what is asked about who changed objects.
	mostTraced = 20
	traceTime  = 20 * time.Second
	// patientPasses is how many passes in a row may miss the cloud before the
	// branch is told that nothing is known.
	patientPasses = 2
)

// driftFound remembers what a pass sets out to report or to correct, and asks
// who did it before correcting hides the traces.
func (s *Stack) driftFound(p reconcile.Plan, now time.Time) {
	steps := drifting(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &s.truth.drift
	d.steps = nil
	if p.Commit != s.truth.synced || len(steps) == 0 {
		return
	}
	d.begin(len(steps), now)
	d.steps, d.traces = steps, make(chan map[manifest.Key]reconcile.Trace, 1)
	go s.trace(steps, d.traces)
	s.tell(p.Commit)
}

// drifting are the steps that are about a change in the cloud.
func drifting(p reconcile.Plan) (steps []reconcile.Step) {
	for _, step := range p.Steps {
		if step.Drift && (step.Action != reconcile.Keep || len(step.Changes) > 0) {
			steps = append(steps, step)
		}
	}
	return steps
}

func (s *Stack) trace(steps []reconcile.Step, to chan<- map[manifest.Key]reconcile.Trace) {
	ctx, cancel := context.WithTimeout(context.Background(), traceTime)
	defer cancel()
	traces := map[manifest.Key]reconcile.Trace{}
	for _, step := range steps[:min(len(steps), mostTraced)] {
		if t, ok := s.Trace(ctx, step); ok {
			traces[step.Key] = t
		}
	}
	to <- traces
}

// drifted says on the branch's newest commit whether the cloud still equals it,
// and tells the pull requests that wrote what drifted.
func (s *Stack) drifted(run report.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.truth
	commit := run.Revision.Commit
	if commit == "" || commit != t.synced || run.Refused != nil {
		return
	}
	if reason := unseen(run); reason != "" {
		if t.unseen >= patientPasses {
			s.owe(commit, "cannot be told: "+reason)
		}
		return
	}
	if run.Pass == nil || run.Pass.Interrupted {
		return
	}
	d := &t.drift
	found, left := d.steps, drifting(run.Pass.Last)
	said := comment.Drift{Stack: s.Name, Commit: commit, Root: run.Revision.Root, Steps: left}
	switch {
	case len(left) > 0:
		d.begin(len(left), run.Started)
	case len(found) > 0:
		said.Steps, said.Corrected = found, true
	}
	said.Since = d.since
	if len(said.Steps) > 0 {
		s.report(said, d.traces)
	} else {
		s.over(commit)
	}
	if len(left) == 0 {
		d.open = false
	}
	s.tell(commit)
}

// unseen is why a look says nothing about the cloud, "" when it does.
func unseen(run report.Run) string {
	switch {
	case run.Err != nil:
		return run.Err.Error()
	case run.Pass != nil && len(run.Pass.Last.Unlisted) > 0:
		return run.Pass.Last.Unlisted[0]
	}
	return ""
}

// owe says that nothing is known.
func (s *Stack) owe(commit, text string) {
	s.repository.Outbox.Put(s.owed("drift", commit), func(ctx context.Context) error {
		return s.set(ctx, commit, "drift", forge.Error, text)
	})
}

const (
	// sinceLayout is how a status says since when.
	sinceLayout = "15:04 UTC, 2 Jan 2006"
	// calmAfter is how many drift statuses a commit gets before those that would
	// be over at once are left out: a forge takes 1,000.
	calmAfter = 200
)

// tell owes the branch the state of the drift as it is when it is delivered.
func (s *Stack) tell(commit string) {
	board, name := s.repository.Board, s.context("drift")
	s.repository.Outbox.Put(s.owed("drift", commit), func(ctx context.Context) error {
		before, known, err := board.Get(ctx, commit, name)
		if err != nil {
			return err
		}
		s.mu.Lock()
		d := s.truth.drift
		s.truth.drift.news = false
		s.mu.Unlock()
		if d.open || d.news && board.Count(commit, name) < calmAfter {
			status := forge.Status{Context: name, State: forge.Failure, URL: before.URL, Description: drifted(d, before)}
			if _, err := board.Set(ctx, commit, status); err != nil || d.open {
				return err
			}
			before = status
		}
		if d.open || known && before.State == forge.Success {
			return nil
		}
		return s.set(ctx, commit, "drift", forge.Success, "no drift")
	})
}

// drifted is the description of a status. What a process before this one said
// about the time counts.
func drifted(d drift, before forge.Status) string {
	since := d.since.UTC().Format(sinceLayout)
	if _, text, ok := strings.Cut(before.Description, " since "); ok && before.State == forge.Failure {
		since = text
	}
	things := "objects"
	if d.count == 1 {
		things = "object"
	}
	return fmt.Sprintf("drifted: %d %s since %s", d.count, things, since)
}

// report tells the pull requests that last touched the files of drifted
// objects, each about its own.
func (s *Stack) report(said comment.Drift, traces <-chan map[manifest.Key]reconcile.Trace) {
	r := s.repository
	rev, _ := s.Last()
	run := time.Now().UnixMilli()
	var known map[manifest.Key]reconcile.Trace
	r.Outbox.Put("drift comments "+s.Name, func(ctx context.Context) error {
		if known == nil && traces != nil {
			select {
			case known = <-traces:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		pulls, err := s.authors(ctx, rev, said.Steps)
		if err != nil {
			return err
		}
		url := ""
		for _, number := range slices.Sorted(maps.Keys(pulls)) {
			one := said
			one.Steps, one.Traces = pulls[number], known
			m := forge.Marker{Kind: driftKind, Stack: s.Name, Run: run, Base: said.Commit}
			c, _, err := forge.Upsert(ctx, r.Forge, number, m, comment.Split(one.Markdown(), commentSize))
			if err != nil {
				return err
			}
			url = c.URL
			s.mu.Lock()
			if s.truth.drift.told == nil {
				s.truth.drift.told = map[int]bool{}
			}
			s.truth.drift.told[number] = !said.Corrected
			s.mu.Unlock()
		}
		status, ok, err := r.Board.Get(ctx, said.Commit, s.context("drift"))
		if err != nil || !ok || url == "" || status.State != forge.Failure {
			return err
		}
		status.URL = url
		_, err = r.Board.Set(ctx, said.Commit, status)
		return err
	})
}

// authors finds, for each step, the pull request that last touched its file.
func (s *Stack) authors(ctx context.Context, rev source.Revision, steps []reconcile.Step) (map[int][]reconcile.Step, error) {
	files, pulls := map[string]int{}, map[int][]reconcile.Step{}
	for _, step := range steps {
		file := path.Join(rev.Root, step.Origin.File)
		number, ok := files[file]
		if !ok {
			var err error
			if number, err = s.author(ctx, rev.Branch, file); err != nil {
				return nil, err
			}
			files[file] = number
		}
		if number > 0 {
			pulls[number] = append(pulls[number], step)
		}
	}
	return pulls, nil
}

// author is the pull request that last touched a file, 0 when none did.
func (s *Stack) author(ctx context.Context, branch, file string) (int, error) {
	commit, err := s.repository.Forge.LastTouch(ctx, branch, file)
	if err == nil {
		var pull forge.Pull
		if pull, err = s.repository.Forge.Brought(ctx, branch, commit); err == nil {
			return pull.Number, nil
		}
	}
	if errors.Is(err, forge.ErrNotFound) {
		return 0, nil
	}
	return 0, err
}

var pullAddress = regexp.MustCompile(`/pulls?/([0-9]+)#`)

// over says in the comments about drift that it was mended or explained. A
// process that did not write them finds one by the status it left.
func (s *Stack) over(commit string) {
	r := s.repository
	told := s.truth.drift.told
	s.truth.drift.told = nil
	first := !s.truth.drift.looked
	s.truth.drift.looked = true
	numbers := []int{}
	for number, open := range told {
		if open {
			numbers = append(numbers, number)
		}
	}
	if len(numbers) == 0 && !first {
		return
	}
	run := time.Now().UnixMilli()
	r.Outbox.Put("end of drift "+s.Name, func(ctx context.Context) error {
		status, ok, err := r.Board.Get(ctx, commit, s.context("drift"))
		if err != nil {
			return err
		}
		if m := pullAddress.FindStringSubmatch(status.URL); ok && m != nil && len(numbers) == 0 {
			if n, err := strconv.Atoi(m[1]); err == nil {
				numbers = append(numbers, n)
			}
		}
		for _, number := range numbers {
			if err := s.closeDrift(ctx, number, commit, run); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Stack) closeDrift(ctx context.Context, number int, commit string, run int64) error {
	comments, err := s.repository.Forge.Comments(ctx, number)
	if err != nil {
		return err
	}
	_, marker, _, ok := forge.Find(comments, driftKind, s.Name)
	if !ok {
		return nil
	}
	news := comment.Drift{Stack: s.Name, Commit: commit, Over: true}.Markdown()
	parts := forge.Texts(comments, driftKind, s.Name)
	if strings.HasPrefix(parts[0], strings.TrimSpace(news)) {
		return nil
	}
	marker.Run = max(run, marker.Run)
	parts[0] = onTop(clip(news, outcomeSize-len(divider)), parts[0])
	_, _, err = forge.Upsert(ctx, s.repository.Forge, number, marker, parts)
	return err
}
