package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// If a volume has to be replaced, it is not detached from a server that the stack did not create.
func TestAReplacedVolumeStaysInAServerOfOthers(t *testing.T) {
	target := kindtest.NewTarget(t, kinds)
	own := target.Client(nil)
	g := tracing{target, t, target.Engine(own), time.Now()}
	target.Only(traced)
	pass := g.engine.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(traced)})
	server, volume := "servers/"+g.id(pass.Last, "Server"), g.id(pass.Last, "Volume")
	g.hands(own, http.MethodPost, server+"/os-volume_attachments", map[string]any{"volumeAttachment": map[string]string{"volumeId": volume}})
	g.hands(own, http.MethodPut, server+"/metadata", map[string]any{"metadata": map[string]string{"whose": "another's"}})
	// The test waits, because the agent does not change a volume while the cloud attaches it. A pass replaces only objects that its first
	// plan replaces.
	kindtest.AwaitStatus(g.t, own, cloud.BlockStorage, "volumes/"+volume, "in-use")
	alone := strings.Replace(traced[:strings.Index(traced, "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Server")], "{size: 1}", "{size: 1, availabilityZone: nova}", 1)
	again := target.Engine(own).Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(alone)})
	if again.Outcome() != plan.Broken || len(again.Failures) == 0 || !strings.Contains(again.Failures[0].Reason(), strings.TrimPrefix(server, "servers/")) {
		t.Errorf("%s: %v", again.Outcome(), again.Failures)
	}
	g.hands(own, http.MethodDelete, server+"/os-volume_attachments/"+volume, nil) // this request succeeds, so the server still exists
	g.hands(own, http.MethodDelete, server, nil)
}
