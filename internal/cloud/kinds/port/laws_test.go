package port_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest/smallnet"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

var needs = `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: front}
spec: {resource: {}}
` +
	smallnet.Subnet("web", "front", "192.168.60.0/24") + smallnet.Subnet("six", "front", "fd00:60::/64", "ipv6: {addressMode: slaac, raMode: slaac}") +
	smallnet.Network("back") + `---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: web}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: SecurityGroup
metadata: {name: ssh}
spec: {resource: {}}
`

const object = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Port
metadata: {name: web-1}
spec:
  resource:
    name: web-port
    description: first web server
    tags: [web, blue]
    networkRef: front
    allowedAddressPairs:
    - {ip: 192.168.60.200, mac: "fa:16:3e:00:00:99"}
    - {ip: 192.168.60.0/28}
    addresses:
    - {subnetRef: web, ip: 192.168.60.50}
    adminStateUp: true
    securityGroupRefs: [web]
    vnicType: normal
    portSecurity: Enabled
    macAddress: fa:16:3e:0a:0b:0c
`

var key = manifest.Key{Group: define.OrcGroup, Kind: "Port", Namespace: "default", Name: "web-1"}

func TestLaws(t *testing.T) { laws().Run(t) }

// A cloud that accepts tags in the create request needs fewer requests. The laws are valid there, too.
func TestLawsWithTagsOnCreate(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	s := laws()
	s.Simulator = &simulator.Options{TagsOnCreate: true}
	s.Run(t)
}

// Neutrons before 2025.1 accept tags in the create request of a port if the operator has loaded an extension.
func TestLawsWithTagsOnPorts(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	s := laws()
	s.Simulator = &simulator.Options{TagsOnPorts: true}
	s.Run(t)
}

func laws() kindtest.Suite {
	return kindtest.Suite{
		Kinds: all.Kinds, Key: key, Needs: needs, Object: object,
		Edits: []kindtest.Edit{
			{Field: "spec.resource.name", Old: "web-port", New: "web-port-2"},
			{Field: "spec.resource.description", Old: "first web server", New: "moved"},
			{Field: "spec.resource.tags", Old: "[web, blue]", New: "[web, green]"},
			{Field: "spec.resource.networkRef", Old: "networkRef: front", New: "networkRef: back", Replaces: true, PlanOnly: true},
			{Field: "spec.resource.allowedAddressPairs", Old: "ip: 192.168.60.0/28", New: "ip: 192.168.60.16/28"},
			{Field: "spec.resource.addresses", Old: "ip: 192.168.60.50", New: "ip: 192.168.60.51", Replaces: true},
			{Field: "spec.resource.addresses", Old: "    addresses:\n    - {subnetRef: web, ip: 192.168.60.50}\n", New: "", Replaces: true},
			{Field: "spec.resource.adminStateUp", Old: "adminStateUp: true", New: "adminStateUp: false"},
			{Field: "spec.resource.securityGroupRefs", Old: "[web]\n", New: "[web, ssh]\n"},
			{Field: "spec.resource.vnicType", Old: "vnicType: normal", New: "vnicType: direct"},
			{Field: "spec.resource.portSecurity", Old: "    allowedAddressPairs:\n    - {ip: 192.168.60.200, mac: \"fa:16:3e:00:00:99\"}\n    - {ip: 192.168.60.0/28}\n" +
				"    addresses:\n    - {subnetRef: web, ip: 192.168.60.50}\n    adminStateUp: true\n    securityGroupRefs: [web]\n    vnicType: normal\n    portSecurity: Enabled\n",
				New: "    addresses:\n    - {subnetRef: web, ip: 192.168.60.50}\n    portSecurity: Disabled\n", Also: []string{"spec.resource.allowedAddressPairs", "spec.resource.securityGroupRefs"}},
			{Field: "spec.resource.macAddress", Old: "0a:0b:0c", New: "0a:0b:0d", PlanOnly: true},
		},
		Unseen: map[string]string{
			"spec.resource.dnsName":               "needs an extension, see TestLawsWithMoreExtensions",
			"spec.resource.dnsDomain":             "needs an extension, see TestLawsWithMoreExtensions",
			"spec.resource.trustedVIF":            "needs an extension and an administrator, see TestTrustedByAnAdministrator",
			"spec.resource.propagateUplinkStatus": "needs an extension, see TestLawsWithMoreExtensions",
			"spec.resource.qosPolicyRef":          "is an administrator's policy, see qospolicy TestInForce",
			"spec.resource.valueSpecs":            "what they mean is up to the cloud",
			"spec.resource.hostID":                "only administrators see it",
			"spec.resource.defaultSecurityGroup":  "it says that there is nothing to compare",
		},
	}
}

// A port gets an address on every subnet whose machines configure their own addresses. Such an address is no difference,
// though the manifest does not name it.
func TestAddressesChosenByTheCloud(t *testing.T) {
	one, port := onNeeds(t)
	for name, addresses := range map[string]string{
		"none":                  "",
		"explicitly none":       "addresses: []",
		"of a subnet":           "addresses: [{subnetRef: web}]",
		"several of one subnet": "addresses: [{subnetRef: web}, {subnetRef: web, ip: 192.168.60.70}]",
		"whatever there is":     "addresses: [{}]",
		"no groups":             "securityGroupRefs: []",
		"the cloud's group":     "defaultSecurityGroup: true",
	} {
		t.Run(name, func(t *testing.T) {
			g, doc := one.In(t), port+addresses
			g.MustSync(doc)
			if pass := g.MustSync(doc); len(pass.Results) > 0 {
				t.Errorf("the second pass did something: %v", pass.Results)
			}
			g.MustSync(needs)
		})
	}
}

// onNeeds returns a cloud with the objects on which ports depend. port is their manifests and the beginning of a Port.
func onNeeds(t *testing.T) (g *kindtest.Target, port string) {
	g = kindtest.NewTarget(t, all.Kinds)
	port = needs + "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Port\nmetadata: {name: web-1}\nspec:\n  resource:\n    networkRef: front\n    "
	g.Only(port)
	return g, port
}

// As in K-ORC, a port has exactly the security groups that its manifest names. It does not have the default group, which
// Neutron adds unless the request forbids it.
func TestGroupsLeftOut(t *testing.T) {
	one, doc := onNeeds(t)
	for name, test := range map[string]struct {
		field string
		want  int
	}{
		"none":        {"", 0},
		"the cloud's": {"defaultSecurityGroup: true", 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := one.In(t)
			g.MustSync(doc + "securityGroupRefs: [ssh]")
			step := stepOf(t, g.Plan(doc+test.field))
			if noticed := kind.Has(step.Changes, "spec.resource.securityGroupRefs"); noticed != (test.want == 0) {
				t.Errorf("the group that is on the port is noticed: %t", noticed)
			}
			g.MustSync(needs)
			g.MustSync(doc + test.field)
			if groups, _ := g.Shown(doc+test.field, key)["securityGroups"].([]any); len(groups) != test.want {
				t.Errorf("the port has groups %v, want %d", groups, test.want)
			}
			g.MustSync(needs)
		})
	}
}

func stepOf(t *testing.T, planned plan.Plan) plan.Step {
	t.Helper()
	for _, s := range planned.Steps {
		if s.Key == key {
			return s
		}
	}
	t.Fatal("the plan does not speak of the port")
	return plan.Step{}
}

// The status uses K-ORC's field names.
func TestStatus(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(needs + "\n---\n" + object)
	g.MustSync(needs + "\n---\n" + object)
	shown := g.Shown(needs+"\n---\n"+object, key)
	const fields = "adminStateUp allowedAddressPairs createdAt description fixedIPs macAddress name networkID portSecurityEnabled projectID revisionNumber securityGroups status tags updatedAt vnicType"
	for field := range strings.FieldsSeq(fields) { // a cloud with more extensions shows more fields
		if shown[field] == nil {
			t.Errorf("%s is missing in %v", field, slices.Sorted(maps.Keys(shown)))
		}
	}
	ips, _ := shown["fixedIPs"].([]any)
	if len(ips) == 0 {
		t.Errorf("no addresses: %v", shown)
	}
	for _, ip := range ips {
		if ip, _ := ip.(map[string]any); len(ip) != 2 || ip["ip"] == nil || ip["subnetID"] == nil {
			t.Errorf("an address is %v", ip)
		}
	}
	if pairs := fmt.Sprint(shown["allowedAddressPairs"]); !strings.Contains(pairs, "map[ip:192.168.60.200 mac:fa:16:3e:00:00:99]") {
		t.Errorf("pairs are %s", pairs)
	}
}

func TestValidate(t *testing.T) {
	target := kindtest.NewTarget(t, all.Kinds)
	target.RefusesEdits(needs, object, map[string][3]string{
		"groups without security": {"portSecurity: Enabled", "portSecurity: Disabled", "spec.resource.securityGroupRefs"},
		"pairs without security":  {"portSecurity: Enabled", "portSecurity: Disabled", "spec.resource.allowedAddressPairs"},
		"pair of nonsense":        {"ip: 192.168.60.0/28", "ip: here", "spec.resource.allowedAddressPairs[1].ip"},
		"any among others":        {"- {subnetRef: web, ip: 192.168.60.50}", "- {subnetRef: web, ip: 192.168.60.50}\n    - {}", "spec.resource.addresses[1]"},
		"reserved attribute":      {"adminStateUp: true", "valueSpecs: [{key: tags, value: x}]", "spec.resource.valueSpecs[0].key"},
		"one attribute twice":     {"adminStateUp: true", "valueSpecs: [{key: colour, value: red}, {key: colour, value: blue}]", "spec.resource.valueSpecs[1].key"},
		"host without a name":     {"adminStateUp: true", "hostID: {id: \"\"}", "spec.resource.hostID.id"},
		"group without a name":    {"securityGroupRefs: [web]", "securityGroupRefs: [\"\"]", "spec.resource.securityGroupRefs[0]"},
		"two words on groups":     {"adminStateUp: true", "defaultSecurityGroup: true", "spec.resource.defaultSecurityGroup"},
		"two hosts":               {"adminStateUp: true", "hostID: {id: a, serverRef: b}", "spec.resource.hostID"},
		"unknown group":           {"securityGroupRefs: [web]", "securityGroupRefs: [wep]", "spec.resource.securityGroupRefs[0]"},
	})
}

func TestLawsWithMoreExtensions(t *testing.T) {
	testcost.Long(t) // all laws of the kind run on the simulator
	s := laws()
	s.Simulator, s.Partial = &simulator.Options{MoreNetwork: true}, true
	s.Object = strings.Replace(object, "adminStateUp: true", "adminStateUp: true\n    dnsName: Web\n    dnsDomain: Example.org.\n    propagateUplinkStatus: true", 1)
	s.Edits = []kindtest.Edit{
		{Field: "spec.resource.dnsName", Old: "dnsName: Web", New: "dnsName: shop"},
		{Field: "spec.resource.dnsDomain", Old: "Example.org.", New: "example.com."},
		{Field: "spec.resource.dnsDomain", Old: "    dnsDomain: Example.org.\n", New: ""},
		{Field: "spec.resource.propagateUplinkStatus", Old: "propagateUplinkStatus: true", New: "propagateUplinkStatus: false", Replaces: true},
	}
	s.Run(t)
}

func TestTrustedByAnAdministrator(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{MoreNetwork: true}).Beside("admin")
	const trusted = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front}\nspec: {resource: {}}\n---\n" +
		"apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Port\nmetadata: {name: vf}\nspec: {resource: {networkRef: front, trustedVIF: true}}"
	for name, without := range map[string]string{"false": strings.Replace(trusted, "trustedVIF: true", "trustedVIF: false", 1), "left out": strings.Replace(trusted, ", trustedVIF: true", "", 1)} {
		g.MustSync(trusted)
		pass := g.MustSync(without)
		if len(pass.Results) != 1 || !kind.Has(pass.Results[0].Step.Changes, "spec.resource.trustedVIF") {
			t.Errorf("%s: results: %+v", name, pass.Results)
		}
	}
}

// Nova writes the name of the machine into a port that is plugged into it, and users cannot see whether a port is
// trusted. If the manifest does not set these fields, they are no difference.
func TestNotAskedFor(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{MoreNetwork: true})
	doc := strings.Replace(object, "    portSecurity: Enabled\n", "", 1)
	g.Only(needs + "---" + doc)
	g.MustSync(needs + "---" + doc)
	id := stepOf(t, g.Plan(needs+"---"+doc)).ID()
	if err := g.Client(nil).Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + id, Body: map[string]any{"port": map[string]any{"dns_name": "shop-1"}}}); err != nil {
		t.Fatal(err)
	}
	if step := stepOf(t, g.Plan(needs+"---"+doc)); len(step.Changes) > 0 {
		t.Errorf("changes are %v", step.Changes)
	}
}

// If the cloud lacks the extension that a field needs, that is noted, and causes no error.
func TestWithoutTheExtensions(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	asked := needs + "---" + strings.Replace(object, "adminStateUp: true", "adminStateUp: true\n    dnsName: web\n    propagateUplinkStatus: true\n    trustedVIF: true", 1)
	g.MustSync(asked)
	for _, s := range g.Plan(asked).Steps {
		if s.Key == key && (len(s.Changes) != 0 || len(s.Notes) != 3) {
			t.Errorf("changes %v, notes %v; want three notes", s.Changes, s.Notes)
		}
	}
}
