package server_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const traced = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: os}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: small}
spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: spare}
spec: {resource: {size: 1}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web}
spec: {resource: {imageRef: os, flavorRef: small, ports: []}}
`

// tracing is a target with an agent that keeps running while others change its
// server.
type tracing struct {
	*kindtest.Target
	t      *testing.T
	engine *engine.Engine
	began  time.Time
}

func (g tracing) id(p plan.Plan, kind string) string {
	for _, s := range p.Steps {
		if s.Key.Kind == kind {
			return s.ID()
		}
	}
	return ""
}

// hands sends a request with the credentials of c, as a person does by hand.
func (g tracing) hands(c *cloud.Client, method, path string, body any) {
	g.t.Helper()
	if err := c.Do(g.t.Context(), cloud.Call{Service: cloud.Compute, Method: method, Path: path, Body: body}); err != nil {
		g.t.Fatal(err)
	}
}

// shows waits until the plan's step for the server shows the change.
func (g tracing) shows(shown func(plan.Step) bool) {
	g.t.Helper()
	kindtest.Await(g.t, kindtest.Patience, kindtest.Often, func() error {
		planned := g.engine.Preview(g.t.Context(), "test", g.Resolve(traced), nil)
		if !slices.ContainsFunc(planned.Steps, func(s plan.Step) bool { return s.Key == key && shown(s) }) {
			return errors.New("the change does not show")
		}
		return nil
	})
}

// mended makes the agent correct the drift. It returns the pass, and the trace
// of who changed the server.
func (g tracing) mended() (engine.Pass, kind.Trace) {
	g.t.Helper()
	pass := g.engine.Sync(g.t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(traced), Synced: true})
	if pass.Outcome() != plan.InSync {
		g.t.Fatalf("%s: %v", pass.Outcome(), pass.Failures)
	}
	for _, s := range pass.First.Steps {
		if s.Key == key {
			trace := table.Or(s.Trace, kind.Trace{})
			if trace == (kind.Trace{}) || trace.When.Before(g.began.Add(-time.Minute)) || trace.When.After(time.Now().Add(time.Minute)) {
				g.t.Errorf("%s %v: nobody knows who and when: %v", s.Action, s.Changes, trace)
			}
			return pass, trace
		}
	}
	g.t.Fatal("the plan says nothing about the server")
	return pass, kind.Trace{}
}

// The agent reports who changed a server, and who deleted it.
func TestCloudTellsWhoChangedAServer(t *testing.T) {
	target := kindtest.NewTarget(t, kinds)
	own, other := target.Client(nil), target.Beside("admin").Client(nil)
	stranger, _ := other.OwnUser()
	g := tracing{target, t, target.Engine(own), time.Now()}
	pass := g.engine.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(traced)})
	server, volume := "servers/"+g.id(pass.Last, "Server"), g.id(pass.Last, "Volume")
	changed := func(field string) func(plan.Step) bool {
		return func(s plan.Step) bool { return kind.Has(s.Changes, field) }
	}

	g.hands(other, http.MethodPost, server+"/metadata", map[string]any{"metadata": map[string]string{"by": "hand"}})
	if _, trace := g.mended(); trace.Who != "" || trace.What != "" {
		t.Errorf("of metadata Nova tells the time only, got %+v", trace)
	}

	g.hands(other, http.MethodPost, server+"/os-volume_attachments", map[string]any{"volumeAttachment": map[string]string{"volumeId": volume}})
	g.shows(changed("spec.resource.volumes"))
	if _, trace := g.mended(); trace.Who != stranger || trace.What != "attach_volume" {
		t.Errorf("somebody attached a volume, got %+v", trace)
	}

	g.hands(other, http.MethodDelete, server, nil)
	g.shows(func(s plan.Step) bool { return s.Action == plan.Create })
	pass, trace := g.mended()
	if trace.Who != stranger || trace.What != "delete" {
		t.Errorf("somebody deleted the server, got %+v", trace)
	}

	g.hands(own, http.MethodDelete, "servers/"+g.id(pass.Last, "Server"), nil)
	g.shows(func(s plan.Step) bool { return s.Action == plan.Create })
	if _, trace = g.mended(); !strings.HasSuffix(trace.Who, "(the user of this agent)") || trace.What != "delete" {
		t.Errorf("our own user deleted the server, got %+v", trace)
	}
}
