package github_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gogithub "github.com/google/go-github/v55/github"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/forge/github"
)

// lab is the simulator of GitHub, and the agent's access to it as an App or with a token.
type lab struct {
	*forgetest.GitHub
	forge *github.Repository
}

func (l lab) Forge() forge.Forge { return l.forge.Forge() }

// patient returns a configuration with high limits on writing, because the suite would exceed the
// usual limits.
func patient(g *forgetest.GitHub) github.Config {
	return github.Config{Repository: g.Repository, APIURL: g.APIURL, WritesPerMinute: 10_000, CreatesPerHour: 100_000}
}

func withToken(t *testing.T, g *forgetest.GitHub) lab {
	t.Helper()
	c := patient(g)
	c.Token = forge.FileToken(g.TokenFile)
	return lab{g, open(t, c)}
}

func withApp(t *testing.T, g *forgetest.GitHub) lab {
	t.Helper()
	c := patient(g)
	c.App = app(g)
	return lab{g, open(t, c)}
}

func app(g *forgetest.GitHub) *forge.App {
	return &forge.App{AppID: g.AppID, Repository: g.Repository, PrivateKeyFile: g.AppKeyFile, APIURL: g.APIURL}
}

func open(t *testing.T, c github.Config) *github.Repository {
	t.Helper()
	r, err := github.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSuite(t *testing.T) {
	t.Run("token", func(t *testing.T) {
		forgetest.Suite(t, func(t *testing.T) forgetest.Lab { return withToken(t, forgetest.StartGitHub(t)) })
	})
	t.Run("app", func(t *testing.T) {
		forgetest.Suite(t, func(t *testing.T) forgetest.Lab { return withApp(t, forgetest.StartGitHub(t)) })
	})
}

// TestTheLabJudges checks that the simulator records Prism's objections. Without them, the suite
// would prove nothing.
func TestTheLabJudges(t *testing.T) {
	g := forgetest.StartGitHub(t)
	for what, body := range map[string]string{"a state that there is not": `{"state":"splendid"}`, "no state": `{}`, "a number for a text": `{"state":"success","context":7}`} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", g.APIURL+"/repos/"+g.Repository+"/statuses/"+strings.Repeat("a", 40), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+g.Token(forgetest.Bot))
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if len(g.Complaints()) == 0 {
			t.Errorf("%s: nobody complains", what)
		}
	}
	t.Run("limits", func(t *testing.T) { testLimit(t, g) })
	t.Run("away", func(t *testing.T) { testAway(t, g) })
	t.Run("nothing new costs nothing", func(t *testing.T) { testConditional(t, g) })
	t.Run("tokens of the app", func(t *testing.T) { testAppTokens(t, g) })
	t.Run("wrong credentials", func(t *testing.T) { testWrongCredentials(t, g) })
	t.Run("check runs", func(t *testing.T) { testCheckRuns(t, g) })
	t.Run("git", func(t *testing.T) { testGit(t, g) })
	t.Run("webhooks", func(t *testing.T) { testWebhooks(t, g) })
}

func testLimit(t *testing.T, g *forgetest.GitHub) {
	l := withToken(t, g)
	g.SetLeft(1, time.Now().Add(time.Hour))
	defer g.SetLeft(5000, time.Now().Add(time.Hour))
	if _, err := l.forge.OpenPulls(t.Context(), g.Branch()); err != nil {
		t.Fatal(err)
	}
	before := g.Served()
	_, err := l.forge.OpenPulls(t.Context(), g.Branch())
	var limited *forge.LimitedError
	if !errors.As(err, &limited) || time.Until(limited.Until) < 59*time.Minute || g.Served() != before {
		t.Errorf("beyond the limit: %v", err)
	}
}

func testAway(t *testing.T, g *forgetest.GitHub) {
	g.SetDown(true)
	_, err := withToken(t, g).forge.OpenPulls(t.Context(), g.Branch())
	g.SetDown(false)
	if !errors.Is(err, forge.ErrUnavailable) {
		t.Errorf("down: %v", err)
	}
}

func testConditional(t *testing.T, g *forgetest.GitHub) {
	l := withToken(t, g)
	g.Push(t, "conditional", map[string]string{"c.yaml": "a: 1\n"})
	number := g.OpenPull(t, "conditional", g.Branch(), "Ask conditionally")
	look := func() {
		t.Helper()
		_, openErr := l.forge.OpenPulls(t.Context(), g.Branch())
		_, commentsErr := l.forge.Comments(t.Context(), number)
		if openErr != nil || commentsErr != nil {
			t.Fatal(openErr, commentsErr)
		}
	}
	look()
	before := g.Served()
	left, _ := l.forge.Budget()
	look()
	if after, _ := l.forge.Budget(); g.Served() != before || after != left {
		t.Errorf("looking again counted as %d requests", g.Served()-before)
	}
	g.AddComment(t, number, "writer", "news")
	look()
	if g.Served() == before {
		t.Error("news were not noticed")
	}
}

func testAppTokens(t *testing.T, g *forgetest.GitHub) {
	a := app(g)
	one, err := a.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := g.Served()
	if two, err := a.Token(t.Context()); two != one || err != nil || g.Served() != before {
		t.Errorf("asked again: %v after %d requests", err, g.Served()-before)
	}
	if login, err := a.Login(t.Context()); login != forgetest.AppLogin || err != nil {
		t.Errorf("its login is %q, %v", login, err)
	}
	l := withApp(t, g)
	if _, err := l.forge.OpenPulls(t.Context(), g.Branch()); err != nil {
		t.Fatal(err)
	}
	g.Revoke()
	if _, err := l.forge.OpenPulls(t.Context(), g.Branch()); err != nil {
		t.Errorf("with a token that was revoked: %v", err)
	}
}

