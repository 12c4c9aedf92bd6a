package loadbalancer_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// leaving adds to the load balancer of other tests an annotation that leaves the elements at path to others.
func leaving(text, path string) string {
	return strings.Replace(text, "metadata: {name: front, annotations: {", "metadata: {name: front, annotations: {stackreeve.dev/ignore-fields: '"+path+"', ", 1)
}

// Others have created a member in a pool, and the annotation leaves it to them. The plan refuses to delete its pool or
// the load balancer, and names the member.
func TestStrangersDoNotGoAlong(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(fixed)
	o := outside{t, g.Client(nil)}
	lb := stepOf(t, g.MustSync(fixed).Last).ID()
	pool := o.id("pools", lb, "front-80")
	o.do(http.MethodPost, "pools/"+pool+"/members", map[string]any{"member": map[string]any{"name": "theirs", "address": "192.168.90.77", "protocol_port": 80}})
	member := o.memberOf(pool, "theirs")
	theirs := leaving(fixed, "spec.ports.realServers.members["+member+"]")
	g.MustSync(theirs)
	for name, next := range map[string]string{
		"its pool speaks another protocol": strings.Replace(theirs, "protocol: http", "protocol: tcp", 1),
		"its port goes":                    strings.Replace(theirs, "{port: 80,", "{port: 81,", 1),
		"the load balancer is replaced":    strings.Replace(theirs, "vipAddress: 192.168.90.9", "vipAddress: 192.168.90.10", 1),
	} {
		step := stepOf(t, g.Plan(next))
		if step.Action != plan.Refuse || !step.Causes.Has(cause.TakesLeft) || !strings.Contains(step.FullCause(), member) {
			t.Errorf("%s: %s: %s", name, step.Action, step.FullCause())
		}
		g.Sync(next)
		if left := o.memberOf(pool, "theirs"); left != member {
			t.Errorf("%s: the member is %s now", name, left)
		}
	}
	g.MustSync(strings.Replace(fixed, "protocol: http", "protocol: tcp", 1)) // the annotation is removed, so the pool may be replaced
}

// memberOf returns the ID of a member of a pool, by its name.
func (o outside) memberOf(pool, name string) string {
	o.t.Helper()
	all, err := cloud.List[thing](o.t.Context(), o.c, cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/pools/" + pool + "/members"}, "members")
	if err != nil {
		o.t.Fatal(err)
	}
	for _, x := range all {
		if x.Name == name {
			return x.ID
		}
	}
	return ""
}

// writes records the write requests to the load balancer service.
type writes struct {
	next http.RoundTripper
	sent []string
}

// RoundTrip implements http.RoundTripper.
func (w *writes) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, path, ok := strings.Cut(req.URL.Path, "/lbaas/"); ok && req.Method != http.MethodGet {
		collection, _, _ := strings.Cut(path, "/")
		if strings.HasSuffix(path, "/rules") {
			collection = "rules"
		}
		w.sent = append(w.sent, req.Method+" "+collection)
	}
	return w.next.RoundTrip(req)
}

// If a policy is added before all others, they need no requests, because Octavia moves them itself.
func TestAPolicyBeforeAllOthers(t *testing.T) {
	const policy = "{action: reject, rules: [{type: path, compareType: startsWith, value: /NAME}]}"
	with := func(names ...string) string {
		var list []string
		for _, name := range names {
			list = append(list, strings.Replace(policy, "NAME", name, 1))
		}
		return strings.Replace(fixed, "protocol: http,", "protocol: http, l7Policies: ["+strings.Join(list, ", ")+"],", 1)
	}
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(fixed)
	g.MustSync(with("a", "b", "c", "d"))
	sync := func(want []string, names ...string) {
		t.Helper()
		var w writes
		g.SyncThrough(with(names...), func(next http.RoundTripper) http.RoundTripper { w.next = next; return &w })
		if !slices.Equal(w.sent, want) {
			t.Errorf("%v: sent %q, want %q", names, w.sent, want)
		}
		if p := g.Plan(with(names...)); !p.InSync() {
			t.Errorf("%v: then the plan is %v", names, p.Summary())
		}
	}
	mark := "PUT loadbalancers"
	sync([]string{"POST l7policies", "POST rules", mark}, "x", "a", "b", "c", "d")
	sync([]string{"PUT l7policies", mark}, "d", "x", "a", "b", "c")
	sync([]string{"DELETE l7policies", mark}, "x", "a", "b", "c")
	sync(nil, "x", "a", "b", "c")
}
