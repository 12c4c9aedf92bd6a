package m3_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/outbound"
	simulated "github.com/stackreeve/stackreeve/internal/standin/m3"
)

// cluster returns a client, a world with four machines, and the machines by their addresses: 10.0.0.1 and so on.
func cluster(t *testing.T) (m3.Client, *simulated.World, map[string]*simulated.Machine) {
	t.Helper()
	machines := map[string]*simulated.Machine{}
	for at, id := range map[string]string{"10.0.0.1": "a", "10.0.0.2": "b", "10.0.0.3": "c", "10.0.0.4": "d"} {
		machines[at] = &simulated.Machine{ID: id}
	}
	world := simulated.New(func(address string) *simulated.Machine { return machines[address] })
	network := world.Network()
	t.Cleanup(network.Close)
	return m3.Client{Machines: outbound.Machines{Through: network.Dial}, Port: m3.CoordinatorPort, Environment: "default/metrics"}, world, machines
}

func instance(id, isolationGroup, address string) m3.Instance {
	return m3.NewInstance(id, isolationGroup, address, m3.PortOf(id))
}

func three() []m3.Instance {
	return []m3.Instance{instance("a", "g1", "10.0.0.1"), instance("b", "g2", "10.0.0.2"), instance("c", "g3", "10.0.0.3")}
}

// settle requests the placement repeatedly until no shard is being added or removed.
func settle(t *testing.T, c m3.Client) *m3.Placement {
	t.Helper()
	for range 100 {
		p, err := c.Placement(t.Context(), "10.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		if p != nil && p.Unsettled() == nil {
			return p
		}
	}
	t.Fatal("shards are coming and going for ever")
	return nil
}

func ids(p *m3.Placement) (list []string) {
	for _, h := range p.Instances {
		list = append(list, h.ID)
	}
	return list
}

func TestAPlacementFromItsBeginning(t *testing.T) {
	c, world, machines := cluster(t)
	world.MakeNamespace(c.Environment, "first") // nodes receive no shards before this
	ctx := t.Context()
	if p, err := c.Placement(ctx, "10.0.0.2"); p != nil || err != nil {
		t.Fatalf("before: %v, %v", p, err)
	}
	if err := c.Init(ctx, "10.0.0.1", three(), 64, 3); err != nil {
		t.Fatal(err)
	}
	var refused *m3.Refused
	if err := c.Init(ctx, "10.0.0.2", three(), 64, 3); !errors.As(err, &refused) || !refused.Exists() {
		t.Errorf("a second time: %v", err)
	}
	if err := c.Add(ctx, "10.0.0.1", instance("d", "g1", "10.0.0.4")); !errors.As(err, &refused) {
		t.Errorf("while shards are coming: %v", err)
	}
	if p := settle(t, c); p.Instances[0].Available != 64 || p.Instances[0].Address != "10.0.0.1" || p.Instances[0].IsolationGroup != "g1" || p.Replicas != 3 || p.Shards != 64 {
		t.Errorf("%+v", p)
	}
	if err := c.Add(ctx, "10.0.0.1", instance("d", "g1", "10.0.0.4")); err != nil {
		t.Fatal(err)
	}
	if p := settle(t, c); p.Find("d").Available != 32 || p.Find("a").Available != 32 {
		t.Errorf("%+v", p)
	}
	if err := c.Remove(ctx, "10.0.0.1", "d"); err != nil {
		t.Fatal(err)
	}
	settle(t, c)
	machines["10.0.0.2"].ID = "b2"
	if err := c.Replace(ctx, "10.0.0.1", "b", instance("b2", "g2", "10.0.0.2")); err != nil {
		t.Fatal(err)
	}
	if got := ids(settle(t, c)); !slices.Equal(got, []string{"a", "b2", "c"}) {
		t.Errorf("the instances are %v", got)
	}
	if err := c.Remove(ctx, "10.0.0.1", "a"); err == nil || !strings.Contains(err.Error(), "isolation groups") {
		t.Errorf("two groups for three replicas: %v", err)
	}
	if err := c.Remove(ctx, "10.0.0.1", "z"); !errors.As(err, &refused) || !refused.NotFound() {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestNamespaces(t *testing.T) {
	c, world, _ := cluster(t)
	ctx := t.Context()
	if err := c.Init(ctx, "10.0.0.1", three(), 4, 3); err != nil {
		t.Fatal(err)
	}
	o := m3.Options{FlushEnabled: true, RetentionOptions: m3.RetentionOptions{RetentionPeriod: 48 * time.Hour}, AggregationOptions: m3.AggregationOptions{Aggregations: []m3.Aggregation{{Aggregated: true, Attributes: &m3.Attributes{Resolution: time.Minute}}}}}
	if err := c.CreateNamespace(ctx, "10.0.0.1", "metrics-10s:2d", o); err != nil {
		t.Fatal(err)
	}
	settle(t, c)
	if got := world.Namespaces(); !slices.Equal(got, []string{"metrics-10s:2d?"}) {
		t.Errorf("there are %v", got)
	}
	if err := errors.Join(c.ReadyNamespace(ctx, "10.0.0.2", "metrics-10s:2d"), c.SetRetention(ctx, "10.0.0.2", "metrics-10s:2d", 72*time.Hour)); err != nil {
		t.Fatal(err)
	}
	list, err := c.Namespaces(ctx, "10.0.0.3")
	n := list["metrics-10s:2d"]
	if err != nil || n.Staging.Status != "READY" || n.RetentionOptions.RetentionPeriod != 72*time.Hour || !n.FlushEnabled || n.AggregationOptions.Aggregations[0].Attributes.Resolution != time.Minute {
		t.Errorf("%+v, %v", n, err)
	}
	other := c
	other.Environment = "default/other"
	if list, err := other.Namespaces(ctx, "10.0.0.1"); len(list) > 0 || err != nil {
		t.Errorf("another cluster has %v, %v", list, err)
	}
	if err := c.DeleteNamespace(ctx, "10.0.0.1", "metrics-10s:2d"); err != nil || len(world.Namespaces()) > 0 {
		t.Errorf("%v; there are %v", err, world.Namespaces())
	}
}

// The bytes, the time and the numbers in a machine's answer are limited. Only the error for a coordinator's
// refusal contains a text from the answer.
func TestAttackAnswers(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"endless": func(rw http.ResponseWriter, req *http.Request) {
			for req.Context().Err() == nil {
				if _, err := rw.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		},
		"not a coordinator": func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("<html>secret")) },
		"deep":              func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(strings.Repeat("[", 200_000))) },
		"no placement":      func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(`{"version": 3}`)) },
		"no instance": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write([]byte(`{"placement": {"instances": {"secret": null}}}`))
		},
		"another's ID": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write([]byte(`{"placement": {"instances": {"a": {"id": "secret"}}}}`))
		},
		"too many instances": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write([]byte(`{"placement": {"instances": {"0": {"id": "0"}` + strings.Repeat(`, "secret": null`, 5) + many() + `}}}`))
		},
		"elsewhere": func(rw http.ResponseWriter, req *http.Request) {
			http.Redirect(rw, req, "http://127.0.0.1:1/", http.StatusFound)
		},
		"nothing of its own": func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNotFound) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			t.Cleanup(server.Close)
			c := m3.Client{Port: m3.CoordinatorPort, Machines: outbound.Machines{Through: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
			}}}
			p, err := c.Placement(t.Context(), "10.0.0.1")
			if err == nil || p != nil || !errors.Is(err, m3.ErrSilent) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}

