package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// onVolume is the manifests of a server and of the volume from which it boots. The volume has an
// image. If volumePolicy is not empty, the volume has it as its change-policy.
func onVolume(policy, image, volumePolicy string) string {
	volume := "{name: root}"
	if volumePolicy != "" {
		volume = `{name: root, annotations: {stackreeve.dev/change-policy: "` + volumePolicy + `"}}`
	}
	return strings.Replace(with(policy, "small", "os"), "imageRef: os", "bootVolume: {volumeRef: root}", 1) + `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: ` + volume + `
spec: {resource: {size: 1, imageRef: ` + image + `}}
`
}

var rootKey = manifest.Key{Group: define.OrcGroup, Kind: "Volume", Namespace: "default", Name: "root"}

func stepOf(t *testing.T, p plan.Plan, key manifest.Key) plan.Step {
	t.Helper()
	i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key == key })
	if i < 0 {
		t.Fatalf("the plan has no step for %s", key)
	}
	return p.Steps[i]
}

// The Volume declares the image, and the server's step writes it to the volume. Server and volume keep
// their IDs.
func TestAServerOnAVolumeIsRebuilt(t *testing.T) {
	const policy = "imageRef=rebuild"
	g := kindtest.NewTarget(t, kinds)
	g.Only(onVolume(policy, "os", ""), onVolume(policy, "other-os", ""))
	before := g.MustSync(onVolume(policy, "os", "")).Last
	var a actions
	pass := g.SyncThrough(onVolume(policy, "other-os", ""), a.wrap)
	if pass.Outcome() != plan.InSync || a.count["rebuild"] != 1 {
		t.Fatalf("%s: %s; asked for %v", pass.Outcome(), failures(pass), a.count)
	}
	s := webOf(t, pass.First)
	if d, harms := s.Harm(); !harms || d != kind.Rebuild || strings.Join(s.Loss, ";") != "all data on its boot volume" || s.Drift {
		t.Errorf("harm %s %v, loses %v, drift %v", d, harms, s.Loss, s.Drift)
	}
	v := stepOf(t, pass.First, rootKey)
	if v.Disruption() != kind.InPlace || len(v.Notes) != 1 || !strings.HasSuffix(v.Notes[0].Text, " Server/web") {
		t.Errorf("the volume: %s, %s, %v", v.Action, v.Disruption(), v.Notes)
	}
	for _, key := range []manifest.Key{key, rootKey} {
		if was, is := stepOf(t, before, key).ID(), stepOf(t, pass.Last, key).ID(); was != is {
			t.Errorf("%s was %s and is %s", key, was, is)
		}
	}
}

// If somebody rebuilds the server with another image, that is drift, and the agent corrects it.
func TestAnImageOnAVolumeThatSomebodyWrote(t *testing.T) {
	const policy = "imageRef=rebuild"
	g := onSimulator(t, simulator.Options{})
	g.MustSync(onVolume(policy, "os", ""))
	other := stepOf(t, g.Plan(onVolume(policy, "os", "")), manifest.Key{Group: define.OrcGroup, Kind: "Image", Namespace: "default", Name: "other-os"}).ID()
	if other == "" {
		t.Fatal("the image is not known")
	}
	act(t, g, webOf(t, g.Plan(onVolume(policy, "os", ""))).ID(), "rebuild", map[string]any{"imageRef": other}, "2.93")
	for webOf(t, g.Plan(onVolume(policy, "os", ""))).Action == plan.Wait {
		continue
	}
	if s := webOf(t, g.Plan(onVolume(policy, "os", ""))); s.Action != plan.Update || !s.Drift || s.Disruption() != kind.Rebuild {
		t.Errorf("%s, %s, drift %v", s.Action, s.Disruption(), s.Drift)
	}
	g.MustSync(onVolume(policy, "os", ""))
}

// If only the user data change, the rebuild writes the same image to the volume again.
func TestUserDataOfAServerOnAVolume(t *testing.T) {
	g := onSimulator(t, simulator.Options{})
	first := onVolume("userData=rebuild", "os", "")
	g.MustSync(first)
	var a actions
	pass := g.SyncThrough(strings.Replace(first, "key: value}}", "key: other}}", 1), a.wrap)
	if pass.Outcome() != plan.InSync || a.count["rebuild"] != 1 || webOf(t, pass.First).Disruption() != kind.Rebuild {
		t.Errorf("%s: %s; asked for %v", pass.Outcome(), failures(pass), a.count)
	}
}

// If a rebuild is impossible, the plan refuses it, and says why and what to do.
func TestWhenAVolumeIsNotRebuilt(t *testing.T) {
	const policy = "imageRef=rebuild"
	tests := map[string]struct {
		older    kindtest.Older
		manifest string
		refused  manifest.Key
		why      string
	}{
		"Nova is too old": {kindtest.Older{Compute: "2.90"}, onVolume(policy, "other-os", ""), key,
			"2.93"},
		"Cinder is too old": {kindtest.Older{Volume: "3.60"}, onVolume(policy, "other-os", ""), key,
			"3.68"},
		"the volume says something else":      {kindtest.Older{}, onVolume(policy, "other-os", "imageRef=reimage"), rootKey, "reimage"},
		"what it boots from is not its disk ": {kindtest.Older{}, strings.Replace(onVolume(policy, "os", ""), "bootVolume: {volumeRef: root}", "imageRef: other-os", 1), key, "rebuild"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			g := onSimulator(t, simulator.Options{}).Through(tt.older.Wrap)
			g.MustSync(onVolume(policy, "os", ""))
			if s := stepOf(t, g.Plan(tt.manifest), tt.refused); s.Action != plan.Refuse || !strings.Contains(s.FullCause(), tt.why) {
				t.Errorf("%s: %s", s.Action, s.FullCause())
			}
		})
	}
}

