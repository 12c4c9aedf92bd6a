package virtualmachinegroup_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// created is a transport that records the user data of created servers, by the name of the server.
type created struct {
	next http.RoundTripper
	mu   sync.Mutex
	data map[string]string
}

func (c *created) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/servers") {
		body, _ := io.ReadAll(req.Body)
		req.Body = io.NopCloser(strings.NewReader(string(body)))
		var in struct {
			Server struct {
				Name string
				Data string `json:"user_data"`
			}
		}
		_ = json.Unmarshal(body, &in)
		text, _ := base64.StdEncoding.DecodeString(in.Server.Data)
		c.mu.Lock()
		c.data[in.Server.Name] = string(text)
		c.mu.Unlock()
	}
	return c.next.RoundTrip(req)
}

func knowing(replicas, template string) string {
	return `
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: etcd}
spec:
  replicas: ` + replicas + `
  template:
    image: cirros
    flavor: m1.nano
    network: private
    initScript:
      template: true
      value: '` + template + `'
`
}

const cluster = `etcd --name {{name}} --listen http://{{address}}:2380 --initial-cluster {{#peers}}{{name}}=http://{{address}}:2380{{^last}},{{/last}}{{/peers}}`

// Each machine gets the addresses of all machines, whichever is created first. If a machine is added, or an address
// changes, no existing machine is changed. If the template changes, all machines are changed.
func TestMachinesKnowTheirPeers(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(knowing("3", cluster))
	c := &created{data: map[string]string{}}
	wrap := func(next http.RoundTripper) http.RoundTripper { c.next = next; return c }
	pass := g.SyncThrough(knowing("3", cluster), wrap)
	if pass.Outcome() != plan.InSync {
		t.Fatal(pass.Failures)
	}
	before, addresses := ids(pass.Last), map[string]string{}
	for _, s := range pass.Last.Steps {
		if s.Key.Kind == "Port" {
			addresses[s.Key.Name] = s.Have.Facts.Address
		}
	}
	initial := "etcd-0=http://" + addresses["etcd-0"] + ":2380,etcd-1=http://" + addresses["etcd-1"] + ":2380,etcd-2=http://" + addresses["etcd-2"] + ":2380"
	for name, address := range addresses {
		if want := "#!/bin/sh\netcd --name " + name + " --listen http://" + address + ":2380 --initial-cluster " + initial; c.data[name] != want || address == "" {
			t.Errorf("%s has %q, want %q", name, c.data[name], want)
		}
	}
	clear(c.data)
	pass = g.SyncThrough(knowing("4", cluster), wrap)
	if pass.Outcome() != plan.InSync || len(c.data) != 1 || !strings.HasSuffix(c.data["etcd-3"], initial+",etcd-3=http://"+address(pass.Last, "etcd-3")+":2380") {
		t.Errorf("%v: %q", pass.Failures, c.data)
	}
	for key, id := range ids(pass.Last) {
		if before[key] != "" && before[key] != id {
			t.Errorf("%s is %s and was %s", key, id, before[key])
		}
	}
	if again := g.Plan(knowing("4", cluster)); !again.InSync() {
		t.Errorf("then the plan is %s", again.Summary())
	}
	if s := g.Plan(knowing("4", cluster+" --debug")).Summary(); s.Replace != 4 {
		t.Errorf("another template: %s", s)
	}
	if s := g.Plan(strings.Replace(knowing("4", cluster), "template: true", "template: false", 1)).Summary(); s.Replace != 4 {
		t.Errorf("the same text, and no template: %s", s)
	}
}

func address(p plan.Plan, port string) string {
	for _, s := range p.Steps {
		if s.Key.Kind == "Port" && s.Key.Name == port {
			return s.Have.Facts.Address
		}
	}
	return ""
}

func TestTemplatesThatAreNone(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	g := pure(t)
	for template, want := range map[string]string{
		"{{#peers}}": "line 1:",
		"{{secret}}": "name, ordinal, address",
		"{{#peers}}{{#peers}}{{/peers}}{{/peers}}": "peers",
	} {
		if _, err := g.TryResolve(knowing("3", template)); !kindtest.Refuses(err, "spec.template.initScript.value") || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "spec.template.initScript.value") != 1 {
			t.Errorf("%s: %v, want %s", template, err, want)
		}
	}
	if _, err := g.TryResolve(knowing("101", cluster)); !kindtest.Refuses(err, "spec.template.initScript") && !kindtest.Refuses(err, "spec.template.initScript.value") || !strings.Contains(err.Error(), " 101 machines") || !strings.Contains(err.Error(), " 100 machines") {
		t.Errorf("of many machines: %v", err)
	}
	if _, err := g.TryResolve(knowing("1000", "{{#peers}}{{name}} {{/peers}}")); err != nil {
		t.Errorf("names of many machines: %v", err)
	}
}

// The template of a single VirtualMachine can use the same names, although the machine is in no group.
func TestATemplateOfOneMachine(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	one := strings.NewReplacer("VirtualMachineGroup", "VirtualMachine", "  replicas: 1\n", "", "  template:\n", "", "    ", "  ").
		Replace(knowing("1", "{{name}} {{ordinal}} {{group}} {{replicas}} {{#peers}}{{address}}{{/peers}}"))
	g.Only(one)
	c := &created{data: map[string]string{}}
	pass := g.SyncThrough(one, func(next http.RoundTripper) http.RoundTripper { c.next = next; return c })
	if want := "#!/bin/sh\netcd 0 etcd 1 " + address(pass.Last, "etcd"); pass.Outcome() != plan.InSync || c.data["etcd"] != want {
		t.Errorf("%v: %q, want %q", pass.Failures, c.data["etcd"], want)
	}
}
