package service

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// ownWrites is a stack with objects of several services.
const ownWrites = `---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: web}
spec: {image: centos79, flavor: n3-1vcpu-2gb}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec: {resource: {description: of the web}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1}}
`

// The agent's own writes cost a look at the collections that have moved, and no pass. The test waits until the own writes are over.
func TestOwnWritesCauseNoPass(t *testing.T) {
	testcost.Long(t)
	n := &noticing{Stage: servicetest.New(t, simulator.Options{}), log: &servicetest.Record{}, any: make(chan struct{}, 1)}
	t.Setenv("OS_CLIENT_CONFIG_FILE", n.Path("clouds.yaml"))
	n.Write("repo/all.yaml", ownWrites)
	n.Commit()
	stacks, err := config.Load([]string{n.Path("stackreeve.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	stacks[0].Spec.Events.Probe = "on"
	var requests []string
	n.Server.OnRequest(func(_ int, r simulator.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		requests = append(requests, r.Method+" "+r.Path)
	})
	log := slog.New(report.NewHandler(n.log, false, slog.LevelDebug))
	if n.svc, err = newService(openerFor(log), stacks, stacks, Options{Log: log}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = n.svc.run(ctx, Listener{}) }()
	t.Cleanup(func() { stop(); <-done })
	n.until("the agent has looked", func() bool { return strings.Contains(n.log.String(), "result=") })
	if text := n.log.String(); strings.Contains(text, "result=changed") || strings.Contains(text, "result=unknown") || strings.Count(text, "msg=planned") != 1 {
		t.Errorf("a pass followed on a pass with writes:\n%s", text)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if lists := count(requests, "/servers/detail"); lists > 5 {
		t.Errorf("servers are listed %d times", lists)
	}
}

func count(requests []string, path string) (n int) {
	for _, r := range requests {
		if strings.HasSuffix(r, path) {
			n++
		}
	}
	return n
}

// counting is a probe that counts the changes.
type counting struct {
	*cloud.Probe
	moves *int
}

func (c counting) Moved(ctx context.Context, service string, matter map[string]bool) ([]string, error) {
	moved, err := c.Probe.Moved(ctx, service, matter)
	*c.moves += len(moved)
	return moved, err
}

// A calm project costs at most one request to a service in 5 s, whatever its number of stacks. Each question is asked within 10 s of the one before, if there
// are not more than two.
func TestCalmProbes(t *testing.T) {
	stage := servicetest.New(t, simulator.Options{})
	client, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo", File: stage.Path("clouds.yaml"), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var moves, total int
	per := map[string]int{}
	p := newProbes(slog.New(slog.DiscardHandler))
	start := time.Unix(1e9, 0)
	now := start
	p.now = func() time.Time { return now }
	for range 50 {
		h := newHearing("", func(engine.Moved) {})
		h.close() // its timers have another clock
		h.kinds = map[string]bool{"Server": true, "Port": true, "SecurityGroup": true, "Volume": true, "LoadBalancer": true}
		p.enter(projectAt{cloud: "demo"}, h, counting{client.NewProbe(), &moves})
	}
	stage.Server.OnRequest(func(int, simulator.Request) { mu.Lock(); total++; mu.Unlock() })
	for ; now.Sub(start) < time.Hour; now = now.Add(probeTick) {
		if now.Sub(start) == time.Minute {
			moves, total = 0, 0 // of the first answers
			clear(per)
		}
		for _, due := range p.due(now) {
			p.probe(t.Context(), due)
			per[due.service]++
		}
	}
	want := map[string]int{cloud.Compute: 450, cloud.Network: 720, cloud.BlockStorage: 720, cloud.LoadBalancer: 450}
	for service, most := range want {
		if n := per[service]; n > most || n < most*4/5 {
			t.Errorf("%d requests to %s, want about %d", n, service, most)
		}
	}
	if len(per) != len(want) || moves != 0 || total > 2400 {
		t.Errorf("%d requests to %d services, %d changes", total, len(per), moves)
	}
}
