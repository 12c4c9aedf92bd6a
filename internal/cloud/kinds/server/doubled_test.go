package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const withVolume = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: cirros}
spec: {managementPolicy: unmanaged, import: {filter: {name: cirros}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Flavor
metadata: {name: m1.nano}
spec: {managementPolicy: unmanaged, import: {filter: {name: m1.nano}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: db}
spec: {resource: {size: 1}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: db}
spec: {resource: {imageRef: cirros, flavorRef: m1.nano, ports: [], volumes: [{volumeRef: db}]}}
`

// If somebody copies the mark of a volume to another volume, the volume stays
// attached, and no server is created on either of them.
func TestAttackDoubledVolumeStaysAttached(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(withVolume)
	g.MustSync(withVolume)
	c := g.Client(nil)
	type volume struct {
		ID          string            `json:"id,omitempty"`
		Name        string            `json:"name"`
		Size        int               `json:"size"`
		Status      string            `json:"status,omitempty"`
		Metadata    map[string]string `json:"metadata"`
		Attachments []any             `json:"attachments,omitempty"`
	}
	volumes := func() map[string]volume {
		list, err := cloud.List[volume](context.WithoutCancel(t.Context()), c, cloud.Call{Service: cloud.BlockStorage, Path: "volumes/detail"}, "volumes")
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]volume{}
		for _, v := range list { // other tests may use the project, too
			for _, text := range v.Metadata {
				if strings.Contains(text, g.Stack) {
					all[v.ID] = v
				}
			}
		}
		return all
	}
	var original string
	body := volume{Name: "db", Size: 1}
	for id, v := range volumes() {
		original, body.Metadata = id, v.Metadata
	}
	var made struct {
		Volume volume `json:"volume"`
	}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "volumes", Body: map[string]any{"volume": body}, Into: &made}); err != nil {
		t.Fatal(err)
	}
	kindtest.AwaitStatus(t, c, cloud.BlockStorage, "volumes/"+made.Volume.ID, "available")
	second := withVolume + "---\n" + strings.Replace(withVolume[strings.LastIndex(withVolume, "apiVersion"):], "name: db}\nspec", "name: second}\nspec", 1)
	pass := g.Sync(second)
	if len(pass.Results) > 0 {
		t.Errorf("%d steps were carried out", len(pass.Results))
	}
	for _, s := range pass.Last.Steps {
		if s.Key.Kind == "Server" && s.Action.Writes() && len(s.Awaits) == 0 {
			t.Errorf("%s would be carried out: %s", s.Key, s.Action)
		}
		if s.Key.Kind == "Volume" && (s.Action != plan.Refuse || !s.Error) {
			t.Errorf("the volume's step is %s", s.Action)
		}
	}
	if len(volumes()[original].Attachments) != 1 {
		t.Error("the volume was detached")
	}
	kindtest.AwaitGone(t, c, cloud.BlockStorage, "volumes/"+made.Volume.ID)
	g.MustSync(withVolume)
}
