package all_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// instead is a transport that replaces the answer at one path.
type instead struct {
	next       http.RoundTripper
	path, body string
	asked      bool
}

// RoundTrip implements http.RoundTripper.
func (i *instead) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := i.next.RoundTrip(req)
	if err != nil || req.Method != http.MethodGet || i.path == "" || !strings.HasSuffix(req.URL.Path, i.path) {
		return resp, err
	}
	i.asked = true
	_ = resp.Body.Close() // the answer is replaced
	resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(i.body)), int64(len(i.body))
	return resp, nil
}

const listedKinds = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {description: x}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Volume
metadata: {name: data}
spec: {resource: {size: 1}}
`

// FuzzAnswers replaces the answer to one list of a cloud. A list that cannot be
// read is unknown, not empty: no object of its kind is created or deleted.
func FuzzAnswers(f *testing.F) {
	lists := []struct{ path, kind string }{{"/networks", "Network"}, {"/security-groups", "SecurityGroup"}, {"/volumes/detail", "Volume"}}
	for _, body := range []string{
		"", "null", "[]", "{}", `{"networks": null}`, `{"networks": [null, {}]}`, `{"networks": [{"id": 7}]}`, strings.Repeat("[", 5000), `{"networks": [`,
		`{"networks": [{"id": "a", "name": "front", "tags": ["stackreeve:test:Network/front"]}, {"id": "a"}], "networks_links": [{"rel": "next", "href": "/networks?marker=a"}]}`,
		`{"security_groups": [{"id": "a", "security_group_rules": [null, {"port_range_min": -1}]}]}`,
		`{"volumes": [{"id": "a", "metadata": null, "attachments": [{}], "size": -1, "status": "?"}]}`,
	} {
		for n := range lists {
			f.Add(uint8(n), body)
		}
	}
	engine, wire := looker(f)
	want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(listedKinds)}}, all.Kinds(nil, defaults.Defaults{}))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		list := lists[int(which)%len(lists)]
		wire.path, wire.body, wire.asked = list.path, body, false
		var read map[string]json.RawMessage
		unknown := json.Unmarshal([]byte(body), &read) != nil
		planned := engine.Preview(t.Context(), "test", want, nil)
		if !wire.asked || len(planned.Steps) == 0 {
			t.Fatalf("%s was not asked for, or nothing is planned", list.path)
		}
		for _, s := range planned.Steps {
			if unknown && s.Key.Kind == list.kind && s.Action != plan.Wait && s.Action != plan.Refuse {
				t.Errorf("%s answers %q, and the plan is to %s %s", list.path, body, s.Action, s.Key)
			}
			if s.Action == plan.Delete && !strings.Contains(body, "stackreeve") {
				t.Errorf("%s answers %q, and the plan is to delete %s", list.path, body, s.Key)
			}
		}
	})
}

// looker returns an agent's engine and a cloud that has no objects of the agent's stack.
func looker(f *testing.F) (*engine.Engine, *instead) {
	f.Helper()
	server, err := simulator.Start(context.Background(), "127.0.0.1:0", simulator.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = server.Close() }) // an error does not matter, because the process ends
	file := filepath.Join(f.TempDir(), "clouds.yaml")
	if err := os.WriteFile(file, server.CloudsYAML(), 0o600); err != nil {
		f.Fatal(err)
	}
	wire := &instead{}
	c, err := cloud.Open(f.Context(), cloud.Config{Cloud: "demo", File: file, Limits: cloud.Limits{PerSecond: 1e6, Burst: 1e6, Retries: -1}, Wrap: func(next http.RoundTripper) http.RoundTripper {
		wire.next = next
		return wire
	}})
	if err != nil {
		f.Fatal(err)
	}
	var kinds []*kind.Kind
	for _, k := range all.Kinds(c, defaults.Defaults{}) {
		switch k.Info.Kind {
		case "Network", "SecurityGroup", "Volume":
			kinds = append(kinds, k)
		}
	}
	return &engine.Engine{Stack: "test", Kinds: kinds}, wire
}
