package port_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

const trap = `
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Network, metadata: {name: net}, spec: {resource: {}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Subnet, metadata: {name: net}, spec: {resource: {networkRef: net, ipVersion: 4, cidr: 10.77.0.0/24}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: SecurityGroup, metadata: {name: one}, spec: {resource: {name: same}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: SecurityGroup, metadata: {name: two}, spec: {resource: {name: same}}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: web}
spec: {resource: {networkRef: net, description: before, addresses: [{subnetRef: net}], securityGroupRefs: [one], allowedAddressPairs: [{ip: 10.77.0.200}]}}
`

// Two security groups can have the same name. A port has the one that its manifest refers to, and is in sync with it
// (terraform-provider-openstack#1173).
func TestSecurityGroupsOfOneName(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.MustSync(trap)
	other := strings.Replace(trap, "securityGroupRefs: [one]", "securityGroupRefs: [two]", 1)
	for _, manifests := range []string{trap, other} {
		g.MustSync(manifests)
		if pass := g.MustSync(manifests); len(pass.Results) > 0 {
			t.Errorf("second pass: %v", pass.Results)
		}
	}
	if steps := g.Plan(trap).Steps; !slices.ContainsFunc(steps, func(s plan.Step) bool { return s.Key.Kind == "Port" && len(s.Changes) > 0 }) {
		t.Error("a port with the other group of that name is as its manifest says")
	}
}

// An update sends only the changed fields: a policy can forbid writing allowed_address_pairs, even with an unchanged
// value (terraform-provider-openstack#298).
func TestAnUpdateSendsWhatHasChanged(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.MustSync(trap)
	sent := map[string]bool{}
	g.SyncThrough(strings.Replace(trap, "description: before", "description: after", 1), func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/ports/") && !strings.Contains(r.URL.Path, "/tags") {
				text, err := io.ReadAll(r.Body)
				if err != nil {
					return nil, err
				}
				r.Body = io.NopCloser(bytes.NewReader(text))
				var body struct{ Port map[string]any }
				if err := json.Unmarshal(text, &body); err != nil {
					return nil, err
				}
				for name := range body.Port {
					sent[name] = true
				}
			}
			return next.RoundTrip(r)
		})
	})
	if got := slices.Sorted(maps.Keys(sent)); !slices.Equal(got, []string{"description"}) {
		t.Errorf("sent: %v", got)
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
