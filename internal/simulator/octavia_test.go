package simulator_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// rawOctavia calls the load balancer service as a user, with plain HTTP
// requests that no client library alters.
type rawOctavia struct {
	t    *testing.T
	url  string
	auth *gophercloud.ProviderClient
	now  *time.Time
}

// octavia starts a cloud whose load balancers stay pending until the test advances the time.
func octavia(t *testing.T, user string, opts simulator.Options) (*simulator.Server, *rawOctavia) {
	t.Helper()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	opts.Now, opts.PendingDelay = func() time.Time { return now }, time.Second
	s := start(t, opts)
	return s, &rawOctavia{t, s.URL + "/load-balancer", login(t, s, user), &now}
}

func (o *rawOctavia) settle() { *o.now = o.now.Add(time.Minute) }

func (o *rawOctavia) do(method, path, body string) (int, string) {
	o.t.Helper()
	req, err := http.NewRequestWithContext(o.t.Context(), method, o.url+path, strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	req.Header.Set("X-Auth-Token", o.auth.Token())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return resp.StatusCode, string(bytes.TrimSpace(out))
}

// expect sends a request, and checks that the answer has a code and contains a text.
func (o *rawOctavia) expect(method, path, body string, code int, holds string) string {
	o.t.Helper()
	got, text := o.do(method, path, body)
	if got != code || !strings.Contains(text, holds) {
		o.t.Errorf("%s %s %s:\ngot  %d %s\nwant %d …%s…", method, path, body, got, text, code, holds)
	}
	return text
}

// field returns a text from an answer by its path, such as "loadbalancer.pools.0.id".
func (o *rawOctavia) field(text, path string) string {
	o.t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		o.t.Fatal(err)
	}
	for step := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			if v = nil; step == "0" && len(at) > 0 {
				v = at[0]
			}
		}
	}
	out, ok := v.(string)
	if !ok {
		o.t.Fatalf("no %s in %s", path, text)
	}
	return out
}

// network returns the ID of the private network, and project returns the ID of its project.
func (o *rawOctavia) network() string { return o.private("id") }
func (o *rawOctavia) project() string { return o.private("project_id") }

func (o *rawOctavia) private(attribute string) string {
	o.t.Helper()
	url := o.url
	o.url = strings.TrimSuffix(url, "/load-balancer") + "/network"
	_, text := o.do("GET", "/v2.0/networks?name=private", "")
	o.url = url
	return o.field(text, "networks.0."+attribute)
}

const fullTree = `{"loadbalancer": {"name": "full", "vip_network_id": "NET", "tags": ["a", "b"], "listeners": [{"name": "l80", "protocol": "HTTP", "protocol_port": 80,
	"default_pool": {"name": "p80", "protocol": "HTTP", "lb_algorithm": "ROUND_ROBIN",
	"members": [{"address": "10.0.0.50", "protocol_port": 8080}, {"address": "10.0.0.51", "protocol_port": 8080}],
	"healthmonitor": {"type": "HTTP", "delay": 5, "timeout": 3, "max_retries": 3}}}]}}`

