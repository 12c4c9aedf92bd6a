package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// send is a request with a body and headers, as a program sends it.
func (r *readable) send(t *testing.T, method, path, body string, headers map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.server+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+readToken)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

const (
	newerClients = "application/vnd.kubernetes.protobuf,application/json"
	definitions  = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	mayI         = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
)

// mayList is a review as k9s sends it.
const mayList = "k8s\x00\n2\n\x17authorization.k8s.io/v1\x12\x17SelfSubjectAccessReview" +
	"\x12>\n\x10\n\x00\x12\x00\x1a\x00\"\x00*\x002\x008\x00B\x00\x12 \n\x1e\n\x00\x12\x04list\x1a\x00\"\x02v1*\nnamespaces2\x00:\x00\x1a\b\b\x00\x12\x00\x1a\x00 \x00\x1a\x00\"\x00"

// What k9s and Headlamp ask when they are started, and while people look around, is answered in a form that they read.
func TestReadAPIPrograms(t *testing.T) {
	r := startReadable(t)
	rules := "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
	for _, c := range []struct {
		method, path, accept, body string
		code                       int
		want                       []string
	}{
		// Headlamp lets in whose rules it is told, and shows kinds that have a definition.
		{"POST", rules, "application/json", `{"spec":{"namespace":"default"}}`, 201, []string{`"resourceRules"`, `"networks"`}},
		{"GET", "/version", "application/json", "", 200, []string{`"gitVersion"`}},
		{"GET", "/api/v1/namespaces", "application/json", "", 200, []string{`"kind":"NamespaceList"`, `"uid":"`, `"creationTimestamp":"`}},
		{"GET", "/api/v1/events?limit=2000", "application/json", "", 200, []string{`"reason":"Created"`, `"involvedObject"`}},
		{"GET", definitions, "application/json", "", 200, []string{`"name":"networks.openstack.k-orc.cloud"`, `"jsonPath":".status.state"`}},
		{"GET", definitions + "/networks.openstack.k-orc.cloud", "application/json", "", 200, []string{`"plural":"networks"`, `"scope":"Namespaced"`}},
		{"GET", "/apis/openstack.k-orc.cloud/v1alpha1/networks", "application/json", "", 200, []string{`"kind":"NetworkList"`, `"uid":"`, `"creationTimestamp":"`}},
		{"POST", mayI, "application/json", `{"spec":{"resourceAttributes":{"verb":"delete","group":"openstack.k-orc.cloud","resource":"networks","namespace":"killed","name":"front"}}}`, 201, []string{`"allowed":false`, "change it in Git"}},
		{"GET", "/api/v1/nodes", "application/json", "", 404, []string{`"reason":"NotFound"`}},
		{"GET", "/apis/metrics.k8s.io/v1beta1/nodes", "application/json", "", 404, []string{`"reason":"NotFound"`}},
		// k9s speaks protobuf to what every cluster has, and reads JSON when it gets that.
		{"POST", mayI, newerClients, mayList, 201, []string{`"allowed":true`, `"resource":"namespaces"`}},
		{"GET", "/apis/openstack.k-orc.cloud/v1alpha1/networks?limit=500&resourceVersion=0", "application/json", "", 200, []string{`"kind":"NetworkList"`}},
		{"GET", "/apis/openstack.k-orc.cloud/v1alpha1/networks?includeObject=Metadata", asTable, "", 200, []string{`"kind":"Table"`, `"uid":"`}},
		{"GET", "/apis/events.k8s.io/v1/events?includeObject=Metadata", asTable, "", 200, []string{`"kind":"Table"`, `"Created"`}},
		{"GET", "/apis/events.k8s.io/v1/namespaces/killed/events", "application/json", "", 200, []string{`"regarding"`, `"note":"created"`}},
		{"GET", "/api/v1/namespaces", newerClients, "", 200, []string{`"kind":"NamespaceList"`}},
	} {
		resp := r.send(t, c.method, c.path, c.body, map[string]string{"Accept": c.accept})
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		var answered any
		if err := json.Unmarshal(text, &answered); err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		flat, err := json.Marshal(answered)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != c.code || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %s %s", c.method, c.path, resp.Status, text)
		}
		for _, want := range c.want {
			if !strings.Contains(string(flat), want) {
				t.Errorf("%s %s: %s is not in %.2000s", c.method, c.path, want, flat)
			}
		}
	}
}

// A browser watches through the listener, too.
func TestReadAPIWebSocket(t *testing.T) {
	r := startReadable(t)
	resp := r.send(t, http.MethodGet, networksPath+"?watch=1", "", map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
	})
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if resp.StatusCode != http.StatusSwitchingProtocols || !ok {
		t.Fatal(resp.Status)
	}
	first := make([]byte, 4096)
	n, err := conn.Read(first)
	if err != nil || !strings.Contains(string(first[:n]), `"type":"ADDED"`) {
		t.Errorf("%v %q", err, first[:n])
	}
	if _, err := io.WriteString(conn, "\x88\x80\x00\x00\x00\x00"); err != nil { // it leaves again
		t.Fatal(err)
	}
	if text, err := io.ReadAll(conn); err != nil || !strings.Contains(string(text), "\x88\x00") {
		t.Errorf("%v %q", err, text)
	}
}
