package loadbalancer_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/loadbalancer"
	"github.com/stackreeve/stackreeve/internal/cloud/kinds/network"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

var key = manifest.Key{Group: define.WorkloadGroup, Kind: "LoadBalancer", Namespace: "default", Name: "front"}

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  description: in front of the web servers
  tags: [web, blue]
  adminStateUp: true
  region: tokyo1
  zone: dev
  vipType: private
  serviceType: generic
  ports:
    - port: 80
      protocol: http
      algorithm: roundRobin
      allowedCidrs: [10.0.0.0/8, 192.168.0.0/16]
      timeouts: {client: 40000, memberConnect: 4000, member: 45000}
      realServers:
        protocol: http
        port: 8080
        addresses: [10.0.0.241, 10.0.0.242]
      monitors:
        - {protocol: http, port: 8081, endpoint: /alive, delay: 9, timeout: 4, retries: 2}
    - port: 5353
      protocol: udp
      realServers: {addresses: [10.0.0.243]}
`

// kinds returns the kind LoadBalancer, and the kinds that a load balancer with plain addresses needs.
func kinds(c *cloud.Client, d defaults.Defaults) []*kind.Kind {
	return []*kind.Kind{network.Kind(c), loadbalancer.Kind(c, d)}
}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: kinds, Key: key, Object: object, Together: true,
		Edits: []kindtest.Edit{
			{Field: "spec.description", Old: "in front of the web servers", New: "moved"},
			{Field: "spec.tags", Old: "[web, blue]", New: "[web, green]"},
			{Field: "spec.adminStateUp", Old: "adminStateUp: true", New: "adminStateUp: false"},
			{Field: "spec.vipType", Old: "vipType: private", New: "vipType: public", Replaces: true, PlanOnly: true},
			{Field: "spec.provider", Old: "  vipType: private\n", New: "  vipType: private\n  provider: vendor\n", Replaces: true, PlanOnly: true},
			{Field: "spec.vipAddress", Old: "  vipType: private\n", New: "  vipType: private\n  vipAddress: 10.0.0.1\n", Replaces: true, PlanOnly: true},
			{Field: "spec.ports[0]", Old: "port: 80\n", New: "port: 81\n", Also: []string{"spec.ports"}},
			{Field: "spec.ports[1]", Old: "protocol: udp", New: "protocol: tcp", Also: []string{"spec.ports"}},
			{Field: "spec.ports[0].protocol", Old: "protocol: http\n      algorithm", New: "protocol: tcp\n      algorithm"},
			{Field: "spec.ports[0].algorithm", Old: "algorithm: roundRobin", New: "algorithm: leastConnections"},
			{Field: "spec.ports[0].allowedCidrs", Old: `[10.0.0.0/8, 192.168.0.0/16]`, New: "[10.0.0.0/8]"},
			{Field: "spec.ports[0].timeouts.client", Old: "client: 40000", New: "client: 41000"},
			{Field: "spec.ports[0].timeouts.memberConnect", Old: "memberConnect: 4000", New: "memberConnect: 4100"},
			{Field: "spec.ports[0].timeouts.member", Old: "member: 45000", New: "member: 46000"},
			{Field: "spec.ports[0].realServers", Old: "        protocol: http\n", New: "        protocol: proxy\n", Also: []string{"spec.ports"}},
			{Field: "spec.ports[0].realServers", Old: "port: 8080", New: "port: 8090"},
			{Field: "spec.ports[0].realServers", Old: "[10.0.0.241, 10.0.0.242]", New: "[10.0.0.241, 10.0.0.244]"},
			{Field: "spec.ports[0].realServers", Old: "port: 8081", New: "port: 8082"},
			{Field: "spec.ports[0].monitors[0].protocol", Old: "{protocol: http, port: 8081, endpoint: /alive,", New: "{protocol: tcp, port: 8081,"},
			{Field: "spec.ports[0].monitors[0].endpoint", Old: "/alive", New: "/ready"},
			{Field: "spec.ports[0].monitors[0].delay", Old: "delay: 9", New: "delay: 8"},
			{Field: "spec.ports[0].monitors[0].timeout", Old: "timeout: 4", New: "timeout: 5"},
			{Field: "spec.ports[0].monitors[0].retries", Old: "retries: 2", New: "retries: 4"},
		},
	}.Run(t)
}

const web = `
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: front}
spec:
  vipType: private
  ports:
    - port: 80
      protocol: http
      connectionLimit: 2000
      insertHeaders: [X-Forwarded-For, X-Forwarded-Port]
      sessionPersistence: {type: appCookie, cookieName: session}
      realServers:
        members:
          - {address: 10.0.0.241, weight: 10}
          - {address: 10.0.0.242, weight: 0}
          - {address: 10.0.0.243, port: 8080, backup: true}
      monitors:
        - {protocol: http, httpMethod: HEAD, expectedCodes: 200-299, domainName: shop.example.org, maxRetriesDown: 2}
      l7Policies:
        - name: old
          action: redirectPrefix
          redirectPrefix: https://example.org
          redirectHTTPCode: 301
          rules: [{type: hostName, compareType: equalTo, value: old.example.org}]
        - name: api
          action: redirectToPool
          redirectPool:
            algorithm: leastConnections
            realServers: {port: 9090, addresses: [10.0.0.244]}
            monitors: [{protocol: tcp}]
          rules:
            - {type: path, compareType: startsWith, value: /api}
            - {type: header, key: X-Debug, compareType: equalTo, value: "1", invert: true}
        - name: inner
          action: reject
          rules: [{type: path, compareType: regex, value: "^/inner"}]
    - port: 5353
      protocol: udp
      sessionPersistence: {type: sourceIP, timeout: 60, granularity: 255.255.255.0}
      realServers: {addresses: [10.0.0.243]}
