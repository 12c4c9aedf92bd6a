package gitlab_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"reflect"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
)

// TestPython sends the agent's requests with python-gitlab, and reads a list page by page.
func TestPython(t *testing.T) {
	python := program(t, "STACKREEVE_TEST_PYTHON_GITLAB")
	g := forgetest.StartGitLab(t)
	head := g.Push(t, "topic", map[string]string{"a.yaml": "a: 1\n"})
	iid := g.OpenPull(t, "topic", g.Branch(), "Topic")
	var got map[string]any
	out := output(t, exec.CommandContext(t.Context(), python, "judge.py", g.URL, g.Token(forgetest.Bot), g.Project, fmt.Sprint(iid), head, g.Branch()))
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	type all = []any
	want := map[string]any{
		"user": forgetest.Bot, "version": "17.5.1-ee", "project": g.Project, "open": all{1.0}, "head": head,
		"notes": all{"hello again"}, "note": "hello again", "left": 0.0, "pages": 45.0, "discussions": 45.0,
		"statuses": all{all{"stackreeve/prod/plan", "success", forgetest.Bot}}, "pipelines": all{head},
		"level": 30.0, "protected": false, "touched": all{head}, "merged by": all{1.0}, "approved": all{}, "missing": 404.0, "wrong token": 401.0,
	}
	for name, value := range want {
		if !reflect.DeepEqual(got[name], value) {
			t.Errorf("%s: %v; want %v", name, got[name], value)
		}
	}
	made(t, g,
		"DELETE projects/*/merge_requests/*/notes/*", "GET projects/*", "GET projects/*/members/all/*", "GET projects/*/merge_requests",
		"GET projects/*/merge_requests/*", "GET projects/*/merge_requests/*/approvals", "GET projects/*/merge_requests/*/discussions",
		"GET projects/*/merge_requests/*/notes", "GET projects/*/merge_requests/*/notes/*", "GET projects/*/pipelines", "GET projects/*/repository/branches/*",
		"GET projects/*/repository/commits", "GET projects/*/repository/commits/*", "GET projects/*/repository/commits/*/merge_requests",
		"GET projects/*/repository/commits/*/statuses", "GET user", "GET version", "POST projects/*/merge_requests/*/notes", "POST projects/*/statuses/*",
		"PUT projects/*/merge_requests/*/notes/*",
	)
}
