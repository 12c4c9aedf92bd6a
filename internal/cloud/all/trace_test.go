package all_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const touched = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: net}
spec: {resource: {description: written}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec: {resource: {description: written}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: vol}
spec: {resource: {size: 1, description: written}}
`

// The time of an object's last change is reported for all kinds whose service
// records it.
func TestCloudTellsWhenAnObjectChanged(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(touched)
	began := time.Now().Add(-time.Minute) // the cloud's clock may differ
	made := g.MustSync(touched)
	c := g.Client(nil)
	engine := g.Engine(c)
	paths := map[string][3]string{
		"Network":       {cloud.Network, "networks/", "network"},
		"SecurityGroup": {cloud.Network, "security-groups/", "security_group"},
		"Volume":        {cloud.BlockStorage, "volumes/", "volume"},
	}
	for _, s := range made.Last.Steps {
		service, path, wrapper := paths[s.Key.Kind][0], paths[s.Key.Kind][1], paths[s.Key.Kind][2]
		body := map[string]any{wrapper: map[string]string{"name": "by-hand"}}
		if err := c.Do(t.Context(), cloud.Call{Service: service, Method: http.MethodPut, Path: path + s.ID(), Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range engine.Preview(t.Context(), "test", g.Resolve(touched), nil).Steps {
		trace, ok := traceOf(s)
		if s.Action != plan.Update || !ok || trace.Who != "" || trace.When.Before(began) || trace.When.After(time.Now().Add(time.Minute)) {
			t.Errorf("%s %s: %v %+v", s.Action, s.Key, ok, trace)
		}
	}
}

// Cinder does not update the time of a volume when its metadata changes. So no time is shown,
// because it would be wrong.
func TestNobodyKnowsWhenMetadataOfAVolumeChanged(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	const volume = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Volume\nmetadata: {name: vol}\nspec: {resource: {size: 1, metadata: [{name: by, value: written}]}}\n"
	g.Only(volume)
	id := g.MustSync(volume).Last.Steps[0].ID()
	hand{t: t, c: g.Client(nil)}.do(cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "volumes/" + id + "/metadata", Body: map[string]any{"metadata": map[string]string{"by": "hand"}}})
	for _, s := range g.Plan(volume).Steps {
		if trace, ok := traceOf(s); ok || s.Action != plan.Update || !s.Drift {
			t.Errorf("%s %s: %+v", s.Action, s.Key, trace)
		}
	}
}

// traceOf returns who made the drift of a step. ok is false if that is unknown.
func traceOf(s plan.Step) (trace kind.Trace, ok bool) {
	if s.Trace != nil {
		trace = *s.Trace
	}
	return trace, trace != (kind.Trace{})
}