func TestLoadBalancerIsLockedWhileItChanges(t *testing.T) {
	_, o := octavia(t, "demo", simulator.Options{})
	made := o.expect("POST", "/v2/lbaas/loadbalancers", strings.Replace(fullTree, "NET", o.network(), 1), 201, `"provisioning_status":"PENDING_CREATE"`)
	lb, pool := o.field(made, "loadbalancer.id"), o.field(made, "loadbalancer.pools.0.id")
	listener := o.field(made, "loadbalancer.listeners.0.id")
	at := "/v2.0/lbaas/loadbalancers/" + lb
	o.expect("PUT", at, `{"loadbalancer": {"name": "x"}}`, 409, "Invalid state PENDING_CREATE of loadbalancer resource "+lb)
	o.expect("DELETE", at, "", 400, "Validation failure: Cannot delete Load Balancer "+lb+" - it has children")
	o.expect("POST", "/v2/lbaas/listeners", `{"listener": {"loadbalancer_id": "`+lb+`", "protocol": "TCP", "protocol_port": 90}}`, 409,
		`"faultstring":"Load Balancer `+lb+` is immutable and cannot be updated."`)
	o.settle()
	o.expect("GET", at, "", 200, `"operating_status":"ONLINE"`)
	o.expect("PUT", "/v2/lbaas/listeners/"+listener, `{"listener": {"default_pool_id": null}}`, 200, `"provisioning_status":"PENDING_UPDATE"`)
	o.expect("PUT", "/v2/lbaas/pools/"+pool, `{"pool": {"name": "x"}}`, 409, "Pool "+pool+" is immutable")
	o.expect("GET", at, "", 200, `"provisioning_status":"PENDING_UPDATE"`)
	o.settle()
	o.expect("DELETE", at+"?cascade=true", "", 204, "")
	o.expect("GET", at, "", 200, `"provisioning_status":"PENDING_DELETE"`)
	o.settle()
	o.expect("GET", at, "", 404, "Load Balancer "+lb+" not found.")
}

func TestBatchOfMembersReplacesTheSet(t *testing.T) {
	_, o := octavia(t, "demo", simulator.Options{})
	made := o.expect("POST", "/v2/lbaas/loadbalancers", strings.Replace(fullTree, "NET", o.network(), 1), 201, "")
	members := "/v2/lbaas/pools/" + o.field(made, "loadbalancer.pools.0.id") + "/members"
	o.settle()
	kept := o.field(o.expect("GET", members+"?address=10.0.0.51", "", 200, `"10.0.0.51"`), "members.0.id")
	o.expect("PUT", members, `{"members": [{"address": "10.0.0.51", "protocol_port": 8080, "weight": 5}, {"address": "10.0.0.52", "protocol_port": 8080}]}`, 202, "")
	o.expect("GET", members+"?address=10.0.0.50", "", 200, `"PENDING_DELETE"`)
	o.settle()
	o.expect("GET", members+"/"+kept, "", 200, `"weight":5`)
	o.expect("GET", members+"?address=10.0.0.50", "", 200, `"members":[]`)
	o.expect("PUT", members+"/"+kept, `{"member": {"address": "10.0.0.9"}}`, 400, "Unknown attribute for argument member_.member: address")
	o.expect("PUT", members, `{"members": [{"address": "10.0.0.9", "protocol_port": 1}, {"address": "10.0.0.9", "protocol_port": 1}]}`, 202, "")
	o.settle()
	o.expect("GET", "/v2/lbaas/loadbalancers", "", 200, `"PENDING_UPDATE"`)
}

// The openstack client sends some numbers as texts.
func TestOctaviaTakesNumbersInQuotes(t *testing.T) {
	_, o := octavia(t, "demo", simulator.Options{})
	made := o.expect("POST", "/v2/lbaas/loadbalancers", strings.Replace(fullTree, "NET", o.network(), 1), 201, "")
	o.settle()
	at := "/v2/lbaas/listeners/" + o.field(made, "loadbalancer.listeners.0.id")
	o.expect("PUT", at, `{"listener": {"connection_limit": "7"}}`, 200, "")
	o.settle()
	o.expect("GET", at, "", 200, `"connection_limit":7`)
	o.expect("PUT", at, `{"listener": {"connection_limit": "seven"}}`, 400, "connection_limit")
}

