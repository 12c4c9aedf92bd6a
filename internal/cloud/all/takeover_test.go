package all_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/takeover"
)

// terraformTypes are Terraform's types for the objects that hand.project makes.
var terraformTypes = map[string]string{
	"KeyPair": "compute_keypair_v2", "ServerGroup": "compute_servergroup_v2", "DNSZone": "dns_zone_v2", "Network": "networking_network_v2", "Subnet": "networking_subnet_v2",
	"Router": "networking_router_v2", "RouterInterface": "networking_router_interface_v2", "SecurityGroup": "networking_secgroup_v2", "Port": "networking_port_v2",
	"Volume": "blockstorage_volume_v3", "Server": "compute_instance_v2", "LoadBalancer": "lb_loadbalancer_v2", "ShareNetwork": "sharedfilesystem_sharenetwork_v2", "FloatingIP": "networking_floatingip_v2", "SwiftContainer": "objectstorage_container_v1",
}

// stateOf returns a state of Terraform that contains the objects of a project, inside one instance of a module. All
// objects of a kind are instances of one resource.
func stateOf(t *testing.T, have kind.Snapshot) []byte {
	t.Helper()
	type object = map[string]any
	var resources []object
	for name, suffix := range terraformTypes {
		var instances []object
		items := slices.Clone(have[name].Items)
		slices.SortFunc(items, func(a, b *kind.Live) int { return strings.Compare(a.Name+a.ID, b.Name+b.ID) })
		for _, l := range items {
			if made := !(name == "SecurityGroup" && l.Name == "default" || name == "Port" && strings.HasPrefix(l.Name, "octavia-")); l.InOwnProject && l.AlsoListedAs == "" && made {
				instances = append(instances, object{"index_key": len(instances), "attributes": object{"id": l.ID, "name": "of the state", "admin_pass": "zyxwvuts"}})
			}
		}
		resources = append(resources, object{"module": "module.shop[\"a_b\"]", "mode": "managed", "type": "openstack_" + suffix, "name": "The_" + strings.ToLower(name), "instances": instances})
	}
	text, err := json.Marshal(object{"version": 4, "resources": resources})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func chosen(list []takeover.Declared) []export.Chosen {
	out := []export.Chosen{}
	for _, d := range list {
		out = append(out, export.Chosen{Kind: d.Kind, Name: d.Name, ID: d.ID, Uses: d.Uses})
	}
	return out
}

// TestTerraformRoundTrip: objects that Terraform made are exported with Terraform's names, adopted, and then in sync.
// Only marks are written.
func TestTerraformRoundTrip(t *testing.T) {
	if os.Getenv("STACKREEVE_TEST_CLOUD") != "" {
		t.Skip("it takes over all that the project holds")
	}
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{Seed: 1})
	hand{t: t, c: g.Client(nil), image: "debian-12", flavor: "m1.small", zone: "example.org."}.project()
	have := g.Engine(g.Client(nil)).Survey(t.Context())
	list, _, err := takeover.Terraform(stateOf(t, have))
	if err != nil {
		t.Fatal(err)
	}
	text, notes := exported(t, g, export.Input{Chosen: chosen(list)})
	for _, d := range list {
		key := "\n  name: " + strings.ToLower(strings.ReplaceAll(d.Name, "_", "-")) + "\n"
		if d.Kind != "ServerGroup" && !strings.Contains(text, "kind: "+d.Kind+"\nmetadata:"+key+"  annotations:\n    stackreeve.dev/adopt: ") {
			t.Errorf("%s %s is not written by its name", d.Kind, d.Name)
		}
	}
	if got, want := strings.Count(text, "stackreeve.dev/adopt: "), len(list)-1; got != want {
		t.Errorf("%d objects are adopted, want %d", got, want)
	}
	if strings.Contains(text, "of the state") || strings.Contains(text, "zyxwvuts") {
		t.Error("what the state says of objects is written")
	}
	if !slices.ContainsFunc(notes, func(n export.Note) bool {
		return n.Kind == "ServerGroup"
	}) {
		t.Errorf("nothing is said of the server group: %v", notes)
	}
	adopts(t, g, text)
}

