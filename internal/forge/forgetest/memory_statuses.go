package forgetest

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// posted is a status, with the number of the account that made it.
type posted struct {
	forge.Status
	by int64
}

// Statuses implements forge.CommitStatuses.
func (m *Memory) Statuses(_ context.Context, commit string) ([]forge.Status, error) {
	err := m.begin("statuses", commit)
	defer m.mu.Unlock()
	var all []forge.Made
	for _, s := range slices.Backward(m.statuses[commit]) {
		all = append(all, forge.Made{Status: s.Status, Mine: s.by == m.id(m.Me)})
	}
	return forge.Ours(all), err
}

var fullCommit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// SetStatus implements forge.CommitStatuses.
func (m *Memory) SetStatus(_ context.Context, commit string, s forge.Status) error {
	err := m.begin("status", commit)
	defer m.mu.Unlock()
	s.Context, s.Description = forge.FitContext(s.Context), forge.Describe(s.Description)
	same := 0
	for _, one := range m.statuses[commit] {
		if one.Context == s.Context {
			same++
		}
	}
	switch {
	case err != nil:
		return err
	case !fullCommit.MatchString(commit) || m.commits != nil && !m.commits[commit]:
		return fmt.Errorf("%w: %q is no commit here", forge.ErrRefused, commit)
	case !slices.Contains([]forge.State{forge.Pending, forge.Success, forge.Failure, forge.Error}, s.State):
		return fmt.Errorf("%w: %q is no state", forge.ErrRefused, s.State)
	case same >= 1000:
		return fmt.Errorf("%w: 1,000 statuses of this commit and context", forge.ErrRefused)
	}
	m.statuses[commit] = append(m.statuses[commit], posted{s, m.id(m.Me)})
	m.wrote("%s %s on %.7s: %s", s.Context, s.State, commit, s.Description)
	return nil
}

// PutCheck implements forge.Checks.
func (m *Memory) PutCheck(_ context.Context, c forge.Check) error {
	err := m.begin("check", c.Commit)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	if m.NoChecks {
		return forge.ErrUnsupported
	}
	m.checks[[2]string{c.Commit, c.Name}] = c
	m.wrote("check %s %s on %.7s", c.Name, c.State, c.Commit)
	return nil
}
