package all_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// ignored lists the fields that the annotation of the only object names.
func ignored(t *testing.T, manifests string) []string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^ *stackreeve.dev/ignore-fields: (.*)$`).FindStringSubmatch(manifests)
	if found == nil {
		t.Fatalf("nothing is ignored:\n%s", manifests)
	}
	return strings.Split(found[1], ",")
}

// there returns the IDs of the objects in a collection.
func (h hand) there(service, path, name string) (ids []string) {
	h.t.Helper()
	list, err := cloud.List[struct{ ID string }](h.t.Context(), h.c, cloud.Call{Service: service, Path: path}, name)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return ids
}

// stepFor returns the step of the only object of a kind.
func stepFor(t *testing.T, p plan.Plan, of string) plan.Step {
	t.Helper()
	i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Key.Kind == of })
	if i < 0 {
		t.Fatalf("no step for a %s", of)
	}
	return p.Steps[i]
}

// Only rules that no manifest can express are ignored. If any other rule is added or changed, that is found and
// undone.
func TestARuleThatNoManifestCanSayIsLeftAlone(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	h := hand{t: t, c: g.Client(nil)}
	other := h.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": "other"})
	group := h.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": "web"})
	rule := func(port int, more map[string]any) string {
		body := map[string]any{"security_group_id": group, "direction": "ingress", "protocol": "tcp", "port_range_min": port, "port_range_max": port}
		for name, value := range more {
			body[name] = value
		}
		return h.make(cloud.Network, "security-group-rules", "security_group_rule", body)
	}
	ssh := map[string]any{"remote_ip_prefix": "10.0.0.0/8"}
	said := rule(22, ssh)
	twice := rule(22, map[string]any{"remote_ip_prefix": "10.0.0.1/8"}) // a firewall takes the two rules for the same one, but Neutron does not
	unsaid := []string{rule(23, map[string]any{"description": "bell\a"}), rule(24, map[string]any{"remote_group_id": other})}
	text, notes := exportedWithout(t, g, export.Input{Chosen: []export.Chosen{{Kind: "SecurityGroup", Name: "web", ID: group}}}, other)
	left := ignored(t, text)
	if at := slices.IndexFunc(left, func(path string) bool { return path == kind.ElementPath("spec.resource.rules", twice) }); at < 0 {
		unsaid = append(unsaid, said)
	} else {
		unsaid = append(unsaid, twice)
	}
	for _, id := range unsaid {
		path := kind.ElementPath("spec.resource.rules", id)
		if !slices.Contains(left, path) || !slices.ContainsFunc(notes, func(n export.Note) bool { return n.Field == path }) {
			t.Errorf("the rule %s is not named: %v, %v", id, left, notes)
		}
	}
	if len(left) != len(unsaid) || !strings.Contains(text, "min: 22") {
		t.Errorf("%v are ignored:\n%s", left, text)
	}
	adopts(t, g, text)
	for _, o := range status.Of(g.Plan(text), all.Kinds(nil, g.Defaults)) {
		if o.Kind == "SecurityGroup" && o.Metadata.Name == "web" && !strings.Contains(o.Status.Message, unsaid[0]) {
			t.Errorf("the status does not name the rules: %s", o.Status.Message)
		}
	}
	open := rule(3389, nil)
	if s := stepFor(t, g.Plan(text), "SecurityGroup"); s.Action != plan.Update || !s.Drift {
		t.Errorf("a port that is open to everybody is not noticed: %+v", s)
	}
	g.MustSync(text)
	g.MustSync(strings.ReplaceAll(text, ": 22\n", ": 2222\n"))
	now := h.there(cloud.Network, "security-group-rules?security_group_id="+group, "security_group_rules")
	if slices.Contains(now, open) {
		t.Error("what was opened is still open")
	}
	for _, id := range unsaid {
		if !slices.Contains(now, id) {
			t.Errorf("the rule %s is gone", id)
		}
	}
}

// A part of a load balancer that no manifest can express is ignored. The load balancer itself is managed.
func TestAListenerThatNoManifestCanSayIsLeftAlone(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	h := hand{t: t, c: g.Client(nil)}
	network := h.make(cloud.Network, "networks", "network", map[string]any{"name": "front"})
	subnet := h.make(cloud.Network, "subnets", "subnet", map[string]any{"name": "front", "network_id": network, "ip_version": 4, "cidr": "10.7.0.0/24"})
	pool := func(name string, members ...map[string]any) map[string]any {
		return map[string]any{"name": name, "protocol": "TCP", "lb_algorithm": "SOURCE_IP", "members": members}
	}
	member := func(address string) map[string]any {
		return map[string]any{"name": address, "address": address, "protocol_port": 8443}
	}
	odd := member("10.7.0.77")
	odd["monitor_address"] = "10.7.0.99"
	balancer := h.make(cloud.LoadBalancer, "lbaas/loadbalancers", "loadbalancer", map[string]any{"name": "www", "vip_subnet_id": subnet, "vip_address": "10.7.0.50", "listeners": []map[string]any{
		{"name": "off", "protocol": "TCP", "protocol_port": 100, "admin_state_up": false, "default_pool": pool("off", member("10.7.0.77"))},
		{"name": "in", "protocol": "TCP", "protocol_port": 443, "default_pool": pool("in", odd, member("10.7.0.78"))},
		{"name": "metrics", "protocol": "PROMETHEUS", "protocol_port": 8088},
		{"name": "bare", "protocol": "TCP", "protocol_port": 99},
		{"name": "moved", "protocol": "HTTP", "protocol_port": 80, "l7policies": []map[string]any{{"action": "REDIRECT_TO_URL", "redirect_url": "https://www.example.org/", "rules": []map[string]any{{"type": "PATH", "compare_type": "STARTS_WITH", "value": "/"}}}}},
		{"name": "empty", "protocol": "TCP", "protocol_port": 101, "default_pool": pool("empty")},
	}})
	kindtest.AwaitStatus(h.t, h.c, cloud.LoadBalancer, "lbaas/loadbalancers/"+balancer, "ACTIVE")
	spare := h.make(cloud.LoadBalancer, "lbaas/pools", "pool", map[string]any{"name": "spare", "protocol": "TCP", "lb_algorithm": "ROUND_ROBIN", "loadbalancer_id": balancer})
	kindtest.AwaitStatus(h.t, h.c, cloud.LoadBalancer, "lbaas/loadbalancers/"+balancer, "ACTIVE")
	listeners, pools := h.there(cloud.LoadBalancer, "lbaas/listeners", "listeners"), h.there(cloud.LoadBalancer, "lbaas/pools", "pools")
	text, notes := exported(t, g, export.Input{Only: []string{"LoadBalancer"}})
	left := ignored(t, text)
	if len(left) != 7 || !slices.Contains(left, kind.ElementPath("spec.ports", spare)) || !strings.Contains(text, "port: 443") || strings.Contains(text, "10.7.0.77") {
		t.Errorf("%v are ignored:\n%s\n%v", left, text, notes)
	}
	for _, n := range notes {
		if strings.HasPrefix(n.Field, "spec.ports[1]") {
			t.Errorf("the manifest has one port: %+v", n)
		}
	}
	adopts(t, g, text)
	h.make(cloud.LoadBalancer, "lbaas/listeners", "listener", map[string]any{"name": "more", "protocol": "TCP", "protocol_port": 3389, "loadbalancer_id": balancer})
	kindtest.AwaitStatus(h.t, h.c, cloud.LoadBalancer, "lbaas/loadbalancers/"+balancer, "ACTIVE")
	if s := stepFor(t, g.Plan(text), "LoadBalancer"); s.Action != plan.Update || !s.Drift {
		t.Errorf("another listener is not noticed: %+v", s)
	}
	g.MustSync(strings.ReplaceAll(text, "10.7.0.78", "10.7.0.79"))
	if now := h.there(cloud.LoadBalancer, "lbaas/listeners", "listeners"); !slices.Equal(slices.Sorted(slices.Values(now)), slices.Sorted(slices.Values(listeners))) {
		t.Errorf("there are the listeners %v, want %v", now, listeners)
	}
	if now := h.there(cloud.LoadBalancer, "lbaas/pools", "pools"); !slices.Equal(slices.Sorted(slices.Values(now)), slices.Sorted(slices.Values(pools))) {
		t.Errorf("there are the pools %v, want %v", now, pools)
	}
	var answer struct {
		Members []struct {
			Address string
			Monitor string `json:"monitor_address"`
		}
	}
	in := h.there(cloud.LoadBalancer, "lbaas/pools?name=www-443", "pools")
	h.do(cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/pools/" + in[0] + "/members", Into: &answer})
	var members []string
	for _, m := range answer.Members {
		members = append(members, m.Address+" "+m.Monitor)
	}
	if slices.Sort(members); !slices.Equal(members, []string{"10.7.0.77 10.7.0.99", "10.7.0.79 "}) {
		t.Errorf("the members are %q", members)
	}
}

// A container is managed, whatever form its list of readers has, if Swift accepts that form.
func TestListsOfWhoMayReadAreManaged(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	h := hand{t: t, c: g.Client(nil)}
	h.container("files", map[string]string{"X-Container-Read": "acme corp:alice, .r:my_host, .r:-*.example.org,.r:*", "X-Container-Meta-A.b": "c"})
	text, notes := exported(t, g, export.Input{Only: []string{"SwiftContainer"}})
	if strings.Contains(text, "ignore-fields") || len(notes) > 0 {
		t.Errorf("%v\n%s", notes, text)
	}
	adopts(t, g, text)
	h.do(cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPost, Path: "files", Headers: map[string]string{"X-Container-Read": "*:*"}})
	if s := stepFor(t, g.Plan(text), "SwiftContainer"); s.Action != plan.Update || !s.Drift {
		t.Errorf("a list that lets in everybody is not noticed: %+v", s)
	}
}