// Only the chosen objects are written. The objects that they refer to are imported.
func TestExportOfWhatIsChosen(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{Seed: 1})
	if g.Simulator == nil {
		t.Skip("it takes over all that the project holds")
	}
	hand{t: t, c: g.Client(nil), image: "debian-12", flavor: "m1.small", zone: "example.org."}.project()
	have := g.Engine(g.Client(nil)).Survey(t.Context())
	id := func(of, name string) string {
		for _, l := range have[of].Items {
			if l.Name == name {
				return l.ID
			}
		}
		t.Fatalf("no %s %s", of, name)
		return ""
	}
	way := have["RouterInterface"].Items[0]
	text, notes := exported(t, g, export.Input{Chosen: []export.Chosen{
		{Kind: "Subnet", ID: id("Subnet", "private-subnet"), Name: "one name"}, {Kind: "Router", ID: id("Router", "way-out"), Name: "ONE name"}, {Kind: "Router", ID: id("Router", "way-out"), Name: "second name"},
		{Kind: "RouterInterface", Uses: way.Uses, Name: strings.Repeat("long", 12)}, {Kind: "RouterInterface", Uses: []string{"none"}, Name: "none"},
		{Kind: "Network", ID: id("Network", "public"), Name: "public"}, {Kind: "Image", ID: id("Image", "debian-12"), Name: "image"},
		{Kind: "SecurityGroup", ID: id("SecurityGroup", "web"), Name: "same"}, {Kind: "SecurityGroup", ID: id("SecurityGroup", "other"), Name: "Same"},
		{Kind: "Volume", ID: "2b2e5a3c-0000-4000-8000-000000000000", Name: "lost"},
	}})
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^kind: (.*)\nmetadata:\n  name: (.*)\n(  annot)?`).FindAllStringSubmatch(normal(text, nil), -1) {
		got = append(got, fmt.Sprintf("%s/%s %t", m[1], m[2], m[3] != ""))
	}
	want := []string{"Network/private false", "Network/public false", "Subnet/front-id-1 false", "Subnet/one-name true", "Router/one-name true",
		"RouterInterface/" + strings.Repeat("long", 12) + " true", "SecurityGroup/same-id-2 true", "SecurityGroup/same-id-3 true"}
	for i := range got {
		got[i] = regexp.MustCompile(`id-\d+`).ReplaceAllString(got[i], "id-N")
	}
	for i := range want {
		want[i] = regexp.MustCompile(`id-\d+`).ReplaceAllString(want[i], "id-N")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, want := range []string{"Volume/lost", "RouterInterface/none", "Network/public", "Image/image"} { // the first two are left out, the others are not adopted
		if !slices.ContainsFunc(notes, func(n export.Note) bool { return n.Kind+"/"+n.Name == want }) {
			t.Errorf("no note on %s in %v", want, notes)
		}
	}
	adopts(t, g, text)
	if again, _ := exported(t, g, export.Input{Chosen: []export.Chosen{{Kind: "Router", ID: id("Router", "way-out"), Name: "x"}}}); again != "" {
		t.Errorf("what a stack owns is written: %s", again)
	}
	if nothing, _ := exported(t, g, export.Input{Chosen: []export.Chosen{}}); nothing != "" {
		t.Errorf("what is not chosen is written: %s", nothing)
	}
}

// TestExportByTheLastPartOfAPath: Heat identifies record sets and port forwardings by their own IDs, without the object
// that contains them.
func TestExportByTheLastPartOfAPath(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("it takes over all that the project holds")
	}
	hand{t: t, c: g.Client(nil), image: "debian-12", flavor: "m1.small", zone: "example.org."}.project()
	for _, l := range g.Engine(g.Client(nil)).Survey(t.Context())["DNSRecordSet"].Items {
		_, own, path := strings.Cut(l.ID, "/")
		if !path || !l.InOwnProject || l.Mark != nil {
			continue
		}
		r := exportOf(t, g, export.Input{Chosen: []export.Chosen{{Kind: "DNSRecordSet", Name: "www", ID: own}, {Kind: "DNSRecordSet", Name: "none", ID: own[1:]}}})
		if !slices.ContainsFunc(r.Objects, func(o export.Object) bool { return o.Adopted && o.ID == l.ID && o.Key.Name == "www" }) || len(r.Notes) == 0 || r.Notes[0].Name != "none" {
			t.Errorf("%s: %s, %v", l.ID, joined(r), r.Notes)
		}
		return
	}
	t.Error("there is no record set")
}

// TestTakeoverKinds: types of other tools are mapped only to kinds that exist here.
func TestTakeoverKinds(t *testing.T) {
	known := map[string]bool{}
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		known[k.Info.Kind] = true
	}
	for _, name := range takeover.Kinds() {
		if !known[name] {
			t.Errorf("there is no kind %s", name)
		}
	}
}