func TestMembersDown(t *testing.T) {
	s, o := octavia(t, "demo", simulator.Options{})
	o.expect("POST", "/v2/lbaas/loadbalancers", strings.Replace(fullTree, "NET", o.network(), 1), 201, "")
	o.settle()
	down := func(addresses string, status string) {
		t.Helper()
		resp, err := http.Post(s.URL+"/_simulator/members-down", "application/json", strings.NewReader(`{"addresses": [`+addresses+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if got := o.field(o.expect("GET", "/v2/lbaas/loadbalancers", "", 200, ""), "loadbalancers.0.operating_status"); got != status {
			t.Errorf("down %s: %s, want %s", addresses, got, status)
		}
	}
	down(`"10.0.0.50"`, "DEGRADED")
	down(`"10.0.0.50", "10.0.0.51"`, "ERROR")
	down("", "ONLINE")
}

func TestOctaviaRefuses(t *testing.T) {
	s, o := octavia(t, "demo", simulator.Options{})
	net := o.network()
	lb := func(more string) string { return `{"loadbalancer": {"vip_network_id": "` + net + `"` + more + `}}` }
	post := func(body string, code int, says string) {
		t.Helper()
		o.expect("POST", "/v2/lbaas/loadbalancers", body, code, says)
	}
	post(`{"loadbalancer": {}}`, 400, "Validation failure: VIP must contain one of: vip_port_id, vip_network_id, vip_subnet_id.")
	post(`{"loadbalancer": {"vip_network_id": "00000000-0000-0000-0000-000000000000"}}`, 400, "Network 00000000-0000-0000-0000-000000000000 not found.")
	post(lb(`, "nosuch": 1`), 400, "Unknown attribute for argument load_balancer.loadbalancer: nosuch")
	post(lb(`, "flavor_id": "00000000-0000-0000-0000-000000000000"`), 400, "The selected flavor is not allowed in this deployment: 00000000-0000-0000-0000-000000000000")
	post(lb(`, "provider": "nope"`), 400, "Provider 'nope' is not enabled.")
	post(lb(`, "vip_address": "10.99.0.1"`), 400, "")
	post(lb(`, "listeners": [{"protocol": "HTTP", "protocol_port": 80}, {"protocol": "TCP", "protocol_port": 80}]`), 409,
		"Another Listener on this Load Balancer is already using protocol HTTP and protocol_port 80")
	post(lb(`, "listeners": [{"protocol": "HTTP", "protocol_port": 0}]`), 400, "Invalid input for field/attribute protocol_port. Value: '0'. Value should be greater or equal to 1")
	post(lb(`, "listeners": [{"protocol": "HTTP", "protocol_port": 80, "default_pool": {"name": "p"}}]`), 400, "Validation failure: Pool 'p' was referenced but no full definition was found.")
	o.expect("GET", "/v2/lbaas/loadbalancers", "", 200, `{"loadbalancers":[],"loadbalancers_links":[]}`)
	o.expect("GET", "/v2/lbaas/listeners?nosuch=1", "", 400, "One or more arguments are either duplicate or invalid")
	o.expect("GET", "/v2/lbaas/listeners?marker=x", "", 400, "Supplied pagination marker 'x' is not valid.")
	o.expect("GET", "/v2/lbaas/nosuch", "", 404, `{"code":404,"description":"","title":"Not Found"}`)
	project := o.project()
	s.Do(func() { s.Octavia.SetQuota(project, "load_balancer", 0) })
	post(lb(""), 403, "Quota has been met for resources: Load Balancer")
}

func TestOctaviaPages(t *testing.T) {
	_, o := octavia(t, "demo", simulator.Options{MaxPage: 2})
	net := o.network()
	for _, name := range []string{"a", "b", "c"} {
		o.expect("POST", "/v2/lbaas/loadbalancers", `{"loadbalancer": {"name": "`+name+`", "vip_network_id": "`+net+`", "tags": ["`+name+`", "x"]}}`, 201, "")
		o.settle()
	}
	first := o.expect("GET", "/v2/lbaas/loadbalancers?fields=name", "", 200, `{"loadbalancers":[{"name":"a"},{"name":"b"}]`)
	next := strings.TrimPrefix(o.field(first, "loadbalancers_links.0.href"), o.url)
	o.expect("GET", next, "", 200, `{"loadbalancers":[{"name":"c"}],"loadbalancers_links":[]}`)
	o.expect("GET", "/v2/lbaas/loadbalancers?fields=name&tags=x&not-tags=a&name=b", "", 200, `[{"name":"b"}]`)
}
