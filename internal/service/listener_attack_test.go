package service

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/listen"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// newDoor starts a listener with an agent's handler on loopback, with one stack that does not run.
func newDoor(t *testing.T) (svc *service, address string) {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(webhookSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	stack := config.Stack{Name: "prod"}
	stack.Spec.Source.URL, stack.Spec.Source.Branch = "https://git.example.com/acme/repo.git", "main"
	svc = &service{log: quiet, health: agent.NewHealth([]string{"prod"}), metrics: report.NewMetrics("test"), roster: newRoster(), documents: []config.Stack{stack}}
	svc.roster.set("prod", &served{loop: agent.New(agent.Config{Name: "prod"}), hearing: newHearing("", func(engine.Moved) {})})
	svc.forges = newForges(quiet, svc.metrics)
	if err := svc.setUpWebhooks(Options{Listen: Listener{Address: "127.0.0.1:0"}, WebhookSecret: secret}); err != nil {
		t.Fatal(err)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := listen.New(svc.handler(), quiet)
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(l) }() // Serve returns an error at the shutdown
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		cancel()
		_ = server.Shutdown(ctx) // an error does not matter, because no request is waited for
		<-ended
	})
	return svc, l.Addr().String()
}

// caller is a client with one connection, like a proxy that uses it for all clients behind it.
type caller struct {
	t       *testing.T
	address string
	conn    net.Conn
	answers *bufio.Reader
}

func (c *caller) dial() {
	c.t.Helper()
	if c.conn != nil {
		_ = c.conn.Close() // an error does not matter, because the server has closed the connection
	}
	var err error
	if c.conn, err = new(net.Dialer).DialContext(c.t.Context(), "tcp", c.address); err != nil {
		c.t.Fatal(err)
	}
	c.answers = bufio.NewReader(c.conn)
}

// ask sends text and returns the status codes of the given number of answers.
func (c *caller) ask(text string, answers int) (codes []int) {
	c.t.Helper()
	if c.conn == nil {
		c.dial()
	}
	go func(to net.Conn) { _, _ = io.WriteString(to, text) }(c.conn) // if it fails, an answer will be missing
	for range answers {
		resp, err := http.ReadResponse(c.answers, nil)
		if err != nil {
			c.dial()
			return append(codes, 0)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		codes = append(codes, resp.StatusCode)
		if resp.Close {
			c.dial()
			return codes
		}
	}
	return codes
}

func post(signature, body string) string {
	return fmt.Sprintf("POST /webhook/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-GitHub-Event: push\r\n%sContent-Length: %d\r\n\r\n%s",
		signature, len(body), body)
}

func signedPost(n int) string {
	body := fmt.Sprintf(`{"ref": "refs/heads/main", "after": "%040x", "repository": {"full_name": "acme/repo"}}`, n)
	mac := hmac.New(sha256.New, []byte(webhookSecret))
	mac.Write([]byte(body))
	return post("X-Hub-Signature-256: sha256="+hex.EncodeToString(mac.Sum(nil))+"\r\n", body)
}

// TestAttackWebhookFloodBehindOneProxy sends 100,000 unsigned messages. They come from the same address as the forge's messages, and over the
// same connections. No message of the forge is refused, and memory does not grow.
func TestAttackWebhookFloodBehindOneProxy(t *testing.T) {
	testcost.Long(t)
	svc, address := newDoor(t)
	const callers, rounds, batch = 4, 250, 100
	forged := "X-Hub-Signature-256: sha256=" + strings.Repeat("ab", 32) + "\r\n"
	kinds := []string{
		post("", `{"ref": "refs/heads/main"}`),
		post("X-Hub-Signature-256: sha256=abcd\r\n", "{}"),
		post("X-Hub-Signature-256: sha256="+strings.Repeat("zz", 32)+"\r\n", "{}"),
		post(forged, `{"ref": "refs/heads/main"}`),
	}
	before := heap()
	var all sync.WaitGroup
	for who := range callers {
		all.Go(func() {
			c := &caller{t: t, address: address}
			defer func() { _ = c.conn.Close() }()
			for n := range rounds {
				codes := c.ask(strings.Repeat(kinds[n%len(kinds)], batch), batch)
				for len(codes) < batch { // the connection was closed before the rest was sent
					codes = append(codes, c.ask(strings.Repeat(kinds[n%len(kinds)], batch-len(codes)), batch-len(codes))...)
				}
				for _, code := range codes {
					if code != http.StatusUnauthorized && code != 0 {
						t.Errorf("an unsigned message is answered %d", code)
					}
				}
				if codes := c.ask(signedPost(who*rounds+n), 1); codes[0] != http.StatusAccepted {
					t.Errorf("signed message %d is answered %v", n, codes)
				}
			}
		})
	}
	all.Wait()
	if grown, most := heap()-before, int64(8<<20); grown > most {
		t.Errorf("%d bytes are kept of the flood, want at most %d", grown, most)
	}
	if got := counted(t, svc.metrics.Registry, "accepted"); got != callers*rounds {
		t.Errorf("%g signed messages are counted, want %d", got, callers*rounds)
	}
	if got := counted(t, svc.metrics.Registry, "unsigned") + counted(t, svc.metrics.Registry, "wrong-signature"); got < callers*rounds*batch/2 {
		t.Errorf("only %g unsigned messages came through: the test proves little", got)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func counted(t *testing.T, from prometheus.Gatherer, outcome string) (n float64) {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if f.GetName() == "stackreeve_webhooks_total" && l.GetValue() == outcome {
					n += m.GetCounter().GetValue()
				}
			}
		}
	}
	return n
}

