// Package kro expands definitions with kro's own builder and runtime, and compares the result with Stackreeve's
// expansion.
package kro

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"github.com/kubernetes-sigs/kro/pkg/runtime"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"
	yamlstream "sigs.k8s.io/yaml/goyaml.v3"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// Manifests with a definition and its objects expand to the same objects in Stackreeve and in kro.
func TestDefinitionsExpandAsWithKro(t *testing.T) {
	cases := map[string]string{"words of both": wordsOfBoth}
	folders, err := filepath.Glob("../../testdata/definitions/*")
	if err != nil || len(folders) < 4 {
		t.Fatalf("%d shipped examples, %v", len(folders), err)
	}
	for _, folder := range folders {
		cases[filepath.Base(folder)] = shipped(t, folder)
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			for own, both := range inWordsOfBoth[name] {
				if !strings.Contains(text, own) {
					t.Errorf("there is no %q any more", own)
				}
				text = strings.ReplaceAll(text, own, both)
			}
			ours := wanted(t, text)
			theirs := wanted(t, expanded(t, text))
			if len(ours) < 2 {
				t.Errorf("there is only %v", ours)
			}
			for _, key := range slices.Sorted(maps.Keys(ours)) {
				if _, made := theirs[key]; key == leftOutByKro[name] {
					if made {
						t.Errorf("kro makes %s, too", key)
					}
				} else if ours[key] != theirs[key] {
					t.Errorf("%s\nours:  %s\nkro's: %s", key, ours[key], theirs[key])
				}
				delete(theirs, key)
			}
			for key := range theirs {
				t.Errorf("only kro makes %s", key)
			}
		})
	}
}

// inWordsOfBoth contains the parts of the released examples that kro does not accept, each with a text that both
// programs accept. In kro, a missing field has no value, two dollars are no escape, and numbers are not
// converted to texts.
var inWordsOfBoth = map[string]map[string]string{
	"bastion":  {"  network: office\n  allow:": "  network: office\n  keyPair: ops\n  allow:"},
	"postgres": {"$${HOSTNAME:-primary}": "${'$'}{HOSTNAME:-primary}", "${schema.spec.version}": "${string(schema.spec.version)}", "-${number}": "-${string(number)}"},
}

// leftOutByKro contains objects that kro does not make because an object to which they could refer is omitted.
var leftOutByKro = map[string]string{"web-shop": "Subnet/books-test"}

// wordsOfBoth is a definition with most features that both programs have.
const wordsOfBoth = `
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: team}
spec:
  schema:
    kind: Team
    apiVersion: v1alpha1
    spec:
      about: string | default="a team"
      mtu: integer | default=1450 minimum=1280
      shared: boolean | default=false
      zones: '[]string | required=true'
      ports: '[]integer'
      names: 'map[string]string'
      inside:
        cidr: string | default="10.1.0.0/16"
        dhcp: boolean | default=true
  resources:
  - id: network
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: Network
      metadata: {name: "${schema.metadata.name}-net"}
      spec: {resource: {mtu: "${schema.spec.mtu + 10}", shared: "${schema.spec.shared}", description: "of ${schema.spec.about}, ${schema.spec.zones[0]}"}}
  - id: subnet
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: Subnet
      metadata: {name: "${schema.metadata.name}"}
      spec:
        resource: {networkRef: "${network.metadata.name}", ipVersion: 4, cidr: "${schema.spec.inside.cidr}", enableDHCP: "${schema.spec.inside.dhcp}"}
  - id: access
    includeWhen: ["${schema.spec.ports.size() > 0}"]
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: SecurityGroup
      metadata: {name: "${schema.metadata.name}"}
      spec:
        resource:
          rules: "${schema.spec.ports.map(p, {'direction': 'ingress', 'ethertype': 'IPv4', 'protocol': 'tcp', 'portRange': {'min': p, 'max': p}})}"
  - id: nobody
    includeWhen: ["${schema.spec.shared}"]
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: ServerGroup
      metadata: {name: "${schema.metadata.name}-nobody"}
      spec: {resource: {policy: affinity}}
  - id: spread
    forEach:
    - zone: ${schema.spec.zones}
    - number: ${schema.spec.ports}
    template:
      apiVersion: openstack.k-orc.cloud/v1alpha1
      kind: ServerGroup
      metadata: {name: "${schema.metadata.name}-${zone}-${string(number)}"}
      spec: {resource: {policy: "${zone == 'a' ? 'soft-anti-affinity' : 'anti-affinity'}"}}
---
apiVersion: kro.run/v1alpha1
kind: Team
metadata: {name: red}
spec:
  zones: [a, b]
  ports: [80, 443]
  names: {one: two}
---
apiVersion: kro.run/v1alpha1
kind: Team
metadata: {name: blue}
spec:
  about: blue
  mtu: 9000
  zones: [c]
  ports: []
  inside: {cidr: 10.2.0.0/16, dhcp: false}
`

// shipped returns an example with its definition in kro's format.
func shipped(t *testing.T, folder string) string {
	t.Helper()
	var texts []string
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return strings.Join(texts, "\n---\n")
}

// wanted returns the objects of manifests as JSON by their keys, without the objects of defined kinds.
func wanted(t *testing.T, text string) map[string]string {
	t.Helper()
	reader := resolve.Reader{Kinds: all.Kinds(nil, defaults.Defaults{})}
	reading, err := reader.Read(t.Context(), fstest.MapFS{"all.yaml": {Data: []byte(text)}})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defined := map[string]bool{"Definition": true, "ResourceGraphDefinition": true}
	for _, k := range reading.Defined {
		defined[k.Info.Kind] = true
	}
	found := map[string]string{}
	for _, d := range reading.Want {
		if defined[d.Key.Kind] {
			continue
		}
		spec, err := json.Marshal(d.Spec)
		if err != nil {
			t.Fatal(err)
		}
		found[d.Key.String()] = string(spec)
	}
	return found
}

