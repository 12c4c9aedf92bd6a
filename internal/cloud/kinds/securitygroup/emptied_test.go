package securitygroup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// If a group loses all or most of its rules, it counts for the brake as if it were deleted. It does not count if other rules
// replace them, or if somebody else had added the removed rules in the cloud.
func TestAnEmptiedGroupCountsForTheBrake(t *testing.T) {
	const full = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec:
  resource:
    rules:
    - {direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 80, max: 80}}
    - {direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 443, max: 443}}
    - {direction: ingress, ethertype: IPv4, protocol: tcp, portRange: {min: 22, max: 22}}
    - {direction: egress, ethertype: IPv4}
    - {direction: egress, ethertype: IPv6}
`
	head, _, _ := strings.Cut(full, "    rules:")
	limit, err := guard.ParseLimit("0")
	if err != nil {
		t.Fatal(err)
	}
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(full)
	g.MustSync(full)
	for name, tt := range map[string]struct {
		manifest string
		held     bool
	}{
		"emptied":   {head + "    rules: []\n", true},
		"left out":  {head + "    description: none\n", true},
		"most gone": {head + "    rules:\n    - {direction: egress, ethertype: IPv4}\n    - {direction: egress, ethertype: IPv6}\n", true},
		"narrower":  {strings.ReplaceAll(full, "ethertype: IPv4, protocol: tcp", "ethertype: IPv4, remoteIPPrefix: 10.0.0.0/8, protocol: tcp"), false},
		"as it is":  {full, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := g.In(t).Plan(tt.manifest).Apply(guard.Brake(guard.Limits{All: limit}, nil))
			if (p.Held != nil) != tt.held {
				t.Errorf("held %q", p.Held)
			}
			said := slices.ContainsFunc(p.Steps[0].Changes, func(c kind.Change) bool { return strings.Contains(c.Cuts, "no traffic is allowed any more") })
			if said != tt.held {
				t.Errorf("changes are %v", p.Steps[0].Changes)
			}
		})
	}
}