func many() string {
	var b strings.Builder
	for i := range 2100 {
		_, _ = io.WriteString(&b, `, "x`+strings.Repeat("y", i)+`": null`)
	}
	return b.String()
}

// A refusal is one line, and short.
func TestAttackARefusal(t *testing.T) {
	r := &m3.Refused{Status: 500, Message: strings.Repeat("long\x1b[31m\n", 1000)}
	if text := r.Error(); len(text) > 700 || strings.ContainsAny(text, "\x1b\n") {
		t.Errorf("%q", text)
	}
}

func TestNames(t *testing.T) {
	id := m3.InstanceID("metrics-2", "1D3A0C2E-5b6f-4f7a-8c11-000000000001", "10.0.0.3")
	if id != "metrics-2.1d3a0c2e@10.0.0.3" || m3.MachineOf(id) != "metrics-2" {
		t.Errorf("%s of %s", id, m3.MachineOf(id))
	}
	for _, id := range []string{"", "metrics-2", "a.1d3a0c2e@10.0.0.3", "metrics-2.1d3a0c2@10.0.0.3", m3.InstanceID("metrics-2", "", "10.0.0.3"), m3.InstanceID("metrics-2", "1d3a0c2e", "")} {
		if of := m3.MachineOf(id); of != "" {
			t.Errorf("%q is of %s", id, of)
		}
	}
	seen := map[string]bool{}
	for _, name := range []string{"plain", "metrics-10s:2d", "metrics-10s-2d", "metrics_10s:2d", "Plain", strings.Repeat("x", 100), strings.Repeat("x", 101), ":"} {
		object := m3.NamespaceObject("kv", name)
		if seen[object] || len(object) > 63 || strings.ContainsAny(object, ":_P") {
			t.Errorf("%s is %s", name, object)
		}
		seen[object] = true
	}
}