// expanded replaces definitions and their objects by the objects that kro makes of them.
func expanded(t *testing.T, text string) string {
	t.Helper()
	var kept, objects []map[string]any
	graphs := map[string]*graph.Graph{}
	for _, d := range documents(t, text) {
		if kind, _ := d["kind"].(string); kind == "Definition" || kind == "ResourceGraphDefinition" {
			rgd := definition(t, d)
			graphs[rgd.Spec.Schema.Kind] = compiled(t, rgd)
			continue
		}
		kept = append(kept, d)
	}
	for _, d := range kept {
		if g := graphs[d["kind"].(string)]; g != nil {
			objects = append(objects, made(t, g, d)...)
		} else {
			objects = append(objects, d)
		}
	}
	var all []string
	for _, o := range objects {
		out, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(out))
	}
	return strings.Join(all, "---\n")
}

func documents(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	stream := yamlstream.NewDecoder(bytes.NewReader([]byte(text)))
	for {
		var node yamlstream.Node
		if err := stream.Decode(&node); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		one, err := yamlstream.Marshal(&node)
		if err != nil {
			t.Fatal(err)
		}
		var d map[string]any
		if err := yaml.Unmarshal(one, &d); err != nil {
			t.Fatal(err)
		}
		if d != nil {
			all = append(all, d)
		}
	}
}

// definition returns a definition in kro's format, without the parts about objects in the cloud.
func definition(t *testing.T, d map[string]any) *v1alpha1.ResourceGraphDefinition {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	rgd := &v1alpha1.ResourceGraphDefinition{}
	if err := json.Unmarshal(text, rgd); err != nil {
		t.Fatal(err)
	}
	rgd.Spec.Schema.Status.Raw = nil
	if rgd.Spec.Schema.Group == "" {
		rgd.Spec.Schema.Group = "kro.run"
	}
	for _, r := range rgd.Spec.Resources {
		r.ReadyWhen = nil
	}
	return rgd
}

// anyKind simulates a cluster that has every kind, and of which only the names of the kinds are known.
type anyKind struct{ meta.RESTMapper }

func (anyKind) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	gvk := gk.WithVersion(versions[0])
	resource, _ := meta.UnsafeGuessKindToResource(gvk)
	return &meta.RESTMapping{Resource: resource, GroupVersionKind: gvk, Scope: meta.RESTScopeNamespace}, nil
}

func (anyKind) ResolveSchema(schema.GroupVersionKind) (*spec.Schema, error) {
	text, open := *spec.StringProperty(), spec.VendorExtensible{Extensions: spec.Extensions{"x-kubernetes-preserve-unknown-fields": true}}
	object := func(properties map[string]spec.Schema) spec.Schema {
		return spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: properties}}
	}
	texts := *spec.MapProperty(spec.StringProperty())
	free := spec.Schema{VendorExtensible: open, SchemaProps: spec.SchemaProps{Type: []string{"object"}}}
	whole := object(map[string]spec.Schema{"apiVersion": text, "kind": text, "spec": free, "data": texts, "stringData": texts, "type": text,
		"metadata": object(map[string]spec.Schema{"name": text, "namespace": text, "labels": texts, "annotations": texts})})
	return &whole, nil
}

var config = graph.Config{MaxCollectionSize: 1000, MaxCollectionDimensionSize: 1000}

func compiled(t *testing.T, rgd *v1alpha1.ResourceGraphDefinition) *graph.Graph {
	t.Helper()
	builder, err := graph.NewBuilder(nil, nil, graph.WithSchemaResolver(anyKind{}), graph.WithRESTMapper(anyKind{}))
	if err != nil {
		t.Fatal(err)
	}
	g, err := builder.NewResourceGraphDefinition(rgd, config)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// made returns the objects that kro makes for an object of a defined kind. In the simulated cluster, each object
// exists as soon as kro has created it.
func made(t *testing.T, g *graph.Graph, instance map[string]any) (objects []map[string]any) {
	t.Helper()
	complete(t, g, instance)
	of := &unstructured.Unstructured{Object: instance}
	if of.GetNamespace() == "" {
		of.SetNamespace("default") // kubectl would do this
	}
	rt, err := runtime.FromGraph(g, config, runtime.WithInstance(of))
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range rt.Nodes() {
		if ignored, err := node.IsIgnored(); err != nil {
			t.Fatal(err)
		} else if ignored {
			continue
		}
		list, err := node.GetDesired()
		if err != nil {
			t.Fatal(err)
		}
		node.SetObserved(list)
		for _, o := range list {
			labels := o.GetLabels()
			maps.DeleteFunc(labels, func(name, _ string) bool { return strings.Contains(name, "kro.run/") })
			o.SetLabels(labels)
			o.SetNamespace("")
			objects = append(objects, o.Object)
		}
	}
	return objects
}

// complete sets the defaults of an object. In a cluster, the API server sets them from the CRD that kro makes.
func complete(t *testing.T, g *graph.Graph, instance map[string]any) {
	t.Helper()
	var internal apiextensions.JSONSchemaProps
	of := g.CRD.Spec.Versions[0].Schema.OpenAPIV3Schema
	if err := extv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(of, &internal, nil); err != nil {
		t.Fatal(err)
	}
	s, err := structural.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	defaulting.Default(instance, s)
}
