package all_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

const storedStory = `
apiVersion: stackreeve.dev/v1alpha1
kind: ExternalSecret
metadata: {name: boot}
spec: {store: s, data: {run: {path: boot}, password: {path: password}}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec:
  replicas: 2
  template: {image: centos79, flavor: n3-1vcpu-2gb, initScript: {template: true, secretRef: {name: boot, key: run}, secretRefs: [boot]}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: web}
spec:
  region: tokyo1
  zone: dev
  vipType: private
  serviceType: generic
  ports:
    - {port: 80, protocol: http, realServers: {protocol: http, port: 80, virtualMachineGroupRef: web}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: BarbicanSecret
metadata: {name: password}
spec: {resource: {payloadRef: boot, payloadKey: password}}
`

const beside = `---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: beside}, spec: {resource: {}}}
`

// stored reads manifests while a store has these values, or none if values is nil.
func stored(t *testing.T, g *kindtest.Target, manifests string, values map[string]string) []kind.Desired {
	t.Helper()
	read := func(_ context.Context, wanted []*kind.Stored) {
		for _, of := range wanted {
			of.Data = map[string]string{}
			for name, at := range of.Entries {
				of.Data[name] = values[at.Path]
			}
			if values == nil {
				of.Data, of.Unread = nil, &kind.Unread{Why: "sealed"}
			}
		}
	}
	r := resolve.Reader{Kinds: all.Kinds(nil, g.Defaults), Stores: resolve.Stores{Forms: map[string]resolve.StoreForm{"s": {}}, Read: read}}
	reading, err := r.Read(t.Context(), fstest.MapFS{"test.yaml": {Data: []byte(manifests)}})
	if err != nil {
		t.Fatal(err)
	}
	return reading.Want
}

// TestUnknownValuesChangeNothing: while a store does not answer, what needs its values waits, keeps its parts and is not changed. Other
// objects are not affected. A value that comes back unchanged changes nothing, and another one replaces what has it.
func TestUnknownValuesChangeNothing(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	eng := g.Engine(g.Client(nil))
	values := map[string]string{"boot": "#!/bin/sh\necho {{secrets}}\n", "password": "correct-horse"}
	sync := func(manifests string, values map[string]string) engine.Pass {
		t.Helper()
		return eng.Sync(t.Context(), engine.Revision{Commit: "1", Want: stored(t, g, manifests, values)})
	}
	if pass := sync(storedStory, values); pass.Outcome() != plan.InSync {
		t.Fatalf("%s: %v", pass.Outcome(), pass.Failures)
	}
	pass := sync(storedStory+beside, nil)
	if pass.Outcome() != plan.Broken || len(pass.Results) != 1 || pass.Results[0].Step.Key.Kind != "Network" {
		t.Errorf("%s: %v; want only a network", pass.Outcome(), pass.Results)
	}
	waits := 0
	for _, s := range pass.Last.Steps {
		if s.Action == plan.Wait && s.Error && s.Causes.Has(cause.ValueUnknown) {
			waits++
		} else if s.Action != plan.Keep || s.Key.Kind == "LoadBalancer" && len(s.Changes) > 0 {
			t.Errorf("%s %s: %s", s.Action, s.Key, s.Causes)
		}
	}
	if waits < 2 {
		t.Errorf("%d objects wait", waits)
	}
	smaller := eng.Preview(t.Context(), "1", stored(t, g, strings.ReplaceAll(storedStory, "replicas: 2", "replicas: 1"), nil), nil)
	if i := slices.IndexFunc(smaller.Steps, func(s plan.Step) bool { return s.Action.Destroys() && s.Key.Name != "beside" }); i >= 0 {
		t.Errorf("%s is deleted while a value is unknown", smaller.Steps[i].Key)
	}
	if pass := sync(storedStory, values); pass.Outcome() != plan.InSync || slices.ContainsFunc(pass.Results, func(r engine.Result) bool { return r.Step.Key.Name != "beside" }) {
		t.Errorf("the values are back: %s, %v", pass.Outcome(), pass.Results)
	}
	values["password"] = "staple"
	preview := eng.Preview(t.Context(), "1", stored(t, g, storedStory, values), nil)
	if changed := slices.DeleteFunc(slices.Clone(preview.Steps), func(s plan.Step) bool { return len(s.Changes) == 0 }); len(changed) == 0 {
		t.Error("another value changes nothing")
	}
}

// TestStoredSecretsAreSecrets: an ExternalSecret is declared like a Secret, so that its name is taken. Other objects refer to both in
// the same way.
func TestStoredSecretsAreSecrets(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	want := stored(t, g, storedStory, map[string]string{"boot": "{{secrets}}", "password": "p"})
	i := slices.IndexFunc(want, func(d kind.Desired) bool { return d.Key.Kind == "Secret" })
	if i < 0 || want[i].Data["password"] != "p" || want[i].PublicData || want[i].Parent != (manifest.Key{Group: "stackreeve.dev", Kind: "ExternalSecret", Namespace: "default", Name: "boot"}) {
		t.Fatalf("no Secret in %v", want)
	}
	if _, err := g.TryResolve(storedStory + "---\n{apiVersion: v1, kind: Secret, metadata: {name: boot}, stringData: {run: x, password: y}}\n"); err == nil || !strings.Contains(err.Error(), "Secret/boot: ") {
		t.Errorf("a Secret with the same name: %v", err)
	}
}

// TestLostPartsChangeNoOtherObject: while a value is unknown, a machine that needs it cannot be expanded. Here, the reason is a mistake
// that the unknown value may explain. The load balancer that asks for its ports waits, and keeps its members.
func TestLostPartsChangeNoOtherObject(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	eng := g.Engine(g.Client(nil))
	story := `
apiVersion: stackreeve.dev/v1alpha1
kind: ExternalSecret
metadata: {name: boot}
spec: {store: s, data: {run: {path: boot}}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: solo}
spec: {image: centos79, flavor: n3-1vcpu-2gb, initScript: {secretRef: {name: boot, key: run}}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  region: tokyo1
  zone: dev
  vipType: private
  serviceType: generic
  ports:
    - {port: 80, protocol: http, realServers: {protocol: http, port: 80, virtualMachineRefs: [solo]}}
`
	sync := func(manifests string, values map[string]string) engine.Pass {
		t.Helper()
		return eng.Sync(t.Context(), engine.Revision{Commit: "1", Want: stored(t, g, manifests, values)})
	}
	if pass := sync(story, map[string]string{"boot": "#!/bin/sh\n"}); pass.Outcome() != plan.InSync {
		t.Fatalf("%s: %v", pass.Outcome(), pass.Failures)
	}
	pass := sync(strings.Replace(story, "key: run", "key: typo", 1)+beside, nil)
	for _, r := range pass.Results {
		if r.Step.Key.Name != "beside" {
			t.Errorf("%s %s: %v", r.Step.Action, r.Step.Key, r.Step.Changes)
		}
	}
	waits := slices.ContainsFunc(pass.Last.Steps, func(s plan.Step) bool {
		return s.Key.Kind == "LoadBalancer" && s.Action == plan.Wait && s.Causes.Has(cause.ValueUnknown)
	})
	if !waits || len(pass.Results) == 0 {
		t.Errorf("the load balancer does not wait: %v", pass.Last.Steps)
	}
}