// TestAttackWebhookSlowSendersTakeNoPlace fills all connections with forged messages that stop in the middle. Signed messages and probes are
// still answered.
func TestAttackWebhookSlowSendersTakeNoPlace(t *testing.T) {
	testcost.Long(t)
	_, address := newDoor(t)
	slow := strings.Replace(post("X-Hub-Signature-256: sha256="+strings.Repeat("ab", 32)+"\r\n", "{}"), "Length: 2", "Length: 4000000", 1)
	for range 2 * listen.MaxConns {
		c := &caller{t: t, address: address}
		c.dial()
		t.Cleanup(func() { _ = c.conn.Close() })
		if _, err := io.WriteString(c.conn, slow); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 20 {
		c := &caller{t: t, address: address}
		if codes := c.ask(signedPost(n), 1); codes[0] != http.StatusAccepted {
			t.Errorf("signed message %d is answered %v", n, codes)
		}
		if codes := c.ask("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 1); codes[0] != http.StatusOK {
			t.Errorf("/healthz answers %v", codes)
		}
		_ = c.conn.Close()
	}
}

// TestAttackPathsAndMethods: only webhooks are served below /webhook/, and no debugger is served anywhere.
func TestAttackPathsAndMethods(t *testing.T) {
	_, address := newDoor(t)
	refused := func(code int) bool { return code >= 300 }
	for _, line := range []string{
		"GET /webhook/../metrics", "GET /webhook/%2e%2e/metrics", "GET /webhook/..%2fmetrics", "GET /webhook//../metrics", `GET /webhook/..\metrics`,
		"GET /webhook/github/../../metrics", "GET /webhook/github", "PUT /webhook/github", "GET /webhook/", "POST /webhook/gitlab", "POST /webhook/github/",
		"GET /debug/pprof/", "GET /debug/pprof/heap", "GET /debug/vars", "POST /metrics", "DELETE /healthz", "TRACE /", "CONNECT /metrics", "CONNECT x:80",
		"OPTIONS *", "GET *", "GET //x/metrics", "POST /webhook/GITHUB",
	} {
		t.Run(line, func(t *testing.T) {
			c := &caller{t: t, address: address}
			if codes := c.ask(line+" HTTP/1.1\r\nHost: x\r\n\r\n", 1); !refused(codes[0]) {
				t.Errorf("answered %v", codes)
			}
		})
	}
}

// TestAttackSmuggledRequests hides a request behind a request whose length can be read in two ways. The hidden request gets no more rights
// than if it had been sent openly.
func TestAttackSmuggledRequests(t *testing.T) {
	svc, address := newDoor(t)
	hidden := post("", "{}")
	for name, text := range map[string]string{
		"two lengths":       strings.Replace(signedPost(1), "Content-Length", "Content-Length: 0\r\nContent-Length", 1) + hidden,
		"chunked after all": strings.Replace(post("", "0\r\n\r\n"+hidden), "Content-Length", "Transfer-Encoding: chunked\r\nContent-Length", 1),
		"odd coding":        strings.Replace(post("", "0\r\n\r\n"+hidden), "Content-Length", "Transfer-Encoding: xchunked\r\nContent-Length", 1),
	} {
		t.Run(name, func(t *testing.T) {
			c := &caller{t: t, address: address}
			for _, code := range c.ask(text, 2) {
				if code != 0 && code < 400 {
					t.Errorf("answered %d", code)
				}
			}
		})
	}
	if got := counted(t, svc.metrics.Registry, "accepted"); got != 0 {
		t.Errorf("%g messages were accepted", got)
	}
}

// TestAttackMetricsOfForeignWords sends text of strangers. Such text, and text of clouds, must not become a label.
func TestAttackMetricsOfForeignWords(t *testing.T) {
	svc, address := newDoor(t)
	for n := range 100 {
		c := &caller{t: t, address: address}
		c.ask(fmt.Sprintf("POST /webhook/x%d HTTP/1.1\r\nHost: h%d\r\nX-GitHub-Event: e%d\r\nContent-Length: 0\r\n\r\n", n, n, n), 1)
		_ = c.conn.Close()
	}
	for code := range 1000 {
		svc.metrics.Request("network", http.MethodGet, code, 0)
	}
	families, err := svc.metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if n := len(f.GetMetric()); n > 70 {
			t.Errorf("%s has %d series", f.GetName(), n)
		}
		for _, m := range f.GetMetric() {
			if text := m.String(); strings.Contains(text, webhookSecret) || strings.Contains(text, "acme/repo") || strings.Contains(text, "e99") {
				t.Errorf("%s says %s", f.GetName(), text)
			}
		}
	}
}

// TestAttackFloodKeepsProbesWaiting fills every place of the listener with silent connections. Probes use another address, where they do not
// have to wait.
func TestAttackFloodKeepsProbesWaiting(t *testing.T) {
	var lc net.ListenConfig
	free := func() string {
		l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }() // the agent will listen on the same address
		return l.Addr().String()
	}
	svc, _ := newDoor(t)
	d := Listener{Address: free(), Health: free()}
	stop, err := svc.listen(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for range 2 * listen.MaxConns {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", d.Address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	probe := &caller{t: t, address: d.Health}
	codes := probe.ask("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /webhook/github HTTP/1.1\r\nHost: x\r\n\r\n", 2)
	if !slices.Equal(codes, []int{http.StatusOK, http.StatusNotFound}) {
		t.Errorf("the answers are %v", codes)
	}
}
