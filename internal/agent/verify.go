package agent

import (
	"context"
	"errors"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/source"
)

// verify adds to a revision who signed it. Nothing of a revision is read before. The error is an [*source.Unverified] if the revision must
// not be used.
func (s *Loop) verify(ctx context.Context, rev source.Revision) (source.Revision, error) {
	if s.Verify == nil || rev.Commit == "" {
		return rev, nil
	}
	var err error
	rev.Signed, err = s.Verify(ctx, rev.Commit, s.lastVerified())
	return rev, err
}

// Unverified returns the reasons why a revision is not verified, as problems. It returns nil for another error.
func Unverified(err error) (problems manifest.Problems) {
	var u *source.Unverified
	if !errors.As(err, &u) {
		return nil
	}
	for _, d := range u.Doubts {
		what, fix := d.Words()
		problems = append(problems, manifest.Problem{What: what, Fix: fix})
	}
	return problems
}

// lastVerified returns the last verified commit that was in force; "" when unknown.
func (s *Loop) lastVerified() string {
	s.control.mu.Lock()
	defer s.control.mu.Unlock()
	return s.control.verified
}

// storeVerified stores the verified commit that is in force.
func (s *Loop) storeVerified(commit string) {
	c := &s.control
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Verify != nil && commit != "" && c.verified != commit {
		c.verified = commit
		s.writeRecord()
	}
}
