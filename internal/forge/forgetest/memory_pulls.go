package forgetest

import (
	"context"
	"maps"
	"slices"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// OpenPulls implements forge.Pulls.
func (m *Memory) OpenPulls(_ context.Context, branch string) (list []forge.Pull, err error) {
	err = m.begin("list", branch)
	defer m.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(m.pulls)) {
		if p := m.pulls[number]; p.Open && p.Base == branch && err == nil {
			if m.MaxPulls > 0 && len(list) == m.MaxPulls {
				return list, forge.ErrTooMany
			}
			list = append(list, *p)
		}
	}
	return list, err
}

// Pull implements forge.Pulls.
func (m *Memory) Pull(_ context.Context, number int) (forge.Pull, error) {
	err := m.begin("pull", number)
	defer m.mu.Unlock()
	p := m.pulls[number]
	if err != nil || p == nil {
		return forge.Pull{}, or(err, forge.ErrNotFound)
	}
	return *p, nil
}

// MergedBy implements forge.Pulls.
func (m *Memory) MergedBy(_ context.Context, branch, commit string) (forge.Pull, error) {
	err := m.begin("merged", commit)
	defer m.mu.Unlock()
	p := m.pulls[m.merged[commit]]
	if err != nil || p == nil || p.Base != branch {
		return forge.Pull{}, or(err, forge.ErrNotFound)
	}
	return *p, nil
}

// LastTouch implements forge.History.
func (m *Memory) LastTouch(_ context.Context, _, file string) (string, error) {
	err := m.begin("touch", file)
	defer m.mu.Unlock()
	if err != nil || m.touched[file] == "" {
		return "", or(err, forge.ErrNotFound)
	}
	return m.touched[file], nil
}

// MayWrite implements forge.Rights.
func (m *Memory) MayWrite(_ context.Context, who forge.Person, _ string) (bool, error) {
	err := m.begin("right", who.Login)
	defer m.mu.Unlock()
	return m.writers[who.Login], err
}
