package service

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	simulated "github.com/stackreeve/stackreeve/internal/standin/etcd"
	simulatedkubernetes "github.com/stackreeve/stackreeve/internal/standin/kubernetes"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// several contains agents in this process that serve the same stacks. Each has its own connection to etcd, and all use the same cloud.
type several struct {
	*servicetest.Stage
	keys   http.Handler            // the store of the leases
	where  func(url string) string // returns the part of the configuration that names the store
	agents []*oneOfSeveral
	names  []string

	mu    sync.Mutex
	posts int // number of requests that create networks
}

type oneOfSeveral struct {
	*service
	keys, listener *httptest.Server
	cut            atomic.Bool // whether the agent cannot reach the store of the leases
	end            context.CancelFunc
	done           chan struct{}
}

const hookSecret = "a secret that nobody guesses"

func newSeveral(t *testing.T, stacks int) *several {
	s := &several{Stage: servicetest.New(t, simulator.Options{}), keys: simulated.NewKeys(), where: func(url string) string { return `etcd: {endpoints: ["` + url + `"]}` }}
	t.Setenv("OS_CLIENT_CONFIG_FILE", s.Path("clouds.yaml"))
	s.Write("hook", hookSecret)
	s.Server.OnRequest(func(_ int, r simulator.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/networks") {
			s.mu.Lock()
			s.posts++
			s.mu.Unlock()
		}
	})
	for i := range stacks {
		name := fmt.Sprintf("stack-%d", i)
		s.names = append(s.names, name)
		s.Write("repo/"+name+"/network.yaml", "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: "+name+"}\nspec: {resource: {}}\n")
	}
	s.Commit()
	return s
}

// start starts an agent.
func (s *several) start(name string) *oneOfSeveral {
	s.T.Helper()
	one := &oneOfSeveral{listener: httptest.NewUnstartedServer(nil), done: make(chan struct{})}
	one.keys = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if one.cut.Load() {
			panic(http.ErrAbortHandler) // this closes the connection
		}
		s.keys.ServeHTTP(w, r)
	}))
	s.T.Cleanup(one.keys.Close)
	text := ""
	for _, stack := range s.names {
		text += "---\napiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: " + stack + "}\nspec: {source: {url: " + s.Path("repo") + ", branch: main, path: " + stack + "}, cloud: demo}\n"
	}
	text += "---\napiVersion: stackreeve.dev/v1alpha1\nkind: Agents\nmetadata: {name: t}\nspec: {leaseSeconds: 12, " + s.where(one.keys.URL) + "}\n"
	file := s.Path(name + ".yaml")
	s.Write(name+".yaml", text)
	stacks, err := config.Load([]string{file}, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	said := &servicetest.Record{}
	s.T.Cleanup(func() {
		if s.T.Failed() {
			s.T.Logf("%s said:\n%s", name, said)
		}
	})
	log := logTo(said)
	flags := Options{Log: log, Listen: Listener{Address: "unused"}, WebhookSecret: s.Path("hook"), AgentName: name, AgentAddress: "http://" + one.listener.Listener.Addr().String()}
	if one.service, err = newService(openerFor(log), stacks, stacks, flags); err != nil {
		s.T.Fatal(err)
	}
	one.listener.Config.Handler = one.handler()
	one.listener.Start()
	s.T.Cleanup(one.listener.Close)
	ctx, end := context.WithCancel(s.T.Context())
	one.end = end
	go func() { _ = one.run(ctx, Listener{}); close(one.done) }()
	s.agents = append(s.agents, one)
	return one
}

