package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

// outside reads the cloud by its API, without any code of the agent.
type outside struct {
	t     testing.TB
	cloud http.Handler
	token string
	user  string
}

// collections are the lists of a project that are compared.
var collections = []struct{ path, field string }{
	{"/load-balancer/v2.0/lbaas/loadbalancers", "loadbalancers"}, {"/compute/v2.1/servers/detail", "servers"},
	{"/network/v2.0/networks", "networks"}, {"/network/v2.0/subnets", "subnets"}, {"/network/v2.0/routers", "routers"}, {"/network/v2.0/ports", "ports"},
	{"/network/v2.0/security-groups", "security_groups"}, {"/network/v2.0/security-group-rules", "security_group_rules"}, {"/network/v2.0/floatingips", "floatingips"},
	{"/compute/v2.1/os-server-groups", "server_groups"}, {"/compute/v2.1/os-keypairs", "keypairs"},
	{"/volume/v3/*/volumes/detail", "volumes"},
	{"/load-balancer/v2.0/lbaas/listeners", "listeners"}, {"/load-balancer/v2.0/lbaas/pools", "pools"},
	{"/load-balancer/v2.0/lbaas/healthmonitors", "healthmonitors"}, {"/load-balancer/v2.0/lbaas/l7policies", "l7policies"},
	{"/dns/v2/zones", "zones"}, {"/key-manager/v1/secrets", "secrets"},
}

// call makes a request and returns the JSON of its answer. It ends the test if the answer is an error.
func (o *outside) call(method, path, body string, into any) http.Header {
	o.t.Helper()
	code, header, text := o.try(method, path, body)
	if code >= 300 {
		o.t.Fatalf("%s %s: %d %s", method, path, code, text)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			o.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return header
}

func (o *outside) try(method, path, body string) (int, http.Header, []byte) {
	req := httptest.NewRequest(method, "http://"+Host+path, bytes.NewReader([]byte(body)))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Auth-Token", o.token)
	req.Header.Set("OpenStack-API-Version", "compute 2.79")
	out := httptest.NewRecorder()
	o.cloud.ServeHTTP(out, req)
	return out.Code, out.Header(), out.Body.Bytes()
}

// login logs in, and again after the clock of the cloud has jumped. It returns the project's ID.
func (o *outside) login() string {
	o.t.Helper()
	var answer struct {
		Token struct{ Project struct{ ID string } }
	}
	header := o.call(http.MethodPost, "/identity/v3/auth/tokens", fmt.Sprintf(`{"auth": {"identity": {"methods": ["password"], "password": {"user": {"name": %[1]q, "password": %[1]q, "domain": {"name": "Default"}}}},
		"scope": {"project": {"name": %[1]q, "domain": {"name": "Default"}}}}}`, o.user), &answer)
	o.token = header.Get("X-Subject-Token")
	return answer.Token.Project.ID
}

// object is an object of a collection, as JSON.
type object map[string]any

func (o object) text(name string) string {
	text, _ := o[name].(string)
	return text
}

// list returns all objects of the project, by collection.
func (o *outside) list() map[string][]object {
	o.t.Helper()
	project := o.login()
	all := map[string][]object{}
	for _, c := range collections {
		var answer map[string]any
		o.call(http.MethodGet, strings.Replace(c.path, "*", project, 1), "", &answer)
		items, ok := answer[c.field].([]any)
		if !ok {
			o.t.Fatalf("%s has no %s", c.path, c.field)
		}
		for _, item := range items {
			one, _ := item.(map[string]any)
			if inner, ok := one["keypair"].(map[string]any); ok {
				one = inner
			}
			if owner, ok := one["project_id"].(string); ok && owner != project {
				continue
			}
			all[c.field] = append(all[c.field], one)
		}
	}
	return all
}

// shown are the attributes of objects that are compared between a run with and a run without faults.
var shown = []string{"name", "status", "provisioning_status", "operating_status", "description", "size", "ttl", "cidr", "protocol", "protocol_port", "direction", "port_range_min", "ethertype", "policy", "policies", "device_owner", "admin_state_up", "type", "secret_type"}

// fingerprint matches the fingerprint of a secret, which depends on the project's ID.
var fingerprint = regexp.MustCompile(`:s-[a-z2-7]{16}`)

// digest describes all objects in a form that does not depend on IDs and addresses.
func digest(all map[string][]object) []string {
	var lines []string
	for field, items := range all {
		for _, item := range items {
			words := []string{field}
			for _, name := range shown {
				if v, ok := item[name]; ok && v != nil && v != "" {
					words = append(words, fmt.Sprintf("%s=%v", name, v))
				}
			}
			words = append(words, numbers(item)...)
			lines = append(lines, fingerprint.ReplaceAllString(id.ReplaceAllString(strings.Join(words, " "), "*"), ":s-*"))
		}
	}
	slices.Sort(lines)
	return lines
}

// numbers returns the lengths of an object's lists, so that surplus members and rules are noticed.
func numbers(item object) (words []string) {
	for _, name := range []string{"fixed_ips", "security_groups", "members", "listeners", "pools", "tags", "volumes_attached", "attachments"} {
		if list, ok := item[name].([]any); ok {
			words = append(words, fmt.Sprintf("#%s=%d", name, len(list)))
		}
	}
	return words
}

// differences returns the lines that only one of two sorted lists has.
func differences(got, want []string) (lines []string) {
	count := map[string]int{}
	for _, line := range want {
		count[line]++
	}
	for _, line := range got {
		if count[line]--; count[line] < 0 {
			lines = append(lines, "surplus: "+line)
		}
	}
	for line, n := range count {
		for ; n > 0; n-- {
			lines = append(lines, "missing: "+line)
		}
	}
	slices.Sort(lines)
	return lines
}

func simulatorClouds() []byte { return simulator.CloudsYAML("http://" + Host) }
