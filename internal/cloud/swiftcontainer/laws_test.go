package swiftcontainer_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/swiftcontainer"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []kind.Kind {
	return []kind.Kind{swiftcontainer.Kind(c)}
}

func object(name string) string {
	return `
apiVersion: stackreeve.dev/v1alpha1
kind: SwiftContainer
metadata: {name: pictures}
spec:
  resource:
    name: ` + name + `
    readACL: [".r:*", .rlistings]
    writeACL: ["p1:u1", "p2:*"]
    quotaBytes: 1000000
    quotaObjects: 100
    corsOrigins: ["https://shop.example.org", "https://www.example.org"]
    corsExposedHeaders: [X-Trans-Id]
    corsMaxAge: 600
    metadata: [{name: web-index, value: index.html}, {name: tier, value: gold}]
`
}

func unique(name string) string { return name + "-" + strings.ToLower(rand.Text()) }

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: kinds, Object: object(unique("pictures")),
		Key: manifest.Key{Group: define.WorkloadGroup, Kind: "SwiftContainer", Namespace: "default", Name: "pictures"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.readACL", Old: "\".r:*\", .rlistings", New: ".rlistings, \".r:*\""},
			{Field: "spec.resource.writeACL", Old: "p1:u1", New: "p1:u3"},
			{Field: "spec.resource.corsOrigins", Old: "shop.example", New: "buy.example"},
			{Field: "spec.resource.corsExposedHeaders", Old: "X-Trans-Id", New: "X-Timestamp"},
			{Field: "spec.resource.metadata", Old: "{name: tier, value: gold}", New: "{name: level, value: silver}"},
			{Field: "spec.resource.storagePolicy", Old: "quotaObjects: 100", New: "quotaObjects: 100\n    storagePolicy: silver", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.versioning", Old: "quotaObjects: 100", New: "quotaObjects: 100\n    versioning: true"},
		},
	}.Run(t)
}

// What is left out of the manifest is taken off the container.
func TestSettingsAreTakenOff(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	name := unique("bare")
	g.MustSync(object(name))
	bare := strings.SplitAfter(object(name), name+"\n")[0]
	g.MustSync(bare)
	headers, err := g.Client(nil).Head(t.Context(), cloud.ObjectStore, name)
	if err != nil {
		t.Fatal(err)
	}
	for header := range headers {
		left := strings.TrimPrefix(header, "X-Container-")
		if left != header && (left == "Read" || left == "Write" || strings.HasPrefix(left, "Meta-") && !strings.HasPrefix(left, "Meta-Stackreeve")) {
			t.Errorf("%s is left: %q", header, headers[header])
		}
	}
	if headers.Get("X-Container-Meta-Stackreeve") == "" {
		t.Error("the mark is gone")
	}
	g.MustSync("")
}

// A container that holds objects is not deleted, nor are they, and the error says how many.
func TestObjectsAreKept(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	name, c := unique("full"), g.Client(nil)
	g.MustSync(object(name))
	at := cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: name + "/one", Body: map[string]string{}}
	if err := c.Do(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	pass := g.Sync("")
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "holds 1 objects (2 bytes)") {
		t.Errorf("failures are %s", text)
	}
	at.Method, at.Body = http.MethodDelete, nil
	if err := c.Do(t.Context(), at); err != nil {
		t.Fatal(err) // it was deleted
	}
	g.MustSync("")
}

// Swift changes a container that is there when asked to make it. One of somebody else's is
// left alone, even if the list did not show it yet.
func TestContainerOfAnother(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	name, c := unique("theirs"), g.Client(nil)
	call := cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: name, Headers: map[string]string{"X-Container-Read": "p9:u9"}}
	if err := c.Do(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	if pass := g.Sync(object(name)); len(pass.Failures) == 0 && pass.Last.Owned != 0 {
		t.Error("another's container was taken")
	}
	_, err := swiftcontainer.Kind(c).Driver().Create(t.Context(), wanted(t, g, name))
	if err == nil || !strings.Contains(err.Error(), "bears no mark of this stack") {
		t.Errorf("made over another's: %v", err)
	}
	headers, err := c.Head(t.Context(), cloud.ObjectStore, name)
	if err != nil || headers.Get("X-Container-Read") != "p9:u9" {
		t.Errorf("it is %v, %v", headers, err)
	}
	call.Method = http.MethodDelete
	if err := c.Do(t.Context(), call); err != nil {
		t.Fatal(err)
	}
}

// wanted is what a driver is asked for when a container of that name is made.
func wanted(t *testing.T, g *kindtest.Target, name string) kind.Want[any] {
	t.Helper()
	var spec any = &swiftcontainer.Spec{Name: &name}
	return kind.Want[any]{
		Key:  manifest.Key{Group: define.WorkloadGroup, Kind: "SwiftContainer", Namespace: "default", Name: "pictures"},
		Spec: &spec, Mark: kind.Mark{Owner: "stackreeve:" + g.Stack + ":SwiftContainer/pictures", Applied: "x"},
	}
}

// A list in which a container is refused is no list.
func TestRefusedListIsUnknown(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	if g.Simulator == nil {
		t.Skip("needs a Swift that refuses")
	}
	name := unique("kept")
	g.MustSync(object(name))
	if _, err := g.Simulator.AddFault(simulator.Fault{Service: "object-store", Method: http.MethodHead, Path: name, Status: http.StatusForbidden}); err != nil {
		t.Fatal(err)
	}
	for _, s := range g.Sync("").Last.Steps {
		if s.Action == plan.Delete || s.Action == plan.Create {
			t.Errorf("%s %s: %s", s.Action, s.Key, s.Reason)
		}
	}
	g.Simulator.ClearFaults()
	g.MustSync("")
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Refuses(map[string]string{
		"name: a/b":                                                       "spec.resource.name",
		"name: \"..\"":                                                    "spec.resource.name",
		"readACL: [\".x:y\"]":                                             "spec.resource.readACL[0]: is nothing that Swift knows",
		"readACL: [\"p:u, .r:*\"]":                                        "spec.resource.readACL[0]",
		"writeACL: [\".r:*\"]":                                            "spec.resource.writeACL[0]",
		"corsOrigins: [\"https://a https://b\"]":                          "spec.resource.corsOrigins[0]: is not one word",
		"quotaBytes: 0":                                                   "spec.resource.quotaBytes",
		"metadata: [{name: Tier, value: gold}]":                           "spec.resource.metadata[0].name",
		"metadata: [{name: tier, value: \"a\\r\\nX: b\"}]":                "spec.resource.metadata[0].value: cannot stand in a header",
		"metadata: [{name: quota-bytes, value: \"1\"}]":                   "is a setting of the container",
		"metadata: [{name: temp-url-key, value: abc}]":                    "is a secret",
		"metadata: [{name: stackreeve-self, value: abc}]":                 "is reserved for the mark of the owner",
		"metadata: [{name: a, value: b}, {name: a, value: c}]":            "is given twice",
		"metadata: [{name: a, value: \"stackreeve:x:SwiftContainer/y\"}]": "owner mark",
	}, func(field string) string {
		return "apiVersion: stackreeve.dev/v1alpha1\nkind: SwiftContainer\nmetadata: {name: one}\nspec: {resource: {" + field + "}}"
	})
}