`

// The laws also hold for ports that read HTTP requests: with L7 policies, headers and session persistence.
func TestLawsOfRequests(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	const policies = "spec.ports[0].l7Policies"
	kindtest.Suite{
		Kinds: kinds, Key: key, Object: web, Partial: true, Together: true,
		Edits: []kindtest.Edit{
			{Field: "spec.ports[0].connectionLimit", Old: "connectionLimit: 2000", New: "connectionLimit: 3000"},
			{Field: "spec.ports[0].insertHeaders", Old: "[X-Forwarded-For, X-Forwarded-Port]", New: "[X-Forwarded-Proto]"},
			{Field: "spec.ports[0].sessionPersistence", Old: "      sessionPersistence: {type: appCookie, cookieName: session}\n", New: ""},
			{Field: "spec.ports[0].sessionPersistence", Old: "{type: appCookie, cookieName: session}", New: "{type: httpCookie}"},
			{Field: "spec.ports[1].sessionPersistence", Old: "timeout: 60", New: "timeout: 90"},
			{Field: "spec.ports[0].realServers", Old: "weight: 10", New: "weight: 0"},
			{Field: "spec.ports[0].realServers", Old: "backup: true", New: "backup: false"},
			{Field: "spec.ports[0].monitors[0].httpMethod", Old: "HEAD", New: "GET"},
			{Field: "spec.ports[0].monitors[0].expectedCodes", Old: "200-299", New: `"204"`},
			{Field: "spec.ports[0].monitors[0].domainName", Old: "domainName: shop.example.org, ", New: ""},
			{Field: "spec.ports[0].monitors[0].maxRetriesDown", Old: "maxRetriesDown: 2", New: "maxRetriesDown: 5"},
			{Field: policies + "[0].redirectPrefix", Old: "redirectPrefix: https://example.org", New: "redirectPrefix: https://example.com"},
			{Field: policies + "[0].redirectHTTPCode", Old: "redirectHTTPCode: 301", New: "redirectHTTPCode: 308"},
			{Field: policies, Old: "value: old.example.org", New: "value: older.example.org"},
			{Field: policies, Old: "value: /api}\n", New: "value: /v2}\n            - {type: cookie, key: beta, compareType: equalTo, value: beta}\n"},
			{Field: policies, Old: "        - name: inner\n          action: reject\n", New: "        - name: inner\n          position: 1\n          action: reject\n"},
			{Field: policies + "[1].redirectPool.algorithm", Old: "leastConnections", New: "sourceIP"},
			{Field: policies + "[1].redirectPool.realServers", Old: "[10.0.0.244]", New: "[10.0.0.245]"},
			{Field: policies, Old: "realServers: {port: 9090,", New: "realServers: {protocol: proxy, port: 9090,"},
		},
	}.Run(t)
}

// A value that becomes part of HAProxy's configuration or of a header must not contain control characters.
func TestAttackControlCharacters(t *testing.T) {
	kindtest.NewTarget(t, kinds).RefusesEdits("", web, map[string][3]string{
		"an address": {"redirectPrefix: https://example.org", `redirectPrefix: "https://example.org/\x01"`, "spec.ports[0].l7Policies[0].redirectPrefix"},
		"two lines":  {"redirectPrefix: https://example.org", `redirectPrefix: "https://example.org/\nX: y"`, "spec.ports[0].l7Policies[0].redirectPrefix"},
		"a header":   {"key: X-Debug", `key: "X-Debug\r\nX-Other"`, "spec.ports[0].l7Policies[1].rules[1].key"},
		"its value":  {`value: "1"`, `value: "1\x00"`, "spec.ports[0].l7Policies[1].rules[1].value"},
		"a cookie":   {"cookieName: session", `cookieName: "session\n"`, "spec.ports[0].sessionPersistence.cookieName"},
		"a path":     {"value: /api", `value: "/api\n"`, "spec.ports[0].l7Policies[1].rules[0].value"},
		"a name":     {"domainName: shop.example.org", `domainName: "shop\n"`, "spec.ports[0].monitors[0].domainName"},
	})
}
