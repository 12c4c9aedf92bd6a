package virtualmachinegroup_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// once is a transport that refuses the first creation of a floating IP.
type once struct {
	next    http.RoundTripper
	refused atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (o *once) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/floatingips") && o.refused.CompareAndSwap(false, true) {
		return kindtest.Weather{Name: "400", Spoil: kindtest.Answer(http.StatusBadRequest)}.Spoil(req, o.next)
	}
	return o.next.RoundTrip(req)
}

// shop is a network with a route to the outside.
const shop = `
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: shop}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Router
metadata: {name: shop}
spec: {resource: {externalGateways: [{networkRef: public}]}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: shop}
spec: {resource: {networkRef: shop, ipVersion: 4, cidr: 192.168.50.0/24, routerRef: shop}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: fence}
spec: {resource: {}}
`

// With OnDelete, a group's machines get missing parts, and changes that do not interrupt them, even if their image differs,
// too. If only a replaced machine would use a volume, it is not created.
func TestMachinesThatAreLeftGetWhatInterruptsNobody(t *testing.T) {
	g := pure(t)
	public := strings.Replace(with(2, "type: OnDelete"), "    image:", "    network: shop\n    floatingIP: {network: public}\n    image:", 1) + shop
	other := more.Replace(public)
	open := strings.Replace(other, "    image:", "    securityGroups: [fence]\n    image:", 1)
	g.Only(open)
	refusal := &once{}
	wrap := func(next http.RoundTripper) http.RoundTripper {
		refusal.next = next
		return refusal
	}
	if pass := g.SyncThrough(public, wrap); pass.Outcome() != plan.Broken || !refusal.refused.Load() {
		t.Fatalf("no address is refused: %s", pass.Outcome())
	}
	if s := g.MustSync(other).First.Summary(); s.Create != 1 || s.Writes() != 1 {
		t.Errorf("what is missing is not made: %s", s)
	}
	if s := g.MustSync(open).First.Summary(); s.Update != 2 || s.Writes() != 2 {
		t.Errorf("the ports are not changed: %s", s)
	}
	wantTurns(t, g.Plan(open), "web-0 keep", "web-1 keep")
}
