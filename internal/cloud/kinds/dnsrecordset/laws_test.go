package dnsrecordset_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

const zone = `
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: shop}
spec: {resource: {name: shop.example.org., email: hostmaster@example.org}}
`

const needs = zone + `---
apiVersion: stackreeve.dev/v1alpha1
kind: DNSZone
metadata: {name: store}
spec: {resource: {name: store.example.org., email: hostmaster@example.org}}
`

const object = `
apiVersion: stackreeve.dev/v1alpha1
kind: DNSRecordSet
metadata: {name: www}
spec:
  resource:
    zoneRef: shop
    name: www
    type: A
    description: what customers ask for
    ttl: 600
    records: [192.0.2.20, 192.0.2.10]
`

var key = manifest.Key{Group: define.WorkloadGroup, Kind: "DNSRecordSet", Namespace: "default", Name: "www"}

func TestLaws(t *testing.T) {
	kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: needs, Object: object,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.zoneRef", Old: "zoneRef: shop", New: "zoneRef: store", Replaces: true, Also: []string{"spec.resource.name"}},
			{Field: "spec.resource.name", Old: "name: www\n    type", New: "name: web\n    type", Replaces: true},
			{Field: "spec.resource.type", Old: "type: A\n    description: what customers ask for\n    ttl: 600\n    records: [192.0.2.20, 192.0.2.10]",
				New: "type: TXT\n    description: what customers ask for\n    ttl: 600\n    records: [v=spf1 -all]", Replaces: true, Also: []string{"spec.resource.records"}},
			{Field: "spec.resource.ttl", Old: "    ttl: 600\n", New: ""},
			{Field: "spec.resource.ttl", Old: "ttl: 600", New: "ttl: 0"},
			{Field: "spec.resource.records", Old: "[192.0.2.20, 192.0.2.10]", New: "[192.0.2.20]"},
			{Field: "spec.resource.records", Old: "[192.0.2.20, 192.0.2.10]", New: "[192.0.2.20, 192.0.2.30, 192.0.2.10]"},
		},
	}.Run(t)
}

// The cloud accepts each type as people write it. If the cloud shows it in another spelling, that is no difference.
func TestTypes(t *testing.T) {
	long := strings.Repeat(`k"`, 300)
	g := kindtest.NewTarget(t, all.Kinds)
	doc, again := zone, zone
	for _, r := range []struct{ name, of, first, second string }{
		{"a", "A", "[192.0.2.1, 192.0.2.2]", "[192.0.2.2, 192.0.2.1, 192.0.2.1]"},
		{"aaaa", "AAAA", `["2001:DB8:0:0::1"]`, `["2001:db8::1"]`},
		{"cname", "CNAME", "[WWW.Example.org.]", "[www.example.org.]"},
		{"mx", "MX", `["10  Mail.example.org.", "020 mail2.example.org."]`, `["20 mail2.example.org.", "10 mail.example.org."]`},
		{"txt", "TXT", `[v=spf1 include:example.com -all]`, `['"v=spf1 include:example.com -all"']`},
		{"long", "TXT", `['` + long + `']`, `['` + long + `']`},
		{"_sip._tcp", "SRV", `["10 60 5060 Sip.example.org."]`, `["10 60 5060 sip.example.org."]`},
		{"ptr", "PTR", "[host.example.org.]", "[HOST.example.org.]"},
		{"caa", "CAA", `['0 issue "ca.example.net"']`, `["0 issue ca.example.net"]`},
		{"ns", "NS", "[ns1.example.net.]", "[NS1.example.net.]"},
		{"spf", "SPF", "[v=spf1 -all]", `['"v=spf1 -all"']`},
		{"sshfp", "SSHFP", `["2 1 123456789ABCDEF67890123456789abcdef67890"]`, `["2 1 123456789abcdef67890123456789abcdef67890"]`},
		{"@", "TXT", `[apex]`, `['"apex"']`},
		{`"*"`, "A", "[192.0.2.3]", "[192.0.2.3]"},
		{"absolute.shop.example.org.", "A", "[192.0.2.4]", "[192.0.2.4]"},
		{"Case", "A", "[192.0.2.5]", "[192.0.2.5]"},
	} {
		head := "---\napiVersion: stackreeve.dev/v1alpha1\nkind: DNSRecordSet\nmetadata: {name: r" + strings.ToLower(strings.Trim(r.name, `_.*"@`)) + "-" + strings.ToLower(r.of) + "}\nspec: {resource: {zoneRef: shop, name: '" + strings.Trim(r.name, `"`) + "', type: " + r.of + ", records: "
		doc, again = doc+head+r.first+"}}\n", again+head+r.second+"}}\n"
	}
	doc, again = strings.ReplaceAll(doc, "r._", "r"), strings.ReplaceAll(again, "r._", "r")
	doc, again = strings.ReplaceAll(doc, "_tcp-srv", "tcp-srv"), strings.ReplaceAll(again, "_tcp-srv", "tcp-srv")
	g.Only(doc)
	g.MustSync(doc)
	for _, s := range g.Plan(again).Steps {
		for _, c := range s.Changes {
			if c.Field != "owner mark" {
				t.Errorf("%s: %s: %v -> %v", s.Key, c.Field, c.Have, c.Want)
			}
		}
	}
	g.MustSync("")
}

