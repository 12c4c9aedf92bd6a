package service

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/events"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const (
	volumeOf  = "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Volume\nmetadata: {name: disk-%[1]d}\nspec: {resource: {size: 1, description: of the stack}}\n"
	anyImport = "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: shared}\nspec: {managementPolicy: unmanaged, import: {filter: {name: shared}}}\n"
	netOf     = "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: %[2]s\nmetadata: {name: %[3]s-%[1]d}\nspec: {resource: {%[4]s}}\n"
)

// many is an agent that serves many stacks of one project, which look at the cloud only after messages.
type many struct {
	*noticing
	stacks map[string]*served
}

// newMany returns an agent that is in sync. The manifests of a stack get its number.
func newMany(t testing.TB, stacks int, manifests func(i int) string) *many {
	t.Helper()
	m := &many{noticing: &noticing{Stage: servicetest.New(t, simulator.Options{}), log: &servicetest.Record{}, any: make(chan struct{}, 1), most: 10 * time.Minute}}
	t.Setenv("OS_CLIENT_CONFIG_FILE", m.Path("clouds.yaml"))
	m.Write("amqp-url", "amqp://u:p@127.0.0.1:1/")
	for i := range stacks {
		m.Write(filepath.Join("repo", fmt.Sprintf("s%d", i), "all.yaml"), manifests(i))
	}
	m.Commit()
	m.Write("stackreeve.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: many}\nspec:\n  source: {url: "+m.Path("repo")+", branch: main, paths: \"*\"}\n  cloud: demo\n  sync: {driftCheck: \"@every 24h\"}\n  events: {probe: \"off\", amqp: {urlFile: amqp-url}}\n")
	documents, err := config.Load([]string{m.Path("stackreeve.yaml")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m.source = sourceOf(documents[0].Spec.Events.AMQP)
	if m.client, err = cloud.Open(t.Context(), cloud.Config{Cloud: "demo", File: m.Path("clouds.yaml"), Version: "test"}); err != nil {
		t.Fatal(err)
	}
	m.post(cloud.Network, "networks", map[string]any{"network": map[string]any{"name": "shared"}}, nil)
	log := logTo(m.log)
	ctx, stop := context.WithCancel(t.Context())
	opener := openerFor(log)
	found, _, err := newFolders(opener, documents).all(ctx)
	if err == nil {
		m.svc, err = newService(opener, documents, found, Options{Log: log})
	}
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = m.svc.run(ctx, Listener{}) }()
	t.Cleanup(func() { stop(); <-done })
	var left []*served
	m.until("all are served", func() bool { left = m.svc.roster.serving(); return len(left) == stacks })
	m.stacks = map[string]*served{}
	for _, one := range left {
		m.stacks[strings.TrimPrefix(one.loop.Name, "many-")] = one
	}
	m.until("all are in sync", func() bool {
		for len(left) > 0 && left[0].loop.State().Outcome == plan.InSync.String() {
			left = left[1:]
		}
		return len(left) == 0
	})
	for _, one := range m.stacks {
		one.hearing.mu.Lock()
		one.hearing.quick.Pace = events.Pace{Least: time.Nanosecond, Most: time.Nanosecond} // a test has no time for pauses
		one.hearing.mu.Unlock()
	}
	return m
}

func (m *many) send(method, service, path string, body, into any) {
	m.T.Helper()
	if err := m.client.Do(m.T.Context(), cloud.Call{Service: service, Method: method, Path: path, Body: body, Into: into}); err != nil {
		m.T.Fatal(err)
	}
}

func (m *many) post(service, path string, body, into any) {
	m.T.Helper()
	m.send(http.MethodPost, service, path, body, into)
}

type volume struct {
	ID, Name, Description string
	Metadata              map[string]string
}

func (m *many) volumes() map[string]volume {
	m.T.Helper()
	list, err := cloud.List[volume](m.T.Context(), m.client, cloud.Call{Service: cloud.BlockStorage, Path: "volumes/detail"}, "volumes")
	if err != nil {
		m.T.Fatal(err)
	}
	all := map[string]volume{}
	for _, v := range list {
		all[v.Name] = v
	}
	return all
}

// message sends the message of an administrator about an object of the project, and waits until each stack has looked. It returns the requests of
// the agent in the meantime, and the results of the looks that differ from the usual one.
func (m *many) message(eventType, payload string, usual engine.Looked) (requests []string, other map[string]engine.Looked) {
	m.T.Helper()
	began := time.Now()
	m.Server.ResetRequests()
	m.svc.changes.received(m.source, fmt.Appendf(nil, `{"event_type":%q,"payload":%s,"_context_user_id":"a","_context_user_name":"anna","_context_project_id":"admins"}`, eventType, fmt.Sprintf(payload, m.client.ProjectID)))
	other = map[string]engine.Looked{}
	for name, one := range m.stacks {
		m.until(name+" has looked", func() bool {
			last := one.loop.State().LastLook
			return last != nil && last.At.After(began)
		})
		if got := one.loop.State().LastLook.Result; got != usual {
			other[name] = got
		}
	}
	for _, r := range m.Server.Requests() {
		requests = append(requests, r.Method+" "+r.Path[strings.LastIndex(strings.TrimSuffix(r.Path, "/detail"), "/")+1:])
	}
	return requests, other
}

// passed returns the stacks that have run a pass after a time.
func (m *many) passed(after time.Time) (list []string) {
	for name, one := range m.stacks {
		if one.loop.State().Looked.After(after) {
			list = append(list, name)
		}
	}
	return list
}

const volumeUpdated, volumePayload = "volume.update.end", `{"tenant_id":%q,"volume_id":"x"}`

// TestMessageCostsOneList: after a message about a foreign object, all stacks of the project together send one request, and no pass begins. After
// a change of an object that concerns one stack, a pass of that stack alone begins.
func TestMessageCostsOneList(t *testing.T) {
	stacks := 8
	if testcost.RunsLong() {
		stacks = 50
	}
	m := newMany(t, stacks, func(i int) string { return fmt.Sprintf(volumeOf, i) + anyImport })
	var foreign struct{ Volume struct{ ID string } }
	m.post(cloud.BlockStorage, "volumes", map[string]any{"volume": map[string]any{"size": 1, "name": "foreign"}}, &foreign)
	describe := func(id string) {
		m.send(http.MethodPut, cloud.BlockStorage, "volumes/"+id, map[string]any{"volume": map[string]any{"description": "changed by anna"}}, nil)
	}

	began := time.Now()
	describe(foreign.Volume.ID)
	requests, other := m.message(volumeUpdated, volumePayload, engine.LookedSame)
	if len(requests) != 1 || requests[0] != "GET volumes/detail" || len(other) > 0 || len(m.passed(began)) > 0 {
		t.Errorf("after a change of a foreign volume: %v, %v, passes of %v", requests, other, m.passed(began))
	}

	// each change concerns the stack s7; then nobody has changed anything more
	mine := m.volumes()["disk-7"]
	for _, tt := range []struct {
		what   string
		change func()
		again  func() bool
	}{
		{"a changed volume", func() { describe(mine.ID) }, func() bool { return m.volumes()["disk-7"].Description == "of the stack" }},
		{"a deleted volume", func() { m.send(http.MethodDelete, cloud.BlockStorage, "volumes/"+mine.ID, nil, nil) }, func() bool { now := m.volumes()["disk-7"].ID; return now != "" && now != mine.ID }},
		{"a copied mark", func() {
			m.post(cloud.BlockStorage, "volumes", map[string]any{"volume": map[string]any{"size": 1, "name": "copy", "metadata": m.volumes()["disk-7"].Metadata}}, nil)
		}, func() bool { return true }},
	} {
		began := time.Now()
		tt.change()
		_, other := m.message(volumeUpdated, volumePayload, engine.LookedSame)
		if len(other) != 1 || other["s7"] != engine.LookedChanged {
			t.Errorf("%s: %v, want a change for s7 alone", tt.what, other)
		}
		m.until("the pass after "+tt.what, func() bool { return len(m.passed(began)) > 0 && tt.again() })
		if list := m.passed(began); len(list) != 1 || list[0] != "s7" {
			t.Errorf("%s: passes of %v", tt.what, list)
		}
	}
}

// A second object with the name that all stacks import starts a pass of each. Another name does not.
func TestMessageConcernsAllStacks(t *testing.T) {
	m := newMany(t, 3, func(i int) string { return fmt.Sprintf(volumeOf, i) + anyImport })
	began := time.Now()
	all := func(what string, want engine.Looked) {
		t.Helper()
		m.until("all passes after "+what, func() bool { return len(m.passed(began)) == len(m.stacks) })
		for name, one := range m.stacks {
			if got := one.loop.State().LastLook.Result; got != want {
				t.Errorf("%s: %s looked: %s, want %s", what, name, got, want)
			}
		}
		began = time.Now()
	}
	m.post(cloud.Network, "networks", map[string]any{"network": map[string]any{"name": "other"}}, nil)
	if _, other := m.message("network.create.end", `{"network":{"id":"x","project_id":%q}}`, engine.LookedSame); len(other) > 0 {
		t.Errorf("another network: %v", other)
	}
	m.post(cloud.Network, "networks", map[string]any{"network": map[string]any{"name": "shared"}}, nil)
	m.message("network.create.end", `{"network":{"id":"x","project_id":%q}}`, engine.LookedChanged)
	all("a second network of the imported name", engine.LookedChanged)
}

// BenchmarkLook measures the requests after a message about a foreign object, in a project with many stacks of four objects.
func BenchmarkLook(b *testing.B) {
	for _, stacks := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(stacks), func(b *testing.B) {
			m := newMany(b, stacks, func(i int) string {
				return fmt.Sprintf(volumeOf, i) + fmt.Sprintf(netOf, i, "Network", "n", "") + fmt.Sprintf(netOf, i, "Subnet", "n", fmt.Sprintf("networkRef: n-%d, ipVersion: 4, cidr: 10.0.0.0/24", i)) + fmt.Sprintf(netOf, i, "SecurityGroup", "n", "")
			})
			requests := 0
			for b.Loop() {
				sent, other := m.message(volumeUpdated, volumePayload, engine.LookedSame)
				if requests += len(sent); len(other) > 0 {
					b.Errorf("%d stacks: %v", len(other), other)
				}
			}
			b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
		})
	}
}
