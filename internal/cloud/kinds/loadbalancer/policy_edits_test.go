package loadbalancer

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// asking returns the load balancer of webAndName with three L7 policies.
func asking() typed.Want[Spec] {
	w := webAndName()
	path := func(value string) L7Rule { return L7Rule{Type: "path", CompareType: "startsWith", Value: value} }
	w.Spec.Ports[0].L7Policies = []L7Policy{
		{Name: ptr("a"), Action: "reject", Rules: []L7Rule{path("/a")}},
		{Name: ptr("b"), Action: "redirectToPool", RedirectPool: &RedirectPool{RealServers: RealServers{Addresses: []string{"10.0.0.5"}}}, Rules: []L7Rule{path("/b"), path("/b/c")}},
		{Name: ptr("c"), Action: "redirectToUrl", RedirectURL: ptr("https://example.org"), Rules: []L7Rule{path("/c")}},
	}
	return w
}

func TestPolicyEdits(t *testing.T) {
	const field = "spec.ports[0].l7Policies"
	policies := func(s *Spec) *[]L7Policy { return &s.Ports[0].L7Policies }
	tests := []editCase{
		{name: "nothing"},
		{name: "one rule: in place", edit: func(s *Spec) { (*policies(s))[0].Rules[0].Value = "/x" }, fields: []string{field},
			want: []string{"PUT l7policies/y1/rules/r1 admin_state_up=true compare_type=STARTS_WITH invert=false key=<nil> type=PATH value=/x"}},
		{name: "one more rule, second policy disabled until complete", edit: func(s *Spec) {
			(*policies(s))[0].Rules = append((*policies(s))[0].Rules, L7Rule{Type: "path", CompareType: "endsWith", Value: "z"})
		}, fields: []string{field},
			want: []string{"POST l7policies", "POST l7policies/new/rules", "POST l7policies/new/rules", "PUT l7policies/new admin_state_up=true", "DELETE l7policies/y1"}},
		{name: "target: in place", edit: func(s *Spec) { (*policies(s))[2].RedirectURL = ptr("https://example.com") }, fields: []string{field + "[2].redirectURL"},
			want: []string{"PUT l7policies/y3 redirect_url=https://example.com"}},
		{name: "action", edit: func(s *Spec) { (*policies(s))[2].Action, (*policies(s))[2].RedirectURL = "reject", nil },
			fields: []string{field + "[2].action", field + "[2].redirectURL"}, want: []string{"PUT l7policies/y3 action=REJECT redirect_url=<nil>"}},
		{name: "pool deleted after the policy", edit: func(s *Spec) {
			(*policies(s))[1].Action, (*policies(s))[1].RedirectPool = "reject", nil
		}, fields: []string{field},
			want: []string{"POST l7policies", "POST l7policies/new/rules", "POST l7policies/new/rules", "PUT l7policies/new admin_state_up=true", "DELETE l7policies/y2", "DELETE pools/q2"}},
		{name: "another protocol, pool first", edit: func(s *Spec) { (*policies(s))[1].RedirectPool.RealServers.Protocol = ptr("proxy") },
			fields: []string{field},
			want: []string{"POST pools", "PUT pools/new/members members=1", "POST l7policies", "POST l7policies/new/rules", "POST l7policies/new/rules",
				"PUT l7policies/new admin_state_up=true", "DELETE l7policies/y2", "DELETE pools/q2"}},
		{name: "machines of a redirect", edit: func(s *Spec) { (*policies(s))[1].RedirectPool.RealServers.Addresses[0] = "10.0.0.6" },
			fields: []string{field + "[1].redirectPool.realServers"}, want: []string{"PUT pools/q2/members members=1"}},
		{name: "first becomes last", edit: func(s *Spec) {
			(*policies(s))[0].Position, (*policies(s))[1].Position, (*policies(s))[2].Position = ptr(30), ptr(10), ptr(20)
		},
			fields: []string{field}, want: []string{"PUT l7policies/y1 position=3"}},
		{name: "last becomes first", edit: func(s *Spec) { (*policies(s))[2].Position = ptr(7) },
			fields: []string{field}, want: []string{"PUT l7policies/y3 position=1"}},
		{name: "another name", edit: func(s *Spec) { (*policies(s))[1].Name = ptr("z") },
			fields: []string{field + "[1].redirectPool.pool.name", field + "[1].policy.name"}, want: []string{"PUT pools/q2 name=lb-80-z", "PUT l7policies/y2 name=lb-80-z"}},
		{name: "policy deleted before its pool", edit: func(s *Spec) { *policies(s) = slices.Delete(*policies(s), 1, 2) },
			fields: []string{field}, want: []string{"DELETE l7policies/y2", "DELETE pools/q2"}},
		{name: "gone and ignored", edit: func(s *Spec) { *policies(s) = slices.Delete(*policies(s), 1, 2) }, ignore: field, fields: []string{field}},
		{name: "somebody else's", cloud: func(s *State) {
			l := s.More.Listeners[0]
			l.Policies = slices.Insert(l.Policies, 0, &Policy{child: child{ID: "y9"}, Name: "x", Up: true, Action: "REJECT"})
		}, fields: []string{field}, want: []string{"DELETE l7policies/y9"}},
		{name: "disabled", cloud: func(s *State) { s.More.Listeners[0].Policies[0].Up = false }, fields: []string{field + "[0].policy.adminStateUp"},
			want: []string{"PUT l7policies/y1 admin_state_up=true"}},
		{name: "a kill between policy and rules", cloud: func(s *State) {
			l := s.More.Listeners[0]
			l.Policies[1].Rules = l.Policies[1].Rules[:1]
			l.Policies = slices.Insert(l.Policies, 1, &Policy{child: child{ID: "y8"}, Name: "lb-80-b", Action: "REDIRECT_TO_POOL", PoolID: "q2"})
		}, fields: []string{field},
			want: []string{"POST l7policies", "POST l7policies/new/rules", "POST l7policies/new/rules", "PUT l7policies/new admin_state_up=true", "DELETE l7policies/y8", "DELETE l7policies/y2"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, asking) })
	}
}