func TestRefused(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Refuses(map[string]string{
		"type: A":                                                       "spec.resource.records",
		"type: A, records: []":                                          "spec.resource.records",
		"type: SOA, records: [x]":                                       "spec.resource.type",
		"type: A, records: [10.0.0.1/24]":                               "spec.resource.records[0]",
		`type: A, records: ["2001:db8::1"]`:                             "spec.resource.records[0]",
		"type: AAAA, records: [192.0.2.1]":                              "spec.resource.records[0]",
		"type: CNAME, records: [www.example.org]":                       "spec.resource.records[0]",
		"type: CNAME, records: [a.example., b.example.]":                "spec.resource.records",
		"type: CNAME, name: '@', records: [a.example.]":                 "spec.resource.name",
		"type: NS, name: '@', records: [a.example.]":                    "spec.resource.name",
		"type: MX, records: [mail.example.org.]":                        "spec.resource.records[0]",
		"type: MX, records: [10 mail.example.org]":                      "spec.resource.records[0]",
		"type: MX, records: [99999 mail.example.org.]":                  "spec.resource.records[0]",
		`type: TXT, records: ['"open']`:                                 "spec.resource.records[0]",
		"type: A, name: a..b, records: [192.0.2.1]":                     "spec.resource.name",
		"type: MX, portRef: web":                                        "spec.resource.portRef",
		"type: PTR, portRef: web":                                       "spec.resource.records",
		"type: PTR, portRef: web, serverRef: x, records: [a.example.]":  "spec.resource.serverRef",
		"type: PTR, portRef: web, name: a, records: [a.example.]":       "spec.resource.portRef",
		"type: PTR, virtualMachineGroupRef: web, records: [a.example.]": "spec.resource.virtualMachineGroupRef",
		"type: CNAME, recordSetRef: www, records: [a.example.]":         "spec.resource.recordSetRef",
		"type: A, recordSetRef: www":                                    "spec.resource.recordSetRef",
		"type: A, portRef: web, records: [192.0.2.1]":                   "spec.resource.portRef",
		"type: A, portRef: web, serverRef: web":                         "spec.resource.serverRef",
		"type: A, virtualMachineRef: web":                               "spec.resource.virtualMachineRef",
		"type: A, virtualMachineGroupRef: web":                          "spec.resource.virtualMachineGroupRef",
		"type: A, loadBalancerRef: web":                                 "spec.resource.loadBalancerRef",
	}, func(spec string) string {
		return zone + "---\napiVersion: stackreeve.dev/v1alpha1\nkind: DNSRecordSet\nmetadata: {name: one}\nspec: {resource: {zoneRef: shop, " + spec + "}}"
	})
}
