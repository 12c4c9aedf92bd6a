// Package gitlab_test checks the stand-in for GitLab and the endpoint of webhooks with programs of other
// authors: GitLab's own Go client, glab, python-gitlab, and the library of Standard Webhooks. Each test lists
// the calls that the program has made. Gitea's migration is another such program (internal/forge/gitea).
package gitlab_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	gitlab "gitlab.com/gitlab-org/api/client-go"

	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/source/webhook"
)

func client(t *testing.T, g *forgetest.GitLab) *gitlab.Client {
	t.Helper()
	c, err := gitlab.NewClient(g.Token(forgetest.Bot), gitlab.WithBaseURL(g.URL+"/api/v4"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must[T any](t *testing.T) func(v T, _ *gitlab.Response, err error) T {
	return func(v T, _ *gitlab.Response, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestClient(t *testing.T) {
	g := forgetest.StartGitLab(t)
	c := client(t, g)
	head := g.Push(t, "topic", map[string]string{"a.yaml": "a: 1\n"})
	iid := int64(g.OpenPull(t, "topic", g.Branch(), "Topic"))
	project := must[*gitlab.Project](t)(c.Projects.GetProject(g.Project, nil))
	me := must[*gitlab.User](t)(c.Users.CurrentUser())
	if project.ID == 0 || me.Username != forgetest.Bot {
		t.Fatalf("project %d, user %q", project.ID, me.Username)
	}
	id := project.ID

	state, order, up, since := "all", "updated_at", "asc", time.Now().Add(-time.Hour).UTC().Truncate(time.Second)
	list := must[[]*gitlab.BasicMergeRequest](t)(c.MergeRequests.ListProjectMergeRequests(id, &gitlab.ListProjectMergeRequestsOptions{State: &state, OrderBy: &order, Sort: &up, UpdatedAfter: &since}))
	if len(list) != 1 || list[0].IID != iid || list[0].SHA != head || list[0].SourceProjectID != list[0].TargetProjectID || list[0].UpdatedAt.Before(since) {
		t.Errorf("merge requests: %+v", list)
	}
	one := must[*gitlab.MergeRequest](t)(c.MergeRequests.GetMergeRequest(id, iid, nil))
	if one.SHA != head || one.State != "opened" || one.TargetBranch != g.Branch() || one.WebURL == "" {
		t.Errorf("merge request: %+v", one)
	}

	text, newer := "hello", "hello again"
	note := must[*gitlab.Note](t)(c.Notes.CreateMergeRequestNote(id, iid, &gitlab.CreateMergeRequestNoteOptions{Body: &text}))
	must[*gitlab.Note](t)(c.Notes.UpdateMergeRequestNote(id, iid, note.ID, &gitlab.UpdateMergeRequestNoteOptions{Body: &newer}))
	notes := must[[]*gitlab.Note](t)(c.Notes.ListMergeRequestNotes(id, iid, nil))
	if len(notes) != 1 || notes[0].Body != newer || notes[0].Author.ID != me.ID || !notes[0].UpdatedAt.After(*notes[0].CreatedAt) {
		t.Errorf("notes: %+v", notes)
	}
	if _, err := c.Notes.DeleteMergeRequestNote(id, iid, note.ID); err != nil {
		t.Error(err)
	}

	name, ref := "stackreeve/prod/plan", "topic"
	status := must[*gitlab.CommitStatus](t)(c.Commits.SetCommitStatus(id, head, &gitlab.SetCommitStatusOptions{State: gitlab.Success, Name: &name, Ref: &ref, Description: &text}))
	statuses := must[[]*gitlab.CommitStatus](t)(c.Commits.GetCommitStatuses(id, head, nil))
	if len(statuses) != 1 || statuses[0].ID != status.ID || statuses[0].Name != name || statuses[0].Status != "success" || statuses[0].Author.ID != me.ID {
		t.Errorf("statuses: %+v", statuses)
	}
	if pipelines := must[[]*gitlab.PipelineInfo](t)(c.Pipelines.ListProjectPipelines(id, &gitlab.ListProjectPipelinesOptions{SHA: &head})); len(pipelines) != 1 || pipelines[0].SHA != head {
		t.Errorf("pipelines: %+v", pipelines)
	}

	member := must[*gitlab.ProjectMember](t)(c.ProjectMembers.GetInheritedProjectMember(id, me.ID))
	branch := must[*gitlab.Branch](t)(c.Branches.GetBranch(id, g.Branch()))
	if member.AccessLevel != gitlab.DeveloperPermissions || member.State != "active" || branch.Name != g.Branch() || branch.Protected {
		t.Errorf("member %+v, branch %+v", member, branch)
	}

	commit := g.MergeBy(int(iid), "squash")
	merged := must[[]*gitlab.BasicMergeRequest](t)(c.Commits.ListMergeRequestsByCommit(id, commit))
	if len(merged) != 1 || merged[0].State != "merged" || merged[0].SquashCommitSHA != commit {
		t.Errorf("merged by %s: %+v", commit, merged)
	}
	main, path := g.Branch(), "a.yaml"
	if commits := must[[]*gitlab.Commit](t)(c.Commits.ListCommits(id, &gitlab.ListCommitsOptions{RefName: &main, Path: &path})); len(commits) != 1 || commits[0].ID != commit {
		t.Errorf("commits: %+v", commits)
	}
	made(t, g,
		"DELETE projects/*/merge_requests/*/notes/*", "GET projects/*", "GET projects/*/members/all/*", "GET projects/*/merge_requests",
		"GET projects/*/merge_requests/*", "GET projects/*/merge_requests/*/notes", "GET projects/*/pipelines", "GET projects/*/repository/branches/*",
		"GET projects/*/repository/commits", "GET projects/*/repository/commits/*/merge_requests", "GET projects/*/repository/commits/*/statuses",
		"GET user", "POST projects/*/merge_requests/*/notes", "POST projects/*/statuses/*", "PUT projects/*/merge_requests/*/notes/*",
	)
}

// The client can parse every message of the stand-in, and gets the same data from it as the agent.
func TestMessages(t *testing.T) {
	g := forgetest.StartGitLab(t)
	got := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		event, err := gitlab.ParseHook(gitlab.HookEventType(r), body)
		switch e := event.(type) {
		case *gitlab.PushEvent:
			got <- fmt.Sprint("push ", e.Project.PathWithNamespace, " ", e.Ref, " ", e.After)
		case *gitlab.MergeEvent:
			got <- fmt.Sprint(e.ObjectAttributes.Action, " ", e.Project.PathWithNamespace, " ", e.ObjectAttributes.IID, " ", e.ObjectAttributes.LastCommit.ID)
		case *gitlab.MergeCommentEvent:
			got <- fmt.Sprint("note ", e.MergeRequest.IID, " ", e.ObjectAttributes.Note)
		default:
			t.Errorf("%T, %v", event, err)
		}
	}))
	t.Cleanup(server.Close)
	g.Hook(t, server.URL, "only-in-tests")
	next := func(want string) {
		t.Helper()
		select {
		case event := <-got:
			if event != want {
				t.Errorf("%q; want %q", event, want)
			}
		case <-t.Context().Done():
			t.Fatalf("no message; want %q", want)
		}
	}
	head := g.Push(t, "topic", map[string]string{"a.yaml": "a: 1\n"})
	next("push " + g.Project + " refs/heads/topic " + head)
	number := g.OpenPull(t, "topic", g.Branch(), "Topic")
	next(fmt.Sprint("open ", g.Project, " ", number, " ", head))
	g.AddComment(t, number, "dev", "/stackreeve plan")
	next(fmt.Sprint("note ", number, " /stackreeve plan"))
	g.Close(t, number)
	next(fmt.Sprint("close ", g.Project, " ", number, " ", head))
}

// The endpoint accepts a message that the library of Standard Webhooks has signed.
func TestSignedMessages(t *testing.T) {
	const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	signer, err := standardwebhooks.NewWebhook(key)
	if err != nil {
		t.Fatal(err)
	}
	var events []webhook.Event
	endpoint, err := webhook.New(webhook.Config{Secrets: func() ([]string, error) { return []string{key}, nil }, Notify: func(e webhook.Event) { events = append(events, e) }})
	if err != nil {
		t.Fatal(err)
	}
	body, at := `{"object_kind": "push", "ref": "refs/heads/main", "project": {"path_with_namespace": "acme/infra/config"}}`, time.Now()
	signature, err := signer.Sign("msg_1", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/webhook/gitlab", strings.NewReader(body))
	for name, value := range map[string]string{
		"Content-Type": "application/json", "X-Gitlab-Event": "Push Hook", "Webhook-Id": "msg_1", "Webhook-Timestamp": fmt.Sprint(at.Unix()), "Webhook-Signature": signature,
	} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	endpoint.ServeHTTP(w, r)
	if w.Code != http.StatusAccepted || len(events) != 1 || events[0].Repository != "acme/infra/config" {
		t.Errorf("answered %d, events %+v", w.Code, events)
	}
}
