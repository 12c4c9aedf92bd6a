package swiftcontainer_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/swiftcontainer"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

func kinds(c *cloud.Client, _ defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{swiftcontainer.Kind(c, defaults.Defaults{})}
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
			{Field: "spec.resource.storagePolicy", Old: "quotaObjects: 100", New: "quotaObjects: 100\n    storagePolicy: silver", Replaces: true},
			{Field: "spec.resource.versioning", Old: "quotaObjects: 100", New: "quotaObjects: 100\n    versioning: true"},
		},
	}.Run(t)
}

// If the manifest omits settings, they are removed from the container.
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

// If a container has objects, neither the container nor the objects are deleted, and the error
// says how many objects there are.
func TestObjectsAreKept(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	name, c := unique("full"), g.Client(nil)
	g.MustSync(object(name))
	at := cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: name + "/one", Body: map[string]string{}}
	if err := c.Do(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	pass := g.Sync("")
	if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "has 1 objects (2 bytes") {
		t.Errorf("failures are %s", text)
	}
	at.Method, at.Body = http.MethodDelete, nil
	if err := c.Do(t.Context(), at); err != nil {
		t.Fatal(err) // the object was deleted
	}
	g.MustSync("")
}

// If asked to create a container that exists, Swift changes it. The agent does not change
// somebody else's container, even if the list does not show it yet.
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
	_, err := swiftcontainer.Kind(c, defaults.Defaults{}).Driver.Create(t.Context(), wanted(t, g, name))
	if !errors.Is(err, kind.ErrBusy) {
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

// wanted returns what a driver gets to create a container with that name.
func wanted(t *testing.T, g *kindtest.Target, name string) kind.Want {
	t.Helper()
	return kind.Want{
		Key:  manifest.Key{Group: define.WorkloadGroup, Kind: "SwiftContainer", Namespace: "default", Name: "pictures"},
		Spec: &swiftcontainer.Spec{Name: &name}, Mark: kind.Mark{Owner: "stackreeve:" + g.Stack + ":SwiftContainer/pictures", Applied: "x"},
	}
}

// If Swift refuses to show one container, the whole list is unknown.
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
	for _, manifests := range []string{"", object(name)} {
		for _, s := range g.Sync(manifests).Last.Steps {
			if s.Action == plan.Delete || s.Action == plan.Create {
				t.Errorf("%s %s: %s", s.Action, s.Key, s.FullCause())
			}
		}
	}
	g.Simulator.ClearFaults()
	g.MustSync("")
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.Refuses(map[string]string{
		"name: a/b":                              "spec.resource.name",
		"name: \"..\"":                           "spec.resource.name",
		"readACL: [\".x:y\"]":                    "spec.resource.readACL[0]",
		"readACL: [\"p:u, .r:*\"]":               "spec.resource.readACL[0]",
		"writeACL: [\".r:*\"]":                   "spec.resource.writeACL[0]",
		"corsOrigins: [\"https://a https://b\"]": "spec.resource.corsOrigins[0]",
		"quotaBytes: -1":                         "spec.resource.quotaBytes",
		"name: " + strings.Repeat("ä", 129):      "spec.resource.name",
		"readACL: " + manyOf(50, strings.Repeat("p", 200)+":u"):           "spec.resource.readACL",
		"writeACL: " + manyOf(50, strings.Repeat("p", 200)+":u"):          "spec.resource.writeACL",
		"corsOrigins: " + manyOf(11, "https://www.example.org"):           "spec.resource.corsOrigins",
		"corsExposedHeaders: " + manyOf(2, strings.Repeat("X", 129)):      "spec.resource.corsExposedHeaders",
		"metadata: " + longMetadata(14):                                   "spec.resource.metadata",
		"metadata: [{name: Tier, value: gold}]":                           "spec.resource.metadata[0].name",
		"metadata: [{name: tier, value: \"a\\r\\nX: b\"}]":                "spec.resource.metadata[0].value",
		"metadata: [{name: quota-bytes, value: \"1\"}]":                   "spec.resource.metadata[0].name",
		"metadata: [{name: temp-url-key, value: abc}]":                    "spec.resource.metadata[0].name",
		"metadata: [{name: stackreeve-self, value: abc}]":                 "spec.resource.metadata[0].name",
		"metadata: [{name: a, value: b}, {name: a, value: c}]":            "spec.resource.metadata[1].name",
		"metadata: [{name: a, value: \"stackreeve:x:SwiftContainer/y\"}]": "spec.resource.metadata[0].value",
	}, func(field string) string {
		return "apiVersion: stackreeve.dev/v1alpha1\nkind: SwiftContainer\nmetadata: {name: one}\nspec: {resource: {" + field + "}}"
	})
}

