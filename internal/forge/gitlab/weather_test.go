package gitlab_test

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gitlab"
)

// After lost requests and lost answers, there is one comment, and the status is the last one.
func TestStorms(t *testing.T) { forgetest.Storms(t, start, nil) }

// TestPrivateAuthority checks a GitLab whose certificate was signed by a private authority. It is trusted only if the authority's certificate
// is configured.
func TestPrivateAuthority(t *testing.T) {
	l := start(t)
	behind, err := url.Parse(l.URL)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(behind))
	front.Config.ErrorLog = nil
	t.Cleanup(front.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(caFile string) error {
		r, err := gitlab.New(gitlab.Config{URL: front.URL, Project: l.Project, CAFile: caFile, Token: func(context.Context) (string, error) { return l.Token(forgetest.Bot), nil }})
		if err != nil {
			return err
		}
		_, err = r.OpenPulls(t.Context(), l.Branch())
		return err
	}
	if err := ask(file); err != nil {
		t.Errorf("with its certificate: %v", err)
	}
	if err := ask(""); !errors.Is(err, forge.ErrUnavailable) {
		t.Errorf("without: %v", err)
	}
}

// TestMovedProjects writes everything that the agent writes to a project that was renamed: first before the agent starts, and then while it
// runs.
func TestMovedProjects(t *testing.T) {
	for _, asked := range []bool{false, true} {
		l := start(t)
		head := l.Push(t, "topic", file("a: 1\n"))
		number := l.OpenPull(t, "topic", l.Branch(), "Topic")
		if asked {
			if _, err := l.forge.OpenPulls(t.Context(), l.Branch()); err != nil {
				t.Fatal(err)
			}
		}
		l.Rename("acme/elsewhere/cloud")
		pulls, err := l.forge.OpenPulls(t.Context(), l.Branch())
		if err != nil || len(pulls) != 1 || pulls[0].Head != head {
			t.Errorf("asked before: %v: %+v, %v", asked, pulls, err)
		}
		c, err := l.forge.Post(t.Context(), number, "hello")
		if err := errors.Join(err, l.forge.Edit(t.Context(), number, c.ID, "hello again")); err != nil {
			t.Errorf("asked before: %v: a comment: %v", asked, err)
		}
		set(t, l, head, forge.Success, "done")
	}
}

// TestMergeTrains checks that the commits of merge trains get no status. The status of the head is in the pipeline of the head. After the
// merge, the commit of the train is in the branch, and the merge request is found by it.
func TestMergeTrains(t *testing.T) {
	l := start(t)
	base := l.Push(t, l.Branch(), file("a: 1\n"))
	heads, numbers := map[string]string{}, map[string]int{}
	for _, name := range []string{"first", "second"} {
		heads[name] = l.Push(t, name, map[string]string{name + ".yaml": "a: 1\n"})
		numbers[name] = l.OpenPull(t, name, l.Branch(), name)
	}
	if _, err := l.forge.OpenPulls(t.Context(), l.Branch()); err != nil {
		t.Fatal(err)
	}
	detached := l.RunPipeline(heads["second"], "refs/merge-requests/2/head", "merge_request_event")
	first, _ := l.Train(numbers["first"], base)
	second, pipeline := l.Train(numbers["second"], first)
	set(t, l, heads["second"], forge.Failure, "held")
	if l.StatusIn(detached, "c") != "failed" || l.StatusIn(pipeline, "c") != "" || l.Pipelines() != 0 {
		t.Errorf("the head's pipeline says %q, the train's %q, %d were made", l.StatusIn(detached, "c"), l.StatusIn(pipeline, "c"), l.Pipelines())
	}
	if p, err := l.forge.MergedBy(t.Context(), l.Branch(), second); !errors.Is(err, forge.ErrNotFound) {
		t.Errorf("before the merge: %+v, %v", p, err)
	}
	for name, commit := range map[string]string{"first": l.Arrive(numbers["first"]), "second": l.Arrive(numbers["second"])} {
		if p, err := l.forge.MergedBy(t.Context(), l.Branch(), commit); err != nil || p.Number != numbers[name] || p.MergeCommit != commit {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	pushed := l.RunPipeline(second, l.Branch(), "push")
	if _, err := l.forge.OpenPulls(t.Context(), l.Branch()); err != nil {
		t.Fatal(err)
	}
	set(t, l, second, forge.Success, "in sync")
	if l.StatusIn(pushed, "c") != "success" || l.StatusIn(pipeline, "c") != "" {
		t.Errorf("after the merge the branch's pipeline says %q, the train's %q", l.StatusIn(pushed, "c"), l.StatusIn(pipeline, "c"))
	}
}
