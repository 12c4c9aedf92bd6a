package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// hooked is an agent that polls once a day, reads a repository over HTTP, and receives webhooks.
type hooked struct {
	*stage
	addr   string
	passes chan time.Time // the times when the servers were listed
	first  chan time.Time // the time of the first request since the channel was empty
	n      int
}

func newHooked(t testing.TB) *hooked {
	t.Helper()
	h := setHooked(t, "")
	h.change()
	h.start()
	return h
}

// setHooked sets up the stage. The argument more is added to the source in the configuration.
func setHooked(t testing.TB, more string) *hooked {
	t.Helper()
	return setHookedOn(t, simulator.Options{}, more)
}

func setHookedOn(t testing.TB, options simulator.Options, more string) *hooked {
	t.Helper()
	h := &hooked{stage: newStage(t, options), passes: make(chan time.Time, 100), first: make(chan time.Time, 1)}
	out, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), Root: "/acme",
		Env: []string{"GIT_PROJECT_ROOT=" + h.Dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	})
	t.Cleanup(server.Close)
	h.Write("stackreeve.yaml", `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: hooked}
spec:
  source: {url: "`+server.URL+`/acme/repo", branch: main, poll: "@every 24h"`+more+`}
  cloud: demo
  sync: {driftCheck: "@every 24h"}
`)
	h.Write("secret", webhookSecret+"\n")
	h.build()
	return h
}

// change commits a new network.
func (h *hooked) change() {
	h.n++
	h.Write(fmt.Sprintf("repo/net%d.yaml", h.n), fmt.Sprintf("apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: net%d}\nspec: {resource: {}}\n", h.n))
	h.Commit()
}

// start runs the agent and waits for its first pass.
func (h *hooked) start() {
	h.t.Helper()
	h.serve()
	<-h.passes
	h.quiet()
}

func (h *hooked) serve() {
	h.t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(h.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	h.addr = l.Addr().String()
	_ = l.Close() // the agent listens at this address next
	h.Server.OnRequest(func(_ int, r simulator.Request) {
		at := time.Now()
		select {
		case h.first <- at:
		default:
		}
		if r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/networks") {
			h.passes <- at
		}
	})
	cmd := h.command("run", "--listen", h.addr, "--webhook-secret-file", h.Path("secret"))
	said := &servicetest.Record{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // the process was killed
		if h.t.Failed() {
			h.t.Logf("the agent said:\n%s", said)
		}
	})
}