// until waits for a condition.
func (s *several) until(what string, is func() bool) {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(s.T.Context(), 3*time.Minute)
	defer cancel()
	for !is() {
		select {
		case <-ctx.Done():
			s.T.Fatalf("never: %s", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// inSync reports whether, according to one agent, every stack is in sync. It also requires that each stack is served by exactly one of the
// agents in by.
func (s *several) inSync(asked *oneOfSeveral, by ...*oneOfSeveral) bool {
	for _, stack := range s.names {
		state, at := asked.state(stack), 0
		for _, one := range by {
			if _, here := one.roster.servedAs(stack); here {
				at++
			}
		}
		if state.Outcome != "in sync" || at != 1 {
			return false
		}
	}
	return true
}

// Three agents share six stacks. One agent loses its connection to etcd, and another one ends. Nothing is created twice, and every agent
// knows which agent serves which stack.
func TestAgentsShareStacks(t *testing.T) {
	testcost.Long(t)
	s := newSeveral(t, 6)
	a, b, c := s.start("a"), s.start("b"), s.start("c")
	s.until("three agents", func() bool { return len(a.group.View().Agents) == 3 })
	s.until("all in sync", func() bool { return s.inSync(a, a, b, c) && s.inSync(b, a, b, c) && s.inSync(c, a, b, c) })
	for _, stack := range s.names {
		if err := a.servedByOther(stack); err != nil && !strings.Contains(err.Error(), "; ask at http://127.0.0.1:") {
			t.Errorf("%s: %v", stack, err)
		}
	}
	s.webhook(a, b, c)
	b.cut.Store(true)
	s.until("the others have the stacks of the one that is cut off", func() bool { return s.inSync(a, a, c) })
	for _, stack := range s.names {
		if _, here := b.roster.servedAs(stack); here {
			t.Errorf("%s is served by the agent that is cut off, too", stack)
		}
	}
	s.until("the agent that is cut off exports nothing of how stacks are", func() bool { return len(b.exported(t, "stackreeve_last_success_timestamp_seconds")) == 0 })
	if had := len(a.exported(t, "stackreeve_last_success_timestamp_seconds")) + len(c.exported(t, "stackreeve_last_success_timestamp_seconds")); had != len(s.names) {
		t.Errorf("%d of %d stacks have metrics", had, len(s.names))
	}
	c.end()
	<-c.done
	s.until("one has all stacks", func() bool { return s.inSync(a, a) })
	s.ends(a, b)
}

// exported returns the stacks for which an agent exports a metric.
func (one *oneOfSeveral) exported(t *testing.T, name string) (stacks []string) {
	t.Helper()
	families, err := one.metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name {
				stacks = append(stacks, m.GetLabel()[0].GetValue())
			}
		}
	}
	return stacks
}

// ends checks that each network was created once, and ends agents.
func (s *several) ends(agents ...*oneOfSeveral) {
	s.T.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.posts != len(s.names) {
		s.T.Errorf("%d networks were made for %d stacks", s.posts, len(s.names))
	}
	for _, one := range agents {
		one.end()
	}
	for _, one := range agents {
		<-one.done
	}
}

// This is the same test with leases of Kubernetes instead of etcd.
func TestAgentsShareStacksByLeasesOfKubernetes(t *testing.T) {
	testcost.Long(t)
	s := newSeveral(t, 3)
	leases := simulatedkubernetes.NewLeases()
	s.Write("token", "of a service account")
	s.keys = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer of a service account" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		leases.ServeHTTP(w, r)
	})
	s.where = func(url string) string {
		return `kubernetesLease: {server: "` + url + `", namespace: ours, tokenFile: ` + s.Path("token") + `}`
	}
	a, b := s.start("a"), s.start("b")
	s.until("all in sync", func() bool { return s.inSync(a, a, b) && s.inSync(b, a, b) })
	b.cut.Store(true)
	s.until("one has the stacks of the one that is cut off", func() bool { return s.inSync(a, a) })
	s.ends(a, b)
}

// In a pod of Kubernetes, missing settings are taken from the pod.
func TestAgentsInAPod(t *testing.T) {
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "namespace"), []byte("ours\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
	for _, c := range []struct{ have, want config.AgentsKubernetes }{
		{config.AgentsKubernetes{}, config.AgentsKubernetes{Server: "https://[fd00::1]:443", Namespace: "ours", CAFile: files + "/ca.crt", TokenFile: files + "/token"}},
		{config.AgentsKubernetes{Namespace: "theirs", CertFile: "c", KeyFile: "k", CAFile: "ca"}, config.AgentsKubernetes{Server: "https://[fd00::1]:443", Namespace: "theirs", CAFile: "ca", CertFile: "c", KeyFile: "k"}},
	} {
		got := c.have
		if err := inPod(&got, files, func(name string) string { return env[name] }); err != nil || got != c.want {
			t.Errorf("%+v: %+v, %v", c.have, got, err)
		}
	}
	if err := inPod(&config.AgentsKubernetes{}, files, func(string) string { return "" }); err == nil || !strings.Contains(err.Error(), "does not run in a pod") {
		t.Errorf("outside: %v", err)
	}
}

// webhook sends a push to one agent. All agents that serve a stack of the repository get it, signed, and none forwards it again.
func (s *several) webhook(all ...*oneOfSeveral) {
	s.T.Helper()
	dir := strings.Split(s.Dir, "/")
	body := `{"ref":"refs/heads/main","after":"` + strings.Repeat("a", 40) + `","repository":{"full_name":"` + dir[len(dir)-1] + `/repo"}}`
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write([]byte(body))
	send := func(signature string) int {
		req, err := http.NewRequestWithContext(s.T.Context(), http.MethodPost, all[0].listener.URL+"/webhook/github", strings.NewReader(body))
		if err != nil {
			s.T.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-GitHub-Event", "push")
		req.Header.Set("X-Hub-Signature-256", "sha256="+signature)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			s.T.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if code := send(strings.Repeat("0", 64)); code != http.StatusUnauthorized {
		s.T.Errorf("a forged webhook: %d", code)
	}
	if code := send(hex.EncodeToString(mac.Sum(nil))); code != http.StatusAccepted {
		s.T.Errorf("a webhook: %d", code)
	}
	for _, one := range all {
		serves := len(one.roster.serving()) > 0
		s.until("the webhook reaches every agent that serves a stack", func() bool {
			return !serves || counted(s.T.(*testing.T), one.metrics.Registry, "accepted") == 1
		})
		if n := counted(s.T.(*testing.T), one.metrics.Registry, "repeated"); n != 0 {
			s.T.Errorf("a webhook came to an agent %v times more", n)
		}
	}
}

// If there is no Agents document, the stacks are not shared.
func TestAgentsAreAskedFor(t *testing.T) {
	s := servicetest.New(t, simulator.Options{})
	stacks, err := config.Load([]string{s.Path("stackreeve.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	log := logTo(os.Stderr)
	svc, err := newService(openerFor(log), stacks, stacks, Options{Log: log})
	if err != nil || svc.group != nil || len(svc.roster.names()) != 1 {
		t.Errorf("among %v, %v, %v", svc.group, svc.roster.names(), err)
	}
}