func testWrongCredentials(t *testing.T, g *forgetest.GitHub) {
	otherKey := filepath.Join(t.TempDir(), "other.pem")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	if err := os.WriteFile(otherKey, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	wrongKey, wrongApp, wrongInstallation, nowhere := app(g), app(g), app(g), app(g)
	wrongKey.PrivateKeyFile = otherKey
	wrongApp.AppID = 1
	wrongInstallation.InstallationID = 99
	nowhere.Repository = "acme/elsewhere"
	for says, a := range map[string]*forge.App{"is appID right": wrongKey, "GitHub App 1: ": wrongApp, "installationID 99": wrongInstallation, "installed on acme/elsewhere": nowhere} {
		c := patient(g)
		c.App = a
		if _, err := open(t, c).OpenPulls(t.Context(), g.Branch()); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "eyJ") {
			t.Errorf("%v; want it to say %q", err, says)
		}
	}
	c := patient(g)
	c.Token = func(context.Context) (string, error) { return "ghp_of_nobody", nil }
	if _, err := open(t, c).OpenPulls(t.Context(), g.Branch()); !errors.Is(err, forge.ErrRefused) || !strings.Contains(err.Error(), "is the token right") {
		t.Errorf("a wrong token: %v", err)
	}
}

func testCheckRuns(t *testing.T, g *forgetest.GitHub) {
	l := withApp(t, g)
	commit := g.Push(t, "check-runs", map[string]string{"c.yaml": "a: 1\n"})
	c := forge.Check{Name: "stackreeve/prod", Commit: commit, State: forge.Pending, Title: "Planning", Summary: "soon"}
	put := func() {
		t.Helper()
		if err := l.forge.PutCheck(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	put()
	c.State, c.Title, c.Text = forge.Failure, "1 problem", strings.Repeat("ä", 70_000)
	for i := range 120 {
		c.Annotations = append(c.Annotations, forge.Annotation{File: "c.yaml", Line: i + 1, Level: forge.Grave, Title: "Wrong", Message: fmt.Sprint("line ", i+1)})
	}
	put()
	runs := g.CheckRuns(commit)
	if len(runs) != 1 || runs[0].Status != "completed" || runs[0].Conclusion != "failure" || runs[0].Title != "1 problem" || len(runs[0].Annotations) != 120 {
		t.Fatalf("%d runs: %+v", len(runs), runs)
	}
	before := g.Served()
	put()
	if n := g.Served() - before; len(g.CheckRuns(commit)) != 1 || n > 1 {
		t.Errorf("the same again took %d requests", n)
	}
	c.State, c.Annotations = forge.Success, c.Annotations[:1]
	put()
	runs = g.CheckRuns(commit)
	if len(runs) != 2 || runs[1].Conclusion != "success" || len(runs[1].Annotations) != 1 {
		t.Errorf("annotations cannot be taken away, a new run is needed: %d runs, the last %+v", len(runs), runs[len(runs)-1])
	}
}

func testGit(t *testing.T, g *forgetest.GitHub) {
	token, err := app(g).Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.SetPrivate(true)
	defer g.SetPrivate(false)
	for password, want := range map[string]bool{token: true, "wrong": false} {
		remote := strings.Replace(g.Remote(), "://", "://x-access-token:"+password+"@", 1)
		cmd := exec.CommandContext(t.Context(), "git", "ls-remote", remote, "refs/heads/"+g.Branch())
		cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "HOME="+t.TempDir())
		if out, err := cmd.CombinedOutput(); (err == nil) != want {
			t.Errorf("git with the App's token (%v): %v: %s", want, err, out)
		}
	}
}

func testWebhooks(t *testing.T, g *forgetest.GitHub) {
	got := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := gogithub.ValidatePayload(r, []byte("hook secret"))
		if err != nil {
			t.Errorf("%v", err)
			return
		}
		event, err := gogithub.ParseWebHook(gogithub.WebHookType(r), body)
		switch e := event.(type) {
		case *gogithub.PushEvent:
			got <- "push " + e.GetRef() + " " + e.GetAfter()
		case *gogithub.PullRequestEvent:
			got <- fmt.Sprintf("pull %s %d %s", e.GetAction(), e.GetNumber()+e.GetPullRequest().GetNumber(), e.GetPullRequest().GetHead().GetSHA())
		case *gogithub.IssueCommentEvent:
			got <- "comment " + e.GetAction() + " " + e.GetComment().GetBody() + " by " + e.GetComment().GetUser().GetLogin()
		default:
			t.Errorf("%T, %v", event, err)
		}
	}))
	defer server.Close()
	g.Hook(t, server.URL, "hook secret")
	next := func(want string) {
		t.Helper()
		select {
		case event := <-got:
			if !strings.HasPrefix(event, want) {
				t.Errorf("%q; want %q", event, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("no event; want %q", want)
		}
	}
	commit := g.Push(t, "hooked", map[string]string{"h.yaml": "a: 1\n"})
	next("push refs/heads/hooked " + commit)
	number := g.OpenPull(t, "hooked", g.Branch(), "Notify")
	next("pull opened ")
	g.AddComment(t, number, "writer", "/stackreeve plan")
	next("comment created /stackreeve plan by writer")
	commit = g.Push(t, "hooked", map[string]string{"h.yaml": "a: 2\n"})
	both := map[string]bool{<-got: true, <-got: true}
	if !both["push refs/heads/hooked "+commit] || !both[fmt.Sprintf("pull synchronize %d %s", 2*number, commit)] {
		t.Errorf("after a push: %v", both)
	}
}
