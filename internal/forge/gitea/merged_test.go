package gitea_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
)

// TestWhichPullRequestMergedAFile merges pull requests with two commits in all ways. Each time,
// MergedBy finds the pull request by the newest commit that changed the file of either commit.
func TestWhichPullRequestMergedAFile(t *testing.T) {
	lab := start(t)
	for _, way := range []string{forgetest.MergeCommit, forgetest.Squash, forgetest.Rebase, forgetest.RebaseMerge, forgetest.FastForward} {
		t.Run(way, func(t *testing.T) {
			branch := "by-" + way
			lab.Push(t, branch, map[string]string{branch + "-1.yaml": "a: 1\n"})
			lab.Push(t, branch, map[string]string{branch + "-2.yaml": "a: 1\n"})
			number := lab.OpenPull(t, branch, lab.Branch(), "By "+way)
			var before string
			if way != forgetest.FastForward {
				before = lab.Push(t, lab.Branch(), map[string]string{branch + "-before.yaml": "a: 1\n"})
			}
			merged := lab.MergeBy(t, number, way)
			after := lab.Push(t, lab.Branch(), map[string]string{branch + "-after.yaml": "a: 1\n"})
			for i := 1; i <= 2; i++ {
				commit, err := lab.Forge().LastTouch(t.Context(), lab.Branch(), fmt.Sprintf("%s-%d.yaml", branch, i))
				if err != nil {
					t.Fatal(err)
				}
				p, err := lab.Forge().MergedBy(t.Context(), lab.Branch(), commit)
				if err != nil || p.Number != number || p.MergeCommit != merged {
					t.Errorf("file %d, of %.7s, was merged by %d as %.7s, %v; want %d as %.7s", i, commit, p.Number, p.MergeCommit, err, number, merged)
				}
			}
			for what, commit := range map[string]string{"before": before, "after": after} {
				if commit == "" {
					continue
				}
				if p, err := lab.Forge().MergedBy(t.Context(), lab.Branch(), commit); !errors.Is(err, forge.ErrNotFound) {
					t.Errorf("a push %s the merge was made by %d, %v", what, p.Number, err)
				}
			}
			if p, err := lab.Forge().MergedBy(t.Context(), "release", merged); !errors.Is(err, forge.ErrNotFound) {
				t.Errorf("it was merged into another branch by %d, %v", p.Number, err)
			}
		})
	}
}
