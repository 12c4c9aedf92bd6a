package pulls

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report/comment"
	"github.com/stackreeve/stackreeve/internal/source"
)

// report tells the pull requests that last touched the files of drifted
// objects, each about its own.
func (s *Stack) report(said comment.Drift, traces *traces) {
	about := fmt.Sprint(said.Commit, said.Corrected, traces != nil, alike(said.Steps))
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
func (s *Stack) authors(ctx context.Context, rev source.Revision, steps []plan.Step) (map[int][]plan.Step, error) {
	files, pulls := map[string]int{}, map[int][]plan.Step{}
	for _, step := range steps {
		file := step.Origin.File
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
// process that did not write them finds one by the status that it left on this
// commit, or on the one before.
func (s *Stack) over(commit, parent string) {
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
		if err == nil && !ok && parent != "" {
			status, ok, err = r.Board.Get(ctx, parent, s.context("drift"))
		}
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
