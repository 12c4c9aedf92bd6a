package volume_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
)

const nowhere = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: VolumeType
metadata: {name: nowhere}
spec: {resource: {name: NAME, isPublic: false, extraSpecs: [{name: volume_backend_name, value: nowhere}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1, volumeTypeRef: nowhere}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: more}
spec: {resource: {size: 1, volumeTypeRef: nowhere}}
`

// If no storage backend accepts a volume, the plan reports Cinder's reason, for which one more request is sent. If no volume failed, no
// such request is sent.
func TestWhyAVolumeFailed(t *testing.T) {
	g := kindtest.NewTarget(t, kinds).Beside("admin")
	manifests := strings.Replace(nowhere, "NAME", "nowhere-"+strings.ToLower(rand.Text()), 1)
	failures := g.Sync(manifests).Failures
	if len(failures) != 2 {
		t.Errorf("%d failures: %v", len(failures), failures)
	}
	for _, f := range failures {
		if !strings.Contains(f.Reason(), " error: schedule allocate volume: Could not find any available weighted backend") {
			t.Errorf("%s: %s", f.Key, f.Reason())
		}
	}
	var failing, well kindtest.Counter
	g.Through(failing.Wrap).Plan(manifests)
	for _, step := range g.Plan(manifests).Steps {
		if step.Key.Kind == "Volume" && (!step.Causes.Has(cause.Failed) || !strings.Contains(step.FullCause(), "weighted backend")) {
			t.Errorf("%s, %s: %s", step.Key, step.Action, step.FullCause())
		}
	}
	g.MustSync("")
	g.Through(well.Wrap).Plan(manifests)
	if more := failing.Reads.Load() - well.Reads.Load(); more != 1 {
		t.Errorf("%d requests more for the reasons of two", more)
	}
}
