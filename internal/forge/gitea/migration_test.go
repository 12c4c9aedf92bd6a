package gitea_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
)

// TestGitLabMovesToGitea tests the simulator of GitLab with a real Gitea: Gitea's own migration can copy a project from
// it.
func TestGitLabMovesToGitea(t *testing.T) {
	g := forgetest.StartGitea(t)
	from := forgetest.StartGitLab(t)
	head := from.Push(t, "topic", map[string]string{"a.yaml": "a: 1\n"})
	open := from.OpenPull(t, "topic", from.Branch(), "Topic")
	from.AddComment(t, open, "dev", "hello")
	from.AddComment(t, open, forgetest.Maintainer, "hello again")
	from.Push(t, "other", map[string]string{"b.yaml": "b: 1\n"})
	commit := from.MergeBy(from.OpenPull(t, "other", from.Branch(), "Other"), "merge")
	to := enter(t, g.Migrate(t, from, "moved"), forgetest.Bot)

	pulls, err := to.forge.OpenPulls(t.Context(), from.Branch())
	if err != nil || len(pulls) != 1 || pulls[0].Number != open || pulls[0].Head != head || pulls[0].Title != "Topic" || pulls[0].Fork {
		t.Errorf("open pull requests: %+v, %v", pulls, err)
	}
	comments, err := to.forge.Comments(t.Context(), open)
	if err != nil || len(comments) != 2 || comments[0].Body != "hello" || comments[1].Body != "hello again" {
		t.Errorf("comments: %+v, %v", comments, err)
	}
	if merged, err := to.forge.Pull(t.Context(), open+1); err != nil || !merged.Merged || merged.MergeCommit != commit {
		t.Errorf("the merged one: %+v, %v; want commit %s", merged, err, commit)
	}
	calls := []string{
		"GET projects/*", "GET projects/*/merge_requests", "GET projects/*/merge_requests/*", "GET projects/*/merge_requests/*/approvals",
		"GET projects/*/merge_requests/*/award_emoji", "GET projects/*/merge_requests/*/discussions",
		"GET projects/*/merge_requests/*/resource_state_events", "GET version",
	}
	if got := from.Calls(); strings.Join(got, "\n") != strings.Join(calls, "\n") {
		t.Errorf("Gitea made the calls\n%s", strings.Join(got, "\n"))
	}
}
