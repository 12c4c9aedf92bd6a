package loadbalancer_test

import (
	"strings"
	"testing"
)

// A manifest that Octavia would refuse is refused before any write. The message has the field and
// the fix.
func TestRefusedRequests(t *testing.T) {
	const servers = "\nrealServers: {addresses: [10.0.0.1]}"
	const secret = "c2a1f7e0-5a3f-4c2b-9d3c-1b6a9f0e7d11"
	rule := func(text string) string { return "l7Policies: [{action: reject, rules: [" + text + "]}]" + servers }
	tests := []struct{ name, protocol, port, want string }{
		{"two ways to name a member", "http", "realServers: {members: [{address: 10.0.0.1, serverRef: x}]}", "members[0]: must say by exactly one field who it is"},
		{"member without a name", "http", "realServers: {members: [{weight: 3}]}", "members[0]: must say by exactly one field who it is"},
		{"weight too high", "http", "realServers: {members: [{address: 10.0.0.1, weight: 257}]}", "members[0].weight: "},
		{"cookies of tcp", "tcp", "sessionPersistence: {type: httpCookie}" + servers, "sessionPersistence.type: cannot be httpCookie while clients speak tcp"},
		{"cookie without a name", "http", "sessionPersistence: {type: appCookie}" + servers, "sessionPersistence.cookieName: is missing"},
		{"name without its cookie", "http", "sessionPersistence: {type: httpCookie, cookieName: x}" + servers, "sessionPersistence.cookieName: means nothing with type httpCookie"},
		{"cookie name with a blank", "http", "sessionPersistence: {type: appCookie, cookieName: a b}" + servers, "sessionPersistence.cookieName: "},
		{"timeout of http", "http", "sessionPersistence: {type: sourceIP, timeout: 9}" + servers, "sessionPersistence: has timeout or granularity"},
		{"headers of tcp", "tcp", "insertHeaders: [X-Forwarded-For]" + servers, "insertHeaders[0]: cannot be inserted while clients speak tcp"},
		{"headers of TLS", "http", "insertHeaders: [X-SSL-Client-DN]" + servers, "insertHeaders[0]: is about TLS"},
		{"no certificate", "terminatedHTTPS", "realServers: {addresses: [10.0.0.1]}", "tls.barbicanRef: is missing"},
		{"certificate of http", "http", "tls: {barbicanRef: " + secret + "}" + servers, "tls: means nothing while clients speak http"},
		{"clients without authority", "terminatedHTTPS", "tls: {barbicanRef: " + secret + ", clientAuthentication: mandatory}" + servers, "tls.clientCABarbicanRef: is missing"},
		{"revocations without authority", "terminatedHTTPS", "tls: {barbicanRef: " + secret + ", clientCRLBarbicanRef: " + secret + "}" + servers, "tls.clientCRLBarbicanRef: is nothing without"},
		{"no versions", "terminatedHTTPS", "tls: {barbicanRef: " + secret + ", versions: []}" + servers, "tls.versions: is empty"},
		{"no reference", "terminatedHTTPS", "tls: {barbicanRef: 'ftp://x/y'}" + servers, "tls.barbicanRef: "},
		{"no secret", "terminatedHTTPS", "tls: {barbicanRef: shop}" + servers, "tls.barbicanRef: the repository has no BarbicanSecret/shop"},
		{"no host's secret", "terminatedHTTPS", "tls: {sniBarbicanRefs: [" + secret + ", shop]}" + servers, "tls.sniBarbicanRefs[1]: the repository has no BarbicanSecret/shop"},
		{"machines behind TLS speak it again", "terminatedHTTPS", "tls: {barbicanRef: " + secret + "}\nrealServers: {protocol: https, addresses: [10.0.0.1]}",
			"realServers.protocol: cannot be https while clients speak terminatedHTTPS; use one of http, proxy, proxyv2"},
		{"policies of tcp", "tcp", rule("{type: path, compareType: equalTo, value: /x}"), "l7Policies: cannot be while clients speak tcp"},
		{"no rules", "http", rule(""), "l7Policies[0].rules: "},
		{"pool missing", "http", "l7Policies: [{action: redirectToPool, rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers, "l7Policies[0].redirectPool: is missing"},
		{"target of another action", "http", "l7Policies: [{action: reject, redirectURL: 'https://x.org/', rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers,
			"l7Policies[0].redirectURL: means nothing with action reject; remove it, or use action redirectToUrl"},
		{"no URL", "http", "l7Policies: [{action: redirectToUrl, redirectURL: 'ftp://x.org/', rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers, "l7Policies[0].redirectURL: "},
		{"nobody in the pool", "http", "l7Policies: [{action: redirectToPool, redirectPool: {realServers: {}}, rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers,
			"l7Policies[0].redirectPool.realServers: names nobody who answers"},
		{"status", "http", "l7Policies: [{action: redirectToUrl, redirectURL: 'http://x.org/', redirectHTTPCode: 304, rules: [{type: path, compareType: equalTo, value: /x}]}]" + servers, "redirectHTTPCode: "},
		{"header without key", "http", rule("{type: header, compareType: equalTo, value: x}"), "rules[0].key: is missing"},
		{"path with key", "http", rule("{type: path, key: x, compareType: equalTo, value: x}"), "rules[0].key: means nothing"},
		{"file types that start with", "http", rule("{type: fileType, compareType: startsWith, value: j}"), "rules[0].compareType: cannot be startsWith for a rule of type fileType; use one of regex, equalTo"},
		{"no regular expression", "http", rule("{type: path, compareType: regex, value: '['}"), "rules[0].value: is no regular expression"},
		{"blank in a path", "http", rule("{type: path, compareType: equalTo, value: a b}"), "rules[0].value: \"a b\" cannot be in a header"},
		{"TLS of http", "http", rule("{type: sslConnHasCert, compareType: equalTo, value: 'True'}"), "rules[0].type: is about TLS"},
		{"codes of tcp", "http", "realServers: {addresses: [10.0.0.1]}\nmonitors: [{protocol: tcp, expectedCodes: '200'}]", "monitors[0].expectedCodes: means nothing to a monitor that speaks tcp"},
		{"codes", "http", "realServers: {addresses: [10.0.0.1]}\nmonitors: [{protocol: http, expectedCodes: 2xx}]", "monitors[0].expectedCodes: "},
		{"position twice", "http", "l7Policies:\n  - {action: reject, position: 2, rules: [{type: path, compareType: equalTo, value: /x}]}\n  - {action: reject, position: 2, rules: [{type: path, compareType: equalTo, value: /y}]}" + servers,
			"l7Policies[1].position: 2 is that of spec.ports[0].l7Policies[0] already"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "apiVersion: stackreeve.dev/v1alpha1\nkind: LoadBalancer\nmetadata: {name: lb}\nspec:\n  ports:\n    - port: 80\n      protocol: " + tt.protocol +
				"\n      " + strings.ReplaceAll(tt.port, "\n", "\n      ") + "\n"
			_, err := read(text, words)
			if err == nil || !strings.Contains(err.Error(), "LoadBalancer/lb: spec.ports[0].") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant …%s", err, tt.want)
			}
		})
	}
}