// unnamed returns the load balancer of asking, with policies that have no names.
func unnamed() typed.Want[Spec] {
	w := asking()
	for i := range w.Spec.Ports[0].L7Policies {
		w.Spec.Ports[0].L7Policies[i].Name = nil
	}
	return w
}

// A policy without a name is recognised by its action and rules. So other policies can be added and removed before it.
func TestEditsOfUnnamedPolicies(t *testing.T) {
	const field = "spec.ports[0].l7Policies"
	policies := func(s *Spec) *[]L7Policy { return &s.Ports[0].L7Policies }
	fresh := func(path string) L7Policy {
		return L7Policy{Action: "reject", Rules: []L7Rule{{Type: "path", CompareType: "startsWith", Value: path}}}
	}
	tests := []editCase{
		{name: "nothing"},
		{name: "one before all others", edit: func(s *Spec) { *policies(s) = slices.Insert(*policies(s), 0, fresh("/x")) }, fields: []string{field},
			want: []string{"POST l7policies", "POST l7policies/new/rules"}},
		{name: "the first goes", edit: func(s *Spec) { *policies(s) = (*policies(s))[1:] }, fields: []string{field},
			want: []string{"DELETE l7policies/y1"}},
		{name: "the one with a pool goes", edit: func(s *Spec) { *policies(s) = slices.Delete(*policies(s), 1, 2) }, fields: []string{field},
			want: []string{"DELETE l7policies/y2", "DELETE pools/q2"}},
		{name: "new first policy, changed last target", edit: func(s *Spec) {
			(*policies(s))[2].RedirectURL = ptr("https://example.com")
			*policies(s) = slices.Insert(*policies(s), 0, fresh("/x"))
		}, fields: []string{field, field + "[3].redirectURL"},
			want: []string{"POST l7policies", "POST l7policies/new/rules", "PUT l7policies/y3 redirect_url=https://example.com"}},
		{name: "the last one comes first", edit: func(s *Spec) {
			p := *policies(s)
			*policies(s) = []L7Policy{p[2], p[0], p[1]}
		}, fields: []string{field}, want: []string{"PUT l7policies/y3 position=1"}},
		{name: "its rule", edit: func(s *Spec) { (*policies(s))[0].Rules[0].Value = "/x" }, fields: []string{field},
			want: []string{"PUT l7policies/y1/rules/r1 admin_state_up=true compare_type=STARTS_WITH invert=false key=<nil> type=PATH value=/x"}},
		{name: "a name at last", edit: func(s *Spec) { (*policies(s))[0].Name = ptr("admin") }, fields: []string{field + "[0].policy.name"},
			want: []string{"PUT l7policies/y1 name=lb-80-admin"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, unnamed) })
	}
}