func manyOf(n int, text string) string {
	return "[" + strings.TrimSuffix(strings.Repeat("\""+text+"\", ", n), ", ") + "]"
}

func longMetadata(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{name: a%c, value: %s}, ", 'a'+i, strings.Repeat("v", 249))
	}
	return "[" + strings.TrimSuffix(b.String(), ", ") + "]"
}

// The longest values that a manifest may have leave enough room for the mark.
func TestLongest(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	g.MustSync(plain(strings.Repeat("x", 250-26)+strings.ToLower(rand.Text()), `
    readACL: `+manyOf(39, strings.Repeat("p", 200)+":u")+`
    quotaBytes: 1000000000000000
    quotaObjects: 1000000000000000
    corsMaxAge: 1000000000
    corsOrigins: `+manyOf(10, "https://www.example.org")+`
    metadata: `+longMetadata(12)))
	g.MustSync("")
}

func plain(name, more string) string {
	return "apiVersion: stackreeve.dev/v1alpha1\nkind: SwiftContainer\nmetadata: {name: pictures}\nspec:\n  resource:\n    name: " + name + more
}

// The names of storage policies are not case-sensitive.
func TestPolicyWithoutCase(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	upper := plain(unique("upper"), "\n    storagePolicy: GOLD")
	g.MustSync(upper)
	if p := g.Plan(upper); !p.InSync() {
		t.Errorf("%v", p.Summary())
	}
	g.MustSync("")
}

// A container that has only earlier versions of objects is not deleted.
func TestVersionsAreKept(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	name, c := unique("versions"), g.Client(nil)
	g.MustSync(plain(name, "\n    versioning: true"))
	at := cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: name + "/one", Body: map[string]string{}}
	if err := c.Do(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	at.Method, at.Body = http.MethodDelete, nil
	if err := c.Do(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(g.Sync("").Failures); !strings.Contains(text, "has 0 objects (2 bytes, with earlier versions of objects)") {
		t.Errorf("failures are %s", text)
	}
	type version struct {
		ID string `json:"version_id"`
	}
	var versions []version
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.ObjectStore, Method: http.MethodGet, Path: name + "?versions&format=json", Into: &versions}); err != nil || len(versions) != 2 {
		t.Fatalf("%v, %v", versions, err)
	}
	for _, v := range versions {
		at.Path = name + "/one?version-id=" + v.ID
		if err := c.Do(t.Context(), at); err != nil {
			t.Fatal(err)
		}
	}
	g.MustSync("")
}

// If a Swift does not store versions, it ignores the setting for them, and the agent reports
// that.
func TestWithoutVersions(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	const header = "X-Versions-Enabled"
	none := func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			req.Header.Del(header)
			resp, err := next.RoundTrip(req)
			if err == nil {
				resp.Header.Del(header)
			}
			return resp, err
		})
	}
	name := unique("none")
	for _, before := range []string{"made", "changed"} {
		if failures := g.SyncThrough(plain(name, "\n    versioning: true"), none).Failures; len(failures) != 1 || failures[0].Fault != status.ReasonInvalid {
			t.Errorf("%s: failures are %v", before, failures)
		}
	}
	if pass := g.SyncThrough(plain(name, ""), none); pass.Outcome() != plan.InSync {
		t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
	}
	g.MustSync("")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// The list of an account can be outdated. If a container was just created, or is found when it is
