package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// noticing is an agent that serves one network, and looks at the cloud only after messages.
type noticing struct {
	*servicetest.Stage
	svc    *service
	source string
	log    *servicetest.Record
	client *cloud.Client

	mu     sync.Mutex
	writes int
	reads  int
	most   time.Duration // the longest wait; 0 for a minute
	any    chan struct{} // gets a value after each request
}

func newNoticing(t *testing.T, amqp, events string) *noticing {
	t.Helper()
	n := &noticing{Stage: servicetest.New(t, simulator.Options{}), log: &servicetest.Record{}, any: make(chan struct{}, 1)}
	t.Setenv("OS_CLIENT_CONFIG_FILE", n.Path("clouds.yaml"))
	n.Write("amqp-url", amqp)
	n.Write("repo/network.yaml", servicetest.NetworkNamed("front", "of the stack"))
	n.Commit()
	text, err := os.ReadFile(n.Path("stackreeve.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	n.Write("stackreeve.yaml", string(text)+`  sync: {driftCheck: "@every 24h"}
  events: `+events+"\n")
	stacks, err := config.Load([]string{n.Path("stackreeve.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := stacks[0].Spec.Events.AMQP; a != nil {
		n.source = sourceOf(a)
	}
	if n.client, err = cloud.Open(t.Context(), cloud.Config{Cloud: "demo", File: n.Path("clouds.yaml"), Version: "test"}); err != nil {
		t.Fatal(err)
	}
	n.Server.OnRequest(func(_ int, r simulator.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if r.Method != http.MethodGet && !strings.Contains(r.Path, "/auth/tokens") {
			n.writes++
		}
		n.reads++
		select {
		case n.any <- struct{}{}:
		default:
		}
	})
	log := logTo(n.log)
	if n.svc, err = newService(openerFor(log), stacks, stacks, Options{Log: log}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = n.svc.run(ctx, Listener{}) }()
	t.Cleanup(func() { stop(); <-done })
	n.until("the network is there", func() bool { return n.network() != "" && strings.Contains(n.log.String(), "in sync") })
	return n
}

// until waits until something is true, and checks it after each request of the agent.
func (n *noticing) until(what string, is func() bool) {
	n.T.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(cmp.Or(n.most, time.Minute))
	for !is() {
		select {
		case <-n.any:
		case <-tick.C:
		case <-end:
			n.T.Fatalf("it does not come to this: %s\n%s", what, n.log.String())
		}
	}
}

// network returns the ID of the stack's network, or "" if there is none.
func (n *noticing) network() string {
	list, err := cloud.List[struct{ ID, Name string }](n.T.Context(), n.client, cloud.Call{Service: cloud.Network, Method: http.MethodGet, Path: "networks?name=front"}, "networks")
	if err != nil {
		n.T.Fatal(err)
	}
	for _, one := range list {
		if one.Name == "front" {
			return one.ID
		}
	}
	return ""
}

func (n *noticing) deleteNetwork(id string) {
	n.T.Helper()
	if err := n.client.Do(n.T.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: "networks/" + id}); err != nil {
		n.T.Fatal(err)
	}
}

// deleted is Neutron's message about a network that an administrator has deleted.
func deleted(id string) string {
	message, _ := json.Marshal(fmt.Sprintf(`{"event_type":"network.delete.end","payload":{"network_id":%q},"_context_user_id":"a","_context_user_name":"anna","_context_project_id":"admins"}`, id))
	return `{"oslo.version":"2.0","oslo.message":` + string(message) + `}`
}

// After a message about an object of the stack, a pass begins, and the drift that it finds is reported with the user who caused it. Messages about
// other projects, garbage, and the messages about the agent's own writes cause no pass.
func TestMessageCausesLook(t *testing.T) {
	n := newNoticing(t, "amqp://u:p@127.0.0.1:1/", `{probe: "off", amqp: {urlFile: amqp-url}}`)
	id := n.network()
	n.mu.Lock()
	before := n.reads
	n.mu.Unlock()
	for _, body := range []string{"", "{}", `{"event_type":"port.update.end","payload":{"port":{"id":"x","project_id":"other"}}}`} {
		n.svc.changes.received(n.source, []byte(body))
	}
	n.mu.Lock()
	if n.reads != before {
		t.Errorf("%d requests after messages that do not concern the stack", n.reads-before)
	}
	n.mu.Unlock()
	n.deleteNetwork(id)
	n.svc.changes.received(n.source, []byte(deleted(id)))
	n.until("the network is there again", func() bool { now := n.network(); return now != "" && now != id })
	n.until("the drift is reported with the user", func() bool { return strings.Contains(n.log.String(), "by=anna") })
	if by := n.svc.roster.serving()[0].loop.State().NoticedBy; by != "drift checks" {
		t.Errorf("changes are noticed by %q while RabbitMQ does not answer", by)
	}
}

// A probe notices a deleted network, and a pass recreates it, without messages and drift checks.
func TestProbeCausesLook(t *testing.T) {
	testcost.Long(t)
	n := newNoticing(t, "", `{probe: "on"}`)
	id := n.network()
	n.svc.probes.mu.Lock()
	projects := len(n.svc.probes.all)
	n.svc.probes.mu.Unlock()
	if projects != 1 {
		t.Fatalf("%d projects are probed", projects)
	}
	n.until("the first probe has ended", func() bool {
		n.svc.probes.mu.Lock()
		defer n.svc.probes.mu.Unlock()
		for _, one := range n.svc.probes.all {
			return !one.service(cloud.Network).busy && !one.service(cloud.Network).pace.Due(time.Now())
		}
		return false
	})
	n.until("the agent's own write is over", func() bool {
		h := n.svc.roster.serving()[0].hearing
		h.mu.Lock()
		defer h.mu.Unlock()
		return !h.running && time.Now().After(h.quiet)
	})
	n.deleteNetwork(id)
	n.until("the network is there again", func() bool { now := n.network(); return now != "" && now != id })
}

// A thousand messages per second for an hour lead to a bounded number of looks, the last of them after the last message.
func TestAttackMessagesStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var looks []time.Time
		h := newHearing("", func(engine.Moved) {
			mu.Lock()
			defer mu.Unlock()
			looks = append(looks, time.Now())
		})
		h.of = events.Interest{Project: "p", User: "agent"}
		var last time.Time
		for range 3600 {
			for range 1000 {
				h.hear(events.Look{Service: "network", Collection: "port", Project: "p", ID: "x", Who: events.User{ID: "u", Name: "anna"}}, time.Now())
			}
			last = time.Now()
			time.Sleep(time.Second)
		}
		time.Sleep(time.Hour)
		mu.Lock()
		defer mu.Unlock()
		if n := len(looks); n < 100 || n > 150 || !looks[n-1].After(last) {
			t.Errorf("%d looks, the last one at %v, and the last message at %v", n, looks[n-1], last)
		}
	})
}

// While the agent writes, and for some seconds after it, the messages about its own writes cause no look. Messages about the writes of others
// do.
func TestHearingOwnWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		h := newHearing("", func(engine.Moved) { looks++ })
		h.of = events.Interest{Project: "p", User: "agent"}
		own, other := events.Look{Service: "network", Collection: "port", Project: "p", Who: events.User{ID: "agent"}}, events.Look{Service: "network", Collection: "port", Project: "p", Who: events.User{ID: "anna"}}
		h.Started(plan.Step{})
		h.hear(own, time.Now())
		h.Ran(report.Run{Pass: &engine.Pass{Results: []engine.Result{{Step: plan.Step{Action: plan.Create}}}}})
		h.hear(own, time.Now())
		if looks != 0 {
			t.Errorf("%d looks after messages about own writes", looks)
		}
		h.hear(other, time.Now())
		if looks != 1 {
			t.Errorf("%d looks after a message about the write of another user, want 1", looks)
		}
		time.Sleep(echo + time.Minute)
		h.hear(own, time.Now())
		if looks != 2 {
			t.Errorf("%d looks; somebody may use the agent's user", looks)
		}
	})
}