// A new policy without a name gets a name that no other policy has.
func TestNamesOfUnnamedPolicies(t *testing.T) {
	s, w := made(unnamed()), unnamed()
	p := &w.Spec.Ports[0].L7Policies
	*p = slices.Insert(*p, 0, L7Policy{Action: "reject", Rules: []L7Rule{{Type: "path", CompareType: "startsWith", Value: "/x"}}})
	var c kind.Changes
	rules{}.Diff(w, s, &c)
	names := map[string]bool{}
	for _, e := range updatesOf(w, s, c.List()) {
		if r, needed := e.accept(c.List()); needed && r.path == "l7policies" {
			names[r.body["name"].(string)] = true
		}
	}
	if len(names) != 1 || names["lb-80-1"] || names["lb-80-2"] || names["lb-80-3"] {
		t.Errorf("the new policy is called %v", names)
	}
}

// A secret is recognised by its ID: Barbican's addresses end in the ID, and manifests may contain only the ID.
func TestSecretsAreKnownByTheirID(t *testing.T) {
	const id = "c2a1f7e0-5a3f-4c2b-9d3c-1b6a9f0e7d11"
	w := webAndName()
	w.Spec.Ports[0].Protocol, w.Spec.Ports[0].TLS = "terminatedHTTPS", &TLS{BarbicanRef: ptr(id)}
	s := made(w)
	s.More.Listeners[0].Certificate = "https://barbican/v1/containers/" + id
	if got := fieldsOf(w, s); len(got) > 0 {
		t.Errorf("reported %q, want nothing", got)
	}
	s.More.Listeners[0].Certificate = "https://barbican/v1/containers/d" + id[1:]
	if got := fieldsOf(w, s); !slices.Equal(got, []string{"spec.ports[0].tls.barbicanRef"}) {
		t.Errorf("reported %q for another secret", got)
	}
}

// An exported manifest describes the state of the cloud, except for names.
func TestExportOfRequests(t *testing.T) {
	w := asking()
	p := &w.Spec.Ports[0]
	p.Protocol, p.TLS = "terminatedHTTPS", &TLS{Versions: []string{"TLSv1.3"}, ClientAuthentication: ptr("mandatory"),
		BarbicanRef: ptr("https://keys/v1/secrets/c2a1f7e0-5a3f-4c2b-9d3c-1b6a9f0e7d11"), ClientCABarbicanRef: ptr("https://keys/v1/secrets/c2a1f7e0-5a3f-4c2b-9d3c-1b6a9f0e7d12")}
	p.InsertHeaders, p.ConnectionLimit, p.SessionPersistence = []string{"X-Forwarded-For"}, ptr(9), &SessionPersistence{Type: "appCookie", CookieName: ptr("s")}
	p.RealServers.Members = []RealServer{{Address: ptr("10.0.0.3"), Weight: ptr(0)}, {Address: ptr("10.0.0.4"), Port: ptr(9), Backup: ptr(true)}}
	p.Monitors[0].DomainName, p.Monitors[0].HTTPMethod, p.Monitors[0].MaxRetriesDown = ptr("example.org"), ptr("HEAD"), ptr(7)
	w.Spec.Ports = w.Spec.Ports[:1]
	s := made(w)
	e := &kind.Export{Name: "lb", Ref: func(kind, _ string) (string, bool) { return "net", kind == "Network" }}
	w.Spec = rules{}.Export(s, e)
	for _, field := range fieldsOf(w, s) {
		if !slices.Contains(e.Renames, field) && field != "spec.vipNetwork" {
			t.Errorf("%s is not exported as it is", field)
		}
	}
}