// If the server has no annotation, only the Volume's step changes the image.
func TestWithoutTheAnnotationTheVolumeIsReplaced(t *testing.T) {
	g := onSimulator(t, simulator.Options{})
	g.MustSync(onVolume("flavorRef=resize", "os", ""))
	if s := stepOf(t, g.Plan(onVolume("flavorRef=resize", "other-os", "")), rootKey); s.Action != plan.Recreate {
		t.Errorf("%s: %s", s.Action, s.FullCause())
	}
}

// If a volume is suspended, or its image is ignored, the server's step does not write to it.
func TestAVolumeThatIsLeftAlone(t *testing.T) {
	const policy = "imageRef=rebuild"
	for _, annotation := range []string{`suspend: "true"`, `ignore-fields: spec.resource.imageRef`} {
		t.Run(annotation, func(t *testing.T) {
			g := onSimulator(t, simulator.Options{})
			g.MustSync(onVolume(policy, "os", ""))
			left := strings.Replace(onVolume(policy, "other-os", ""), "metadata: {name: root}", "metadata: {name: root, annotations: {stackreeve.dev/"+annotation+"}}", 1)
			s := webOf(t, g.Plan(left))
			if s.Disruption() != kind.InPlace || len(s.Notes) != 1 || !strings.Contains(s.Notes[0].Text, "rebuild cannot write another image to Volume/root") {
				t.Errorf("%s, %s, %v", s.Action, s.Disruption(), s.Notes)
			}
		})
	}
}

// A rebuild does not write to a second volume of the server. If the manifest declares the second
// volume as the boot volume, no volume is written.
func TestAServerThatBootsFromAnotherVolume(t *testing.T) {
	const policy = "imageRef=rebuild"
	g := onSimulator(t, simulator.Options{})
	both := strings.Replace(onVolume(policy, "os", ""), "bootVolume: {volumeRef: root}", "bootVolume: {volumeRef: root}, volumes: [{volumeRef: second}]", 1) + `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: second}
spec: {resource: {size: 1, imageRef: os}}
`
	g.MustSync(both)
	swapped := strings.NewReplacer("bootVolume: {volumeRef: root}", "bootVolume: {volumeRef: second}", "[{volumeRef: second}]", "[{volumeRef: root}]").Replace(both)
	swapped = strings.Replace(swapped, "metadata: {name: second}\nspec: {resource: {size: 1, imageRef: os}}", "metadata: {name: second}\nspec: {resource: {size: 1, imageRef: other-os}}", 1)
	if s := webOf(t, g.Plan(swapped)); s.Action != plan.Refuse || !strings.Contains(s.FullCause(), "rebuild needs a server that boots from the volume in the manifest") {
		t.Errorf("%s: %s", s.Action, s.FullCause())
	}
}

// If Nova accepts a rebuild and cannot write the image, for example to a volume that is too small, the
// agent reports that, and does not repeat the rebuild.
func TestARebuildOfAVolumeThatFails(t *testing.T) {
	const policy = "imageRef=rebuild"
	g := onSimulator(t, simulator.Options{})
	g.MustSync(onVolume(policy, "os", ""))
	g.Simulator.Do(func() { g.Simulator.Nova.FailNextTask("rebuild", "Failed to rebuild volume backed instance.") })
	var a actions
	pass := g.SyncThrough(onVolume(policy, "other-os", ""), a.wrap)
	if s := webOf(t, pass.Last); !strings.Contains(s.FullCause(), "Failed to rebuild volume backed instance") || a.count["rebuild"] != 1 {
		t.Errorf("%s %s; asked for %v", s.Action, s.FullCause(), a.count)
	}
	g.MustSync(onVolume(policy, "os", ""))
}

// If a policy forbids a new image for the Volume, the server's step is refused, too, because a rebuild
// of the server would write that image to the Volume.
func TestAttackADeniedImageByTheServersStep(t *testing.T) {
	const policy = "imageRef=rebuild"
	g := onSimulator(t, simulator.Options{})
	g.MustSync(onVolume(policy, "os", ""))
	p := g.Plan(onVolume(policy, "other-os", ""))
	if s := webOf(t, p); s.Action != plan.Update || s.Disruption() != kind.Rebuild {
		t.Fatalf("without a policy: %s", s.Action)
	}
	if s := webOf(t, kindtest.Denied(p, rootKey)); s.Action != plan.Refuse || !s.Error {
		t.Errorf("the Volume is denied, and the server's step is to %s", s.Action)
	}
	var fields []string
	p.Apply(guard.Judge(func(kind string) bool { return kind == "Volume" }, func(s guard.Subject) (v guard.Verdict) {
		if s.Key == rootKey && s.Action == plan.Update {
			fields = s.Fields
		}
		return v
	}))
	if !slices.Contains(fields, "spec.resource.imageRef") {
		t.Errorf("the policy is asked about changes of %v", fields)
	}
}
