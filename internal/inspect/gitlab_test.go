package inspect_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/gitlab"
	"github.com/stackreeve/stackreeve/internal/inspect"
)

// results contains the results of findings by their tasks.
type results map[forge.Task]forge.Result

// inspected inspects a forge. Each finding contains a right, and none of them contains the token.
func inspected(t *testing.T, f forge.Forge, at forge.Sample, token string) results {
	t.Helper()
	got := results{}
	for _, one := range inspect.Forge(t.Context(), f, at) {
		got[one.Task] = one.Result
		if one.Right == "" || one.Right != f.RightsByTask()[one.Task] {
			t.Errorf("%s: the right is %q", one.Task, one.Right)
		}
		if strings.Contains(one.Reason, token) {
			t.Errorf("%s shows the token: %s", one.Task, one.Reason)
		}
		if (one.Result == forge.Missing || one.Result == forge.NoAnswer || one.Result == forge.NotTried) && one.Reason == "" {
			t.Errorf("%s: %s without a reason", one.Task, one.Result)
		}
	}
	return got
}

// except returns the results in which all tasks of a forge work, with the exceptions in other.
func except(f forge.Forge, other results) results {
	want := results{}
	for task := range f.RightsByTask() {
		if task != forge.TaskClone && task != forge.TaskWebhooks {
			want[task] = forge.Works
		}
	}
	for task, result := range other {
		want[task] = result
	}
	return want
}

// failing returns the results that are known if one of the first two tasks fails.
func failing(f forge.Forge, task forge.Task, result forge.Result) results {
	want := results{}
	for one := range except(f, nil) {
		want[one] = forge.NotTried
	}
	if task == forge.TaskRepository {
		want[forge.TaskLogin] = forge.Works
	}
	want[task] = result
	return want
}

