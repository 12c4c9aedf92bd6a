package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/describe"
	"github.com/stackreeve/stackreeve/internal/readapi"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// send sends a request with a body and headers, as a program does.
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
	whoAmI       = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
	mayI         = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
)

// mayList is a review in the form in which k9s sends it.
const mayList = "k8s\x00\n2\n\x17authorization.k8s.io/v1\x12\x17SelfSubjectAccessReview" +
	"\x12>\n\x10\n\x00\x12\x00\x1a\x00\"\x00*\x002\x008\x00B\x00\x12 \n\x1e\n\x00\x12\x04list\x1a\x00\"\x02v1*\nnamespaces2\x00:\x00\x1a\b\b\x00\x12\x00\x1a\x00 \x00\x1a\x00\"\x00"

// k9s and Headlamp can read the answers to the requests that they send at their start and while people use them.
func TestReadAPIPrograms(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	r := startReadable(t)
	rules := "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
	for _, c := range []struct {
		method, path, accept, body string
		code                       int
		want                       []string
	}{
		// Headlamp accepts a user if it can read the user's rules, and shows only kinds that have a definition.
		{"POST", rules, "application/json", `{"spec":{"namespace":"default"}}`, 201, []string{`"resourceRules"`, `"networks"`}},
		{"GET", "/version", "application/json", "", 200, []string{`"gitVersion"`}},
		{"GET", "/api/v1/namespaces", "application/json", "", 200, []string{`"kind":"NamespaceList"`, `"uid":"`, `"creationTimestamp":"`}},
		{"GET", "/api/v1/events?limit=2000", "application/json", "", 200, []string{`"reason":"Created"`, `"involvedObject"`}},
		{"GET", definitions, "application/json", "", 200, []string{`"name":"networks.openstack.k-orc.cloud"`, `"jsonPath":".status.state"`}},
		{"GET", definitions + "/networks.openstack.k-orc.cloud", "application/json", "", 200, []string{`"plural":"networks"`, `"scope":"Namespaced"`}},
		{"GET", "/apis/openstack.k-orc.cloud/v1alpha1/networks", "application/json", "", 200, []string{`"kind":"NetworkList"`, `"uid":"`, `"creationTimestamp":"`}},
		{"POST", mayI, "application/json", `{"spec":{"resourceAttributes":{"verb":"delete","group":"openstack.k-orc.cloud","resource":"networks","namespace":"killed","name":"front"}}}`, 201, []string{`"allowed":false`, `"reason":"`}},
		{"GET", "/api/v1/nodes", "application/json", "", 404, []string{`"reason":"NotFound"`}},
		{"GET", "/apis/metrics.k8s.io/v1beta1/nodes", "application/json", "", 404, []string{`"reason":"NotFound"`}},
		{"POST", whoAmI, "application/json", `{}`, 201, []string{`"username":"alice"`}},
		{"POST", whoAmI, newerClients, "k8s\x00\n-\n\x18authentication.k8s.io/v1\x12\x11SelfSubjectReview\x12\x00", 201, []string{`"username":"alice"`}},
		{"GET", "/apis/stackreeve.dev/v1alpha1", "application/json", "", 200, []string{`"shortNames":["vmg"]`}},
		// k9s uses protobuf for the kinds of every cluster, and also accepts JSON answers.
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

// Every document that describes kinds conforms to OpenAPI 3.0. Otherwise, clients would fail, because they process these documents.
func TestReadAPIDocuments(t *testing.T) {
	api := readapi.New(readapi.NewStore([]string{"one"}, all.Kinds(nil, defaults.Defaults{}), time.Unix(1, 0)), schemas, "test")
	get := func(path string) (doc map[string]any) {
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		if err := json.Unmarshal(answer.Body.Bytes(), &doc); err != nil || answer.Code != http.StatusOK {
			t.Fatalf("%s: %d %v", path, answer.Code, err)
		}
		return doc
	}
	known := strings.Fields("type format enum items properties additionalProperties required description title default minimum maximum minLength maxLength pattern " +
		"minItems maxItems uniqueItems minProperties maxProperties oneOf anyOf allOf not $ref nullable writeOnly readOnly x-kubernetes-group-version-kind")
	var check func(path string, value any, names bool)
	check = func(path string, value any, names bool) {
		switch v := value.(type) {
		case []any:
			for _, one := range v {
				check(path, one, false)
			}
		case map[string]any:
			for word, below := range v {
				if !names && !slices.Contains(known, word) {
					t.Errorf("%s has %s", path, word)
				}
				if kind, text := below.(string); !names && word == "type" && (!text || !slices.Contains([]string{"object", "array", "string", "integer", "number", "boolean"}, kind)) {
					t.Errorf("%s is of type %v", path, below)
				}
				if word != "enum" && word != "default" && word != "x-kubernetes-group-version-kind" {
					check(path+"."+word, below, !names && word == "properties")
				}
			}
		}
	}
	schemas := 0
	for at := range get("/openapi/v3")["paths"].(map[string]any) {
		doc := get("/openapi/v3/" + at)
		for name, schema := range doc["components"].(map[string]any)["schemas"].(map[string]any) {
			schemas++
			check(name, schema, false)
			if schema.(map[string]any)["description"] == nil {
				t.Errorf("%s is not explained", name)
			}
		}
	}
	if schemas < 50 {
		t.Errorf("only %d schemas", schemas)
	}
}

// Two kinds never have the same name, and no kind has the name of a foreign kind that people request.
func TestReadAPINames(t *testing.T) {
	api := readapi.New(readapi.NewStore([]string{"one"}, all.Kinds(nil, defaults.Defaults{}), time.Unix(1, 0)), schemas, "test")
	taken := map[string]string{}
	for _, path := range []string{"/api", "/apis"} {
		request := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		request.Header.Set("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, request)
		var doc struct {
			Items []struct {
				Versions []struct {
					Resources []struct {
						Resource, SingularResource string
						ShortNames                 []string
						ResponseKind               struct{ Kind string }
					}
				}
			}
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		for _, group := range doc.Items {
			for _, r := range group.Versions[0].Resources {
				for _, name := range append(r.ShortNames, r.Resource, r.SingularResource) {
					if of := taken[name]; of != "" && of != r.ResponseKind.Kind {
						t.Errorf("%s is a name of %s and %s", name, of, r.ResponseKind.Kind)
					}
					taken[name] = r.ResponseKind.Kind
				}
			}
		}
	}
	for name, kind := range map[string]string{"vm": "VirtualMachine", "vmg": "VirtualMachineGroup", "net": "Network", "sg": "SecurityGroup", "lb": "LoadBalancer", "pods": "Pod"} {
		if taken[name] != kind {
			t.Errorf("%s is %s", name, taken[name])
		}
	}
}

// A browser can also watch through the agent's listener.
func TestReadAPIWebSocket(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
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
	if _, err := io.WriteString(conn, "\x88\x80\x00\x00\x00\x00"); err != nil { // the client closes the connection
		t.Fatal(err)
	}
	if text, err := io.ReadAll(conn); err != nil || !strings.Contains(string(text), "\x88\x00") {
		t.Errorf("%v %q", err, text)
	}
}

// schemas returns the schemas of the built-in kinds.
func schemas() (list []readapi.Schema, err error) {
	for _, d := range describe.All() {
		doc, err := d.Schema()
		if err != nil {
			return nil, err
		}
		list = append(list, readapi.Schema{GVK: d.GVK, Doc: doc})
	}
	return list, nil
}
