package pulls

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
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
	traces *traces // of those steps
	// reported is what pull requests were told, so as not to find out again whom
	// to tell.
	reported string
	// told are the pull requests that were told and not yet that it is over.
	told map[int]bool
	// looked is set once comments of a process before this one were looked for.
	looked bool
}

// begin takes note of drift.
func (d *drift) begin(objects int, now time.Time) {
	if !d.open {
		d.open, d.since, d.news = true, now, true
		d.reported, d.traces = "", nil
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
	d.steps = steps
	if about := print(steps); d.traces == nil || d.traces.about != about {
		d.traces = &traces{about: about, done: make(chan struct{})}
		go s.trace(steps, d.traces)
	}
	s.tell(p.Commit)
}

// traces are who changed what, known once done is closed.
type traces struct {
	about string
	done  chan struct{}
	found map[manifest.Key]reconcile.Trace
}

// wait returns what was found; nil when nobody looked.
func (t *traces) wait(ctx context.Context) (map[manifest.Key]reconcile.Trace, error) {
	if t == nil {
		return nil, nil
	}
	select {
	case <-t.done:
		return t.found, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// print is the same for the same differences.
func print(steps []reconcile.Step) string {
	h := fnv.New64a()
	for _, step := range steps {
		fmt.Fprintln(h, step.Key, step.Action, step.Changes)
	}
	return strconv.FormatUint(h.Sum64(), 36)
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

func (s *Stack) trace(steps []reconcile.Step, to *traces) {
	ctx, cancel := context.WithTimeout(context.Background(), traceTime)
	defer cancel()
	defer close(to.done)
	to.found = map[manifest.Key]reconcile.Trace{}
	for _, step := range steps[:min(len(steps), mostTraced)] {
		if t, ok := s.Trace(ctx, step); ok {
			to.found[step.Key] = t
		}
	}
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
		_, err = board.Set(ctx, commit, forge.Status{Context: name, State: forge.Success, URL: before.URL, Description: "no drift"})
		return err
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
func (s *Stack) report(said comment.Drift, traces *traces) {
	about := fmt.Sprint(said.Commit, said.Corrected, traces != nil, print(said.Steps))
	if s.truth.drift.reported == about {
		return
	}
	r, began, runs := s.repository, time.Now(), map[int]int64{}
	rev, _ := s.Last()
	r.Outbox.Put("drift comments "+s.Name, func(ctx context.Context) error {
		known, err := traces.wait(ctx)
		if err != nil {
			return err
		}
		pulls, err := s.authors(ctx, rev, said.Steps)
		if err != nil {
			return err
		}
		m := forge.Marker{Kind: driftKind, Stack: s.Name, Base: said.Commit, Told: slices.Sorted(maps.Keys(pulls))}
		url := ""
		for _, number := range m.Told {
			one := said
			one.Steps, one.Traces = pulls[number], known
			c, err := s.tellAuthor(ctx, number, m, one, began, runs)
			if err != nil {
				return err
			}
			url = c.URL
		}
		s.mu.Lock()
		s.truth.drift.reported = about
		s.mu.Unlock()
		status, ok, err := r.Board.Get(ctx, said.Commit, s.context("drift"))
		if err != nil || !ok || url == "" || status.State != forge.Failure {
			return err
		}
		status.URL = url
		_, err = r.Board.Set(ctx, said.Commit, status)
		return err
	})
}

// tellAuthor writes the comment about drift of one pull request. runs keeps the
// number of this run through several tries.
func (s *Stack) tellAuthor(ctx context.Context, number int, m forge.Marker, said comment.Drift, began time.Time, runs map[int]int64) (forge.Comment, error) {
	f := s.repository.Forge
	if runs[number] == 0 {
		comments, err := f.Comments(ctx, number)
		if err != nil {
			return forge.Comment{}, err
		}
		runs[number] = forge.NextRun(comments, driftKind, s.Name, began)
	}
	m.Run = runs[number]
	s.repository.touched(number)
	c, _, err := forge.Upsert(ctx, f, number, m, comment.Split(said.Markdown(), commentSize))
	if errors.Is(err, forge.ErrRefused) || errors.Is(err, forge.ErrNotFound) {
		s.repository.complain(fmt.Sprintf("drift cannot be told on pull request %d", number), err)
		return c, nil // the others can be told
	}
	if err != nil {
		return c, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.truth.drift.told == nil {
		s.truth.drift.told = map[int]bool{}
	}
	s.truth.drift.told[number] = !said.Corrected
	return c, nil
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
		for i := 0; i < len(numbers); i++ {
			told, err := s.closeDrift(ctx, numbers[i], commit, run)
			if later(err) {
				return err
			}
			for _, number := range told {
				if !slices.Contains(numbers, number) {
					numbers = append(numbers, number)
				}
			}
		}
		return nil
	})
}

// closeDrift says in one comment that it is over, and returns the pull requests
// that had been told of the same.
func (s *Stack) closeDrift(ctx context.Context, number int, commit string, run int64) (told []int, err error) {
	comments, err := s.repository.Forge.Comments(ctx, number)
	if err != nil {
		return nil, err
	}
	_, marker, _, ok := forge.Find(comments, driftKind, s.Name)
	if !ok {
		return nil, nil
	}
	news := comment.Drift{Stack: s.Name, Commit: commit, Over: true}.Markdown()
	parts := forge.Texts(comments, driftKind, s.Name)
	if strings.HasPrefix(parts[0], strings.TrimSpace(news)) {
		return marker.Told, nil
	}
	marker.Run = max(run, marker.Run)
	parts[0] = onTop(clip(news, outcomeSize-len(divider)), parts[0])
	s.repository.touched(number)
	_, _, err = forge.Upsert(ctx, s.repository.Forge, number, marker, parts)
	return marker.Told, err
}