func same(t *testing.T, got, want results) {
	t.Helper()
	for task := range want {
		if got[task] != want[task] {
			t.Errorf("%s: %q; want %q", task, got[task], want[task])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d findings; want %d: %v", len(got), len(want), got)
	}
}

func gitLab(t *testing.T, g *forgetest.GitLab, token, project string) forge.Forge {
	t.Helper()
	r, err := gitlab.New(gitlab.Config{URL: g.URL, Project: project, Token: func(context.Context) (string, error) { return token, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return r.Forge()
}

// opened makes a repository with an open pull request, and returns a sample of it.
func opened(t *testing.T, lab interface {
	Branch() string
	forgetest.Hands
}) forge.Sample {
	t.Helper()
	commit := lab.Push(t, lab.Branch(), map[string]string{"a.yaml": "a: 1\n"})
	lab.Push(t, "topic", map[string]string{"b.yaml": "b: 1\n"})
	lab.OpenPull(t, "topic", lab.Branch(), "Topic")
	return forge.Sample{Branch: lab.Branch(), Commit: commit, File: "a.yaml"}
}

func TestGitLab(t *testing.T) {
	for name, c := range map[string]struct {
		login string // "" for the login of the agent
		stage func(g *forgetest.GitLab)
		want  func(f forge.Forge) results
	}{
		"all rights": {want: func(f forge.Forge) results { return except(f, nil) }},
		"a token that only reads": {
			stage: func(g *forgetest.GitLab) { g.LimitToken(forgetest.Bot, "read_api") },
			want: func(f forge.Forge) results {
				return except(f, results{forge.TaskWriteComments: forge.Missing, forge.TaskWriteStatuses: forge.Missing})
			},
		},
		"a token without the API": {
			stage: func(g *forgetest.GitLab) { g.LimitToken(forgetest.Bot, "read_repository") },
			want:  func(f forge.Forge) results { return failing(f, forge.TaskLogin, forge.Missing) },
		},
		"a reporter": {
			login: "reader", stage: func(g *forgetest.GitLab) { g.Allow(nil, "reader", false) },
			want: func(f forge.Forge) results { return except(f, results{forge.TaskWriteStatuses: forge.Missing}) },
		},
		"a stranger": {
			login: "stranger", stage: func(g *forgetest.GitLab) { g.AddComment(nil, 1, "stranger", "hello") },
			want: func(f forge.Forge) results {
				return except(f, results{forge.TaskWriteComments: forge.NotTried, forge.TaskWriteStatuses: forge.Missing})
			},
		},
		"a protected branch": {
			stage: func(g *forgetest.GitLab) { g.Protect(g.Branch()) },
			want:  func(f forge.Forge) results { return except(f, results{forge.TaskWriteStatuses: forge.Missing}) },
		},
		"an archived project": {
			stage: func(g *forgetest.GitLab) { g.Archive() },
			want: func(f forge.Forge) results {
				return except(f, results{forge.TaskWriteComments: forge.Missing, forge.TaskWriteStatuses: forge.Missing})
			},
		},
		"a token that GitLab does not tell about": {
			stage: func(g *forgetest.GitLab) {
				g.SetWeather(answering("/personal_access_tokens/self", http.StatusBadRequest))
			},
			want: func(f forge.Forge) results {
				return except(f, results{forge.TaskWriteComments: forge.NotTried, forge.TaskWriteStatuses: forge.NotTried})
			},
		},
		"one list that fails": {
			stage: func(g *forgetest.GitLab) { g.SetWeather(answering("/statuses", http.StatusInternalServerError)) },
			want:  func(f forge.Forge) results { return except(f, results{forge.TaskStatuses: forge.NoAnswer}) },
		},
		"rights that fail": {
			stage: func(g *forgetest.GitLab) { g.SetWeather(answering("/members/all/", http.StatusBadGateway)) },
			want: func(f forge.Forge) results {
				return except(f, results{forge.TaskPeople: forge.NoAnswer, forge.TaskWriteComments: forge.NoAnswer, forge.TaskWriteStatuses: forge.NoAnswer})
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := forgetest.StartGitLab(t)
			at := opened(t, g)
			if c.login == "" {
				c.login = forgetest.Bot
			}
			if c.stage != nil {
				c.stage(g)
			}
			f := gitLab(t, g, g.Token(c.login), g.Project)
			same(t, inspected(t, f, at, g.Token(c.login)), c.want(f))
		})
	}
}

// answering returns a forge's answer to requests whose path contains part. The answer has a code, and repeats
// the credentials of the request.
func answering(part string, code int) func(w http.ResponseWriter, r *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, part) {
			return false
		}
		w.Header().Set("Retry-After", "60")
		http.Error(w, `{"message": "no: `+r.Header.Get("Authorization")+`"}`, code)
		return true
	}
}

// The first two tasks are tried before all others. If one of them fails, the others are not tried.
func TestWhatComesFirst(t *testing.T) {
	g := forgetest.StartGitLab(t)
	at := opened(t, g)
	const wrong = "glpat-only-in-tests-wrong"
	f := gitLab(t, g, wrong, g.Project)
	same(t, inspected(t, f, at, wrong), failing(f, forge.TaskLogin, forge.Missing))
	f = gitLab(t, g, g.Token(forgetest.Bot), "acme/other")
	same(t, inspected(t, f, at, g.Token(forgetest.Bot)), failing(f, forge.TaskRepository, forge.Missing))
	for _, code := range []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway} {
		g.SetWeather(answering("/", code))
		before := g.Served()
		f = gitLab(t, g, g.Token(forgetest.Bot), g.Project)
		same(t, inspected(t, f, at, g.Token(forgetest.Bot)), failing(f, forge.TaskLogin, forge.NoAnswer))
		if n := g.Served() - before; n != 1 {
			t.Errorf("%d: %d requests; want 1", code, n)
		}
	}
}

// A missing token file is found before any request is sent.
func TestNoToken(t *testing.T) {
	g := forgetest.StartGitLab(t)
	r, err := gitlab.New(gitlab.Config{URL: g.URL, Project: g.Project, Token: forge.FileToken(t.TempDir() + "/none")})
	if err != nil {
		t.Fatal(err)
	}
	f := r.Forge()
	same(t, inspected(t, f, forge.Sample{Branch: g.Branch()}, "no token"), failing(f, forge.TaskLogin, forge.Missing))
	if g.Served() != 0 {
		t.Errorf("%d requests without a token", g.Served())
	}
}

// If there is no commit or no open pull request, the requests that read one are not tried.
func TestNothingThere(t *testing.T) {
	g := forgetest.StartGitLab(t)
	f := gitLab(t, g, g.Token(forgetest.Bot), g.Project)
	same(t, inspected(t, f, forge.Sample{Branch: g.Branch()}, g.Token(forgetest.Bot)), except(f, results{
		forge.TaskComments: forge.NotTried, forge.TaskHistory: forge.NotTried, forge.TaskStatuses: forge.NotTried,
	}))
	same(t, inspected(t, f, forge.Sample{}, g.Token(forgetest.Bot)), except(f, results{
		forge.TaskComments: forge.NotTried, forge.TaskHistory: forge.NotTried, forge.TaskStatuses: forge.NotTried,
		forge.TaskPeople: forge.NotTried, forge.TaskWriteStatuses: forge.NotTried,
	}))
}

// If a forge does not answer in time, the finding is that there is no answer. Nothing else is stopped.
func TestSlow(t *testing.T) {
	g := forgetest.StartGitLab(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	g.SetWeather(func(http.ResponseWriter, *http.Request) bool {
		cancel(errors.New("too slow")) // as if the time limit were exceeded before GitLab answers
		<-ctx.Done()
		return false
	})
	f := gitLab(t, g, g.Token(forgetest.Bot), g.Project)
	got := results{}
	for _, one := range inspect.Forge(ctx, f, forge.Sample{Branch: g.Branch()}) {
		got[one.Task] = one.Result
	}
	same(t, got, failing(f, forge.TaskLogin, forge.NoAnswer))
}
