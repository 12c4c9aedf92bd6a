package branch

import (
	"context"

	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/review"
)

// reportDrift writes the reports of a decision.
func (s *Tracker) reportDrift(d driftDecision) {
	switch {
	case d.commit == "":
		return
	case d.unknown != "":
		s.put("drift", d.commit, func(ctx context.Context) error {
			return s.set(ctx, d.commit, "drift", unknownStatus(d.unknown), "")
		})
		return
	}
	if d.report != nil {
		s.postDriftComments(*d.report)
	}
	if d.closing != nil {
		s.closeDriftComments(*d.closing)
	}
	s.postDriftStatus(d.commit)
}

// maxDriftStatuses limits the drift statuses of a commit, because a forge stores at most 1,000 statuses of one. When a commit has that
// many, a drift that ended before its report is not reported.
const maxDriftStatuses = 200

// postDriftStatus reports on a commit whether the cloud has drifted from it. The status has the state at the time of delivery.
func (s *Tracker) postDriftStatus(commit string) {
	board, name := s.repository.Board, s.context("drift")
	s.put("drift", commit, func(ctx context.Context) error {
		before, _, err := board.Get(ctx, commit, name)
		if err != nil {
			return err
		}
		d := s.state.takeDrift()
		for _, means := range d.statuses(memory.ParseStatus(before), board.Count(commit, name) >= maxDriftStatuses) {
			if err := s.set(ctx, commit, "drift", means, before.URL); err != nil {
				if means.Is == memory.Drifted && review.TryLater(err) {
					s.state.returnDrift(d)
				}
				return err
			}
		}
		return nil
	})
}

// takeDrift returns the current drift, and clears its news, so that the start of the drift is reported only once.
func (s *state) takeDrift() drift {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.drift
	s.drift.news = false
	return d
}

// returnDrift sets news again if the start of the drift could not be reported.
func (s *state) returnDrift(d drift) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drift.news = s.drift.news || d.news
}

// statuses returns the drift statuses to write for a commit, in their order. Drift that is already over gets a status, too, unless quiet is
// true. If an earlier process has reported the drift, its start time is used.
func (d drift) statuses(before memory.Status, quiet bool) (list []memory.Status) {
	drifted := memory.Status{Is: memory.Drifted, Objects: d.count, Since: d.since}
	if before.Is == memory.Drifted {
		drifted.Since = before.Since
	}
	if d.open || d.news && !quiet {
		list = append(list, drifted)
	}
	if !d.open {
		list = append(list, memory.Status{Is: memory.NoDrift})
	}
	return list
}
