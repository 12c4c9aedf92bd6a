package inspect_test

import (
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/inspect"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/session"
)

// views inspects the stacks of a configuration.
func views(t *testing.T, secret, text string) []report.ForgeView {
	t.Helper()
	stacks, err := config.Load([]string{write(t, "stackreeve.yaml", text)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	opener := session.Opener{Log: slog.New(slog.DiscardHandler), Shared: &session.Shared{}}
	return inspect.Inspector{Opener: opener, WebhookSecret: secret}.Stacks(t.Context(), stacks)
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func stack(name, url, branch, report string) string {
	return fmt.Sprintf(`---
apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: %s}
spec:
  source: {url: %s, branch: %s}
  cloud: any
  report: %s
`, name, url, branch, report)
}

func resultsOf(v report.ForgeView) results {
	got := results{}
	for _, f := range v.Findings {
		got[f.Task] = f.Result
	}
	return got
}

// Stacks that report to the same repository are inspected once. Requests to the Git server use the credentials
// of the source.
func TestStacks(t *testing.T) {
	g := forgetest.StartGitLab(t)
	opened(t, g)
	token := write(t, "token", g.Token(forgetest.Bot))
	to := fmt.Sprintf(`{gitlab: {url: %s, project: %s, tokenFile: %s}}`, g.URL, g.Project, token)
	text := stack("one", g.Remote(), "main", to) + stack("two", g.Remote(), "main", to) + stack("three", g.Remote(), "topic", to) + stack("four", g.Remote(), "none", to)
	got := views(t, write(t, "secret", "0123456789abcdef0123456789abcdef"), text)
	if len(got) != 3 || len(got[0].Stacks) != 2 || got[0].Branch != "main" || got[0].Repository != g.Project {
		t.Fatalf("views: %+v", got)
	}
	everything := except(gitLab(t, g, g.Token(forgetest.Bot), g.Project), results{forge.TaskClone: forge.Works, forge.TaskWebhooks: forge.Works})
	same(t, resultsOf(got[0]), everything)
	if o := report.ForgeOutcome(got[:1]); o != 0 {
		t.Errorf("outcome %v", o)
	}
	if r := resultsOf(got[2]); r[forge.TaskClone] != forge.Missing || r[forge.TaskStatuses] != forge.NotTried || r[forge.TaskLogin] != forge.Works {
		t.Errorf("a branch that there is not: %v", r)
	}
	if o := report.ForgeOutcome(got); o != 2 {
		t.Errorf("outcome %v with a branch that there is not", o)
	}
}

// A secret that cannot be read is a problem. If no secret is configured, that is no problem.
func TestWebhooks(t *testing.T) {
	g := forgetest.StartGitLab(t)
	text := stack("one", g.Remote(), "main", fmt.Sprintf(`{gitlab: {url: %s, project: %s, tokenFile: %s}}`, g.URL, g.Project, write(t, "token", g.Token(forgetest.Bot))))
	for secret, want := range map[string]forge.Result{"": forge.NotTried, write(t, "empty", ""): forge.Missing, write(t, "secret", "0123456789abcdef0123"): forge.Works} {
		if got := resultsOf(views(t, secret, text)[0])[forge.TaskWebhooks]; got != want {
			t.Errorf("%q: %s; want %s", secret, got, want)
		}
	}
}

// A certificate of an unknown authority is a problem until caFile contains the authority.
func TestPrivateAuthority(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"id": 7, "username": "stackreeve-bot"}`))
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // log of the refused handshakes
	server.StartTLS()
	defer server.Close()
	repository := forgetest.StartGitLab(t)
	token, ca := write(t, "token", "only-in-tests"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for trust, want := range map[string]forge.Result{"": forge.Missing, ", caFile: " + write(t, "ca.pem", string(ca)): forge.Works, ", caFile: " + write(t, "no.pem", "none"): forge.Missing} {
		to := fmt.Sprintf("{gitlab: {url: %s, project: acme/cloud-config, tokenFile: %s%s}}", server.URL, token, trust)
		got := resultsOf(views(t, "", stack("one", repository.Remote(), "main", to))[0])
		if got[forge.TaskLogin] != want {
			t.Errorf("trust %q: %v; want %s", trust, got, want)
		}
	}
}
