package loadbalancer_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// A manifest that Octavia would refuse is refused before any write. The message contains the field and how to fix it.
func TestRefusedRequests(t *testing.T) {
	const servers = "\nrealServers: {addresses: [10.0.0.1]}"
	const secret = "c2a1f7e0-5a3f-4c2b-9d3c-1b6a9f0e7d11"
	rule := func(text string) string { return "l7Policies: [{action: reject, rules: [" + text + "]}]" + servers }
	tests := []struct{ name, protocol, port, want string }{
		{"two ways to name a member", "http", "realServers: {members: [{address: 10.0.0.1, serverRef: x}]}", "realServers.members[0]"},
		{"member without a name", "http", "realServers: {members: [{weight: 3}]}", "realServers.members[0]"},
		{"weight too high", "http", "realServers: {members: [{address: 10.0.0.1, weight: 257}]}", "realServers.members[0].weight"},
		{"cookies of tcp", "tcp", "sessionPersistence: {type: httpCookie}" + servers, "sessionPersistence.type"},
		{"cookie without a name", "http", "sessionPersistence: {type: appCookie}" + servers, "sessionPersistence.cookieName"},
		{"name without its cookie", "http", "sessionPersistence: {type: httpCookie, cookieName: x}" + servers, "sessionPersistence.cookieName"},
		{"cookie name with a blank", "http", "sessionPersistence: {type: appCookie, cookieName: a b}" + servers, "sessionPersistence.cookieName"},
		{"timeout of http", "http", "sessionPersistence: {type: sourceIP, timeout: 9}" + servers, "sessionPersistence"},
		{"headers of tcp", "tcp", "insertHeaders: [X-Forwarded-For]" + servers, "insertHeaders[0]"},
		{"headers of TLS", "http", "insertHeaders: [X-SSL-Client-DN]" + servers, "insertHeaders[0]"},
		{"no certificate", "terminatedHTTPS", "realServers: {addresses: [10.0.0.1]}", "tls.barbicanRef"},
		{"certificate of http", "http", "tls: {barbicanRef: " + secret + "}" + servers, "tls"},
		{"clients without authority", "terminatedHTTPS", "tls: {barbicanRef: " + secret + ", clientAuthentication: mandatory}" + servers, "tls.clientCABarbicanRef"},
		{"revocations without authority", "terminatedHTTPS", "tls: {barbicanRef: " + secret + ", clientCRLBarbicanRef: " + secret + "}" + servers, "tls.clientCRLBarbicanRef"},
		{"no versions", "terminatedHTTPS", "tls: {barbicanRef: " + secret + ", versions: []}" + servers, "tls.versions"},
		{"no reference", "terminatedHTTPS", "tls: {barbicanRef: 'ftp://x/y'}" + servers, "tls.barbicanRef"},
		{"no secret", "terminatedHTTPS", "tls: {barbicanRef: shop}" + servers, "tls.barbicanRef"},
		{"no host's secret", "terminatedHTTPS", "tls: {sniBarbicanRefs: [" + secret + ", shop]}" + servers, "tls.sniBarbicanRefs[1]"},
		{"machines behind TLS speak it again", "terminatedHTTPS", "tls: {barbicanRef: " + secret + "}\nrealServers: {protocol: https, addresses: [10.0.0.1]}",
			"realServers.protocol"},
		{"policies of tcp", "tcp", rule("{type: path, compareType: equalTo, value: /x}"), "l7Policies"},
		{"no rules", "http", rule(""), "l7Policies[0].rules"},
		{"pool missing", "http", "l7Policies: [{action: redirectToPool, rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers, "l7Policies[0].redirectPool"},
		{"target of another action", "http", "l7Policies: [{action: reject, redirectURL: 'https://x.org/', rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers,
			"l7Policies[0].redirectURL"},
		{"no URL", "http", "l7Policies: [{action: redirectToUrl, redirectURL: 'ftp://x.org/', rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers, "l7Policies[0].redirectURL"},
		{"nobody in the pool", "http", "l7Policies: [{action: redirectToPool, redirectPool: {realServers: {}}, rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers,
			"l7Policies[0].redirectPool.realServers"},
		{"status", "http", "l7Policies: [{action: redirectToUrl, redirectURL: 'http://x.org/', redirectHTTPCode: 304, rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers, "l7Policies[0].redirectHTTPCode"},
		{"header without key", "http", rule("{type: header, compareType: equalTo, value: x}"), "l7Policies[0].rules[0].key"},
		{"path with key", "http", rule("{type: path, key: x, compareType: equalTo, value: x}"), "l7Policies[0].rules[0].key"},
		{"file types that start with", "http", rule("{type: fileType, compareType: startsWith, value: j}"), "l7Policies[0].rules[0].compareType"},
		{"not a regular expression", "http", rule("{type: path, compareType: regex, value: '['}"), "l7Policies[0].rules[0].value"},
		{"blank in a path", "http", rule("{type: path, compareType: equalTo, value: a b}"), "l7Policies[0].rules[0].value"},
		{"TLS of http", "http", rule("{type: sslConnHasCert, compareType: equalTo, value: 'True'}"), "l7Policies[0].rules[0].type"},
		{"codes of tcp", "http", "realServers: {addresses: [10.0.0.1]}\nmonitors: [{protocol: tcp, expectedCodes: '200'}]", "monitors[0].expectedCodes"},
		{"codes", "http", "realServers: {addresses: [10.0.0.1]}\nmonitors: [{protocol: http, expectedCodes: 2xx}]", "monitors[0].expectedCodes"},
		{"position twice", "http", "l7Policies:\n  - {action: reject, position: 2, rules: [{type: path, compareType: equalTo, value: /x}]}\n  - {action: reject, position: 2, rules: [{type: path, compareType: equalTo, value: /y}]}" + servers,
			"l7Policies[1].position"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "apiVersion: stackreeve.dev/v1alpha1\nkind: LoadBalancer\nmetadata: {name: lb}\nspec:\n  ports:\n    - port: 80\n      protocol: " + tt.protocol +
				"\n      " + strings.ReplaceAll(tt.port, "\n", "\n      ") + "\n"
			_, err := read(text, words)
			if !kindtest.Refuses(err, "spec.ports[0]."+tt.want) {
				t.Errorf("got %v, want a problem of spec.ports[0].%s", err, tt.want)
			}
		})
	}
}