// quiet waits until the pass has ended.
func (h *hooked) quiet() {
	h.t.Helper()
	for range 1500 {
		answer := h.do(http.MethodGet, "/metrics", "", nil)
		if strings.Contains(answer, fmt.Sprintf(`stackreeve_steps_total{action="create",result="ok",stack="hooked"} %d`, h.n)) {
			for len(h.first) > 0 {
				<-h.first
			}
			return
		}
		select {
		case <-h.t.Context().Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	h.t.Fatal("the pass does not end")
}

func (h *hooked) do(method, path, body string, header map[string]string) string {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, "http://"+h.addr+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	var answer strings.Builder
	fmt.Fprintln(&answer, resp.StatusCode)
	if err := resp.Write(&answer); err != nil {
		return err.Error()
	}
	return answer.String()
}

// push sends the message of a push, signed with a secret.
func (h *hooked) push(secret, branch string) string {
	h.t.Helper()
	body := fmt.Sprintf(`{"ref": "refs/heads/%s", "after": "%040x", "repository": {"full_name": "acme/repo"}}`, branch, h.n)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return h.do(http.MethodPost, "/webhook/github", body, map[string]string{
		"Content-Type": "application/json", "X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + hex.EncodeToString(mac.Sum(nil)),
	})
}

// pushToGitLab sends the message of a push as GitLab does, with the secret as its token.
func (h *hooked) pushToGitLab(secret string) string {
	h.t.Helper()
	body := fmt.Sprintf(`{"object_kind": "push", "ref": "refs/heads/main", "after": "%040x", "project": {"path_with_namespace": "acme/repo"}}`, h.n)
	return h.do(http.MethodPost, "/webhook/gitlab", body, map[string]string{"Content-Type": "application/json", "X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": secret})
}

func TestAPushIsAppliedAtOnce(t *testing.T) {
	h := newHooked(t)
	h.change()
	for _, c := range []struct{ secret, branch, code string }{{"a guess", "main", "401"}, {webhookSecret, "other", "202"}} {
		if answer := h.push(c.secret, c.branch); !strings.HasPrefix(answer, c.code) {
			t.Errorf("%s, %s: answered %s, want %s", c.secret, c.branch, answer, c.code)
		}
	}
	if answer := h.push(webhookSecret, "main"); !strings.HasPrefix(answer, "202") {
		t.Fatalf("answered %s", answer)
	}
	<-h.passes
	h.quiet()
	metrics := h.do(http.MethodGet, "/metrics", "", nil)
	for _, want := range []string{
		`stackreeve_webhooks_total{forge="github",outcome="accepted"} 2`,
		`stackreeve_webhooks_total{forge="github",outcome="wrong-signature"} 1`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %q among the metrics", want)
		}
	}
	h.change()
	if answer := h.pushToGitLab("a guess"); !strings.HasPrefix(answer, "401") {
		t.Errorf("a wrong token is answered %s", answer)
	}
	if answer := h.pushToGitLab(webhookSecret); !strings.HasPrefix(answer, "202") {
		t.Fatalf("answered %s", answer)
	}
	<-h.passes
	h.quiet()
	if answer := h.do(http.MethodGet, "/webhook/github", "", nil); !strings.HasPrefix(answer, "405") {
		t.Errorf("GET is answered %s", answer)
	}
}

// If a push adds a folder, the folder becomes a stack before the next poll.
func TestAPushBringsAFolder(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	h := setHooked(t, ", paths: clouds/*")
	for n, folder := range []string{"eu", "us"} {
		h.Write("repo/clouds/"+folder+"/net.yaml", servicetest.NetworkNamed(folder, ""))
		h.Commit()
		if n == 0 {
			h.serve()
		} else if answer := h.push(webhookSecret, "main"); !strings.HasPrefix(answer, "202") {
			t.Fatalf("answered %s", answer)
		}
		select {
		case <-h.passes:
		case <-time.After(time.Minute):
			t.Fatalf("nothing is made for the folder %s", folder)
		}
	}
}

// BenchmarkWebhook measures the time from a forge's message to the first request to the cloud. In this time, the agent fetches the repository.
func BenchmarkWebhook(b *testing.B) {
	h := newHooked(b)
	var total time.Duration
	for b.Loop() {
		h.change()
		sent := time.Now()
		h.push(webhookSecret, "main")
		total += (<-h.first).Sub(sent)
		<-h.passes
		h.quiet()
	}
	b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms-to-first-request")
}

// TestWebhooksNeedASecret checks that the agent does not start if it cannot read a secret from the file, or has no listener.
func TestWebhooksNeedASecret(t *testing.T) {
	s := newStage(t, simulator.Options{})
	s.build()
	s.Write("empty", "\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", "127.0.0.1:0", "--webhook-secret-file", s.Path("empty")}, "/empty"},
		{[]string{"--listen", "127.0.0.1:0", "--webhook-secret-file", s.Path("none")}, "no such file"},
		{[]string{"--webhook-secret-file", s.Path("empty")}, "--listen"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := s.command(append([]string{"run"}, c.args...)...)
		context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
		out, err := cmd.CombinedOutput()
		cancel()
		if err == nil || !strings.Contains(string(out), "error: --webhook-secret-file: ") || !strings.Contains(string(out), c.want) {
			t.Errorf("%v: %v\n%s", c.args, err, out)
		}
	}
}
