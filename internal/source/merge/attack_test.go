package merge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// TestAttackMerges merges many files that both sides changed.
func TestAttackMerges(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	text := func(n int) []byte { return []byte(strings.Repeat(fmt.Sprintf("%d\n", n), 1<<20)) }
	m := newMerger(ctx, store.New(""))
	hash := func(b []byte) plumbing.Hash {
		h := plumbing.ComputeHash(plumbing.BlobObject, b)
		m.made.Files[h] = b
		return h
	}
	of := [3]plumbing.Hash{hash(text(1)), hash(text(2)), hash(text(3))}
	var err error
	merges := 0
	for ; err == nil && merges < 1000; merges++ {
		_, err = m.lines(of)
	}
	if !errors.Is(err, failure.ErrContent) || merges > 20 {
		t.Errorf("after %d merges: %v", merges, err)
	}
	for range 3 * maxConflicts {
		m.recordConflict("a")
	}
	if len(m.conflicts) != maxConflicts {
		t.Errorf("%d conflicts are kept", len(m.conflicts))
	}
	before := m.bytes
	cancel()
	if _, err := m.lines(of); !errors.Is(err, context.Canceled) || m.bytes != before {
		t.Errorf("after the end: %v", err)
	}
}

// TestAttackCrissCross has two histories that were merged into each other at every step. It counts
// how often commits are visited.
func TestAttackCrissCross(t *testing.T) {
	testcost.Long(t) // The test makes a long history.
	a := ancestry{}
	commit := func(side byte, n int) plumbing.Hash { return plumbing.Hash{side, byte(n >> 16), byte(n >> 8), byte(n)} }
	const steps = 100_000
	for n := 1; n <= steps; n++ {
		for _, side := range "LR" {
			a[commit(byte(side), n)] = []plumbing.Hash{commit('L', n-1), commit('R', n-1)}
		}
	}
	a[commit('L', 0)], a[commit('R', 0)] = nil, nil
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	v := &visitBudget{ctx, maxVisits}
	left, right := []plumbing.Hash{commit('L', steps)}, []plumbing.Hash{commit('R', steps)}
	best, sure, err := a.newestShared(v, left, right)
	if err != nil || !sure || len(best) != 2 {
		t.Errorf("%v, %v, %v", best, sure, err)
	}
	if used := maxVisits - v.left; used > 20*steps {
		t.Errorf("%d visits of %d commits", used, 2*steps)
	}
	v.left = steps
	if _, _, err := a.newestShared(v, left, right); !errors.Is(err, failure.ErrContent) {
		t.Errorf("beyond the bound: %v", err)
	}
	v.left = maxVisits
	cancel()
	if _, _, err := a.newestShared(v, left, right); !errors.Is(err, context.Canceled) || v.left != maxVisits {
		t.Errorf("after the end: %v, %d left", err, v.left)
	}
}