// to be created, it exists even if the list omits it.
func TestLateList(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	text := plain(unique("late"), "")
	for range 2 {
		if pass := g.SyncThrough(text, listing("[]")); pass.Outcome() != plan.InSync {
			t.Errorf("%s: %v", pass.Outcome(), pass.Failures)
		}
	}
	if p := g.Plan(text); p.Owned != 1 || !p.InSync() {
		t.Errorf("%d are owned, %v", p.Owned, p.Summary())
	}
	g.MustSync("")
}

// listing is a transport to a cloud that answers the list of containers with this text.
func listing(text string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err == nil && req.Method == http.MethodGet && req.URL.Query().Has("format") {
				_ = resp.Body.Close()
				answer := text
				if req.URL.Query().Has("marker") {
					answer = "[]"
				}
				resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(answer)), int64(len(answer))
			}
			return resp, err
		})
	}
}

// Swift accepts names that cannot be used in a path. Containers with such names are not read,
// because the path would lead to the account, or to all accounts.
func TestAttackNamesThatLeadUp(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	text := plain(unique("own"), "")
	g.MustSync(text)
	var asked []string
	var mu sync.Mutex
	pass := g.SyncThrough("", func(next http.RoundTripper) http.RoundTripper {
		next = listing(`[{"name": ""}, {"name": "."}, {"name": ".."}, {"name": "../x"}, {"name": "a?b#c"}]`)(next)
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodHead {
				mu.Lock()
				asked = append(asked, req.URL.EscapedPath())
				mu.Unlock()
			}
			return next.RoundTrip(req)
		})
	})
	if len(pass.Failures) > 0 {
		t.Errorf("failures are %v", pass.Failures)
	}
	slices.Sort(asked)
	for i, end := range []string{"/..%2Fx", "/a%3Fb%23c"} {
		if len(asked) != 2 || !strings.HasSuffix(asked[i], end) {
			t.Errorf("asked for %q", asked)
			break
		}
	}
	g.MustSync("")
}

// All containers of the account are listed, whatever the length of a page is.
func TestMoreThanAPage(t *testing.T) {
	g := kindtest.NewTargetOn(t, kinds, &simulator.Options{MaxPage: 2})
	var text strings.Builder
	for i := range 7 {
		text.WriteString(strings.Replace(plain(fmt.Sprintf("c%d", i), ""), "name: pictures", fmt.Sprintf("name: c%d", i), 1) + "\n---\n")
	}
	g.MustSync(text.String())
	if p := g.Plan(text.String()); p.Owned != 7 || !p.InSync() {
		t.Errorf("%d are owned, %v", p.Owned, p.Summary())
	}
}

// The agent sends one request for each container of the account, whoever owns it. The number of
// simultaneous requests is limited.
func TestCost(t *testing.T) {
	g := kindtest.NewTargetOn(t, kinds, &simulator.Options{})
	c := g.Client(nil)
	for i := range 40 {
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: fmt.Sprintf("theirs-%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	g.MustSync(plain("own", ""))
	var heads, now, most atomic.Int64
	pass := g.SyncThrough(plain("own", ""), func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if req.Method != http.MethodHead {
				return next.RoundTrip(req)
			}
			heads.Add(1)
			for n := now.Add(1); n > most.Load(); {
				most.Store(n)
			}
			defer now.Add(-1)
			return next.RoundTrip(req)
		})
	})
	if pass.Outcome() != plan.InSync || heads.Load() != 41 || most.Load() > 16 {
		t.Errorf("%s: %d requests, %d at once", pass.Outcome(), heads.Load(), most.Load())
	}
}
