package dnszone_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: shop}
spec:
  resource:
    name: shop.zones.example.
    description: what customers see
    email: hostmaster@example.org
    ttl: 600
`

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Object: object,
		Key: manifest.Key{Group: define.WorkloadGroup, Kind: "DNSZone", Namespace: "default", Name: "shop"},
		Edits: []kindtest.Edit{
			{Field: "spec.resource.name", Old: "shop.zones.example.", New: "store.zones.example.", Replaces: true},
			{Field: "spec.resource.email", Old: "hostmaster@example.org", New: "dns@example.org"},
			{Field: "spec.resource.type", Old: "email: hostmaster@example.org\n    ttl: 600", New: "type: SECONDARY\n    masters: [\"192.0.2.1:53\"]",
				Replaces: true, PlanOnly: true, Also: []string{"spec.resource.masters"}},
			{Field: "spec.resource.attributes", Old: "ttl: 600", New: "ttl: 600\n    attributes: {tier: gold}", PlanOnly: true},
		},
		Unseen: map[string]string{"spec.resource.masters": "is for SECONDARY zones, see the edit of type"},
	}.Run(t)
}

// Designate does not show the port of a name server if it is 53. That is no difference. An IPv6 address can end like
// that port, and is not shortened.
func TestMasters(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	text := strings.Replace(object, "email: hostmaster@example.org\n    ttl: 600", `type: SECONDARY
    masters: ["192.0.2.1:53", "192.0.2.2", "192.0.2.3:5353", "2001:db8::53", "ns.example.org.:53"]`, 1)
	g.Only(text)
	g.MustSync(text)
	if pass := g.MustSync(text); len(pass.Results) > 0 {
		t.Errorf("the second pass did something: %v", pass.Results)
	}
	for old, changed := range map[string]string{"192.0.2.3:5353": "192.0.2.3:53", "2001:db8::53": "2001:db8::54"} {
		if step := g.Plan(strings.Replace(text, old, changed, 1)).Steps[0]; !kind.Has(step.Changes, "spec.resource.masters") {
			t.Errorf("%s for %s is not noticed", changed, old)
		}
	}
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Refuses(map[string]string{
		"{name: example.org, email: a@example.org}":                                                "spec.resource.name",
		"{name: org., email: a@example.org}":                                                       "spec.resource.name",
		"{name: example.org.}":                                                                     "spec.resource.email",
		"{name: example.org., email: nobody}":                                                      "spec.resource.email",
		"{name: example.org., type: SECONDARY}":                                                    "spec.resource.masters",
		"{name: example.org., type: SECONDARY, masters: [\"192.0.2.1\"], ttl: 5}":                  "spec.resource.ttl",
		"{name: example.org., email: a@example.org, masters: [\"192.0.2.1\"]}":                     "spec.resource.masters",
		"{name: example.org., email: a@example.org, description: " + strings.Repeat("x", 61) + "}": "spec.resource.description",
	}, func(spec string) string {
		return "apiVersion: stackreeve.dev/v1alpha1\nkind: DNSZone\nmetadata: {name: one}\nspec: {resource: " + spec + "}"
	})
}

// A zone is deleted after the zones whose names are below its name.
func TestZonesWithinZones(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	within := strings.NewReplacer("name: shop}", "name: within}", "shop.zones.example.", "a.shop.zones.example.").Replace(object)
	g.Only(object)
	g.MustSync(object + "\n---\n" + within)
	if pass := g.MustSync(""); pass.Last.Owned != 0 {
		t.Errorf("%d zones are left", pass.Last.Owned)
	}
}
