package all_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// hand makes and deletes objects as people do, without marks.
type hand struct {
	t                   *testing.T
	c                   *cloud.Client
	image, flavor, zone string
}

// make makes an object and returns its ID. path is the path of its collection.
func (h hand) make(service, path, singular string, body map[string]any) string {
	h.t.Helper()
	var answer json.RawMessage
	request := body
	if singular != "" {
		request = map[string]any{singular: body}
	}
	h.do(cloud.Call{Service: service, Method: http.MethodPost, Path: path, Body: request, Into: &answer})
	if singular != "" {
		var wrapped map[string]json.RawMessage
		if err := json.Unmarshal(answer, &wrapped); err != nil {
			h.t.Fatal(err)
		}
		answer = wrapped[singular]
	}
	var made struct{ ID, Name string }
	if err := json.Unmarshal(answer, &made); err != nil {
		h.t.Fatal(err)
	}
	if made.ID == "" {
		made.ID = made.Name
	}
	h.t.Cleanup(func() {
		_ = h.c.Do(context.Background(), cloud.Call{Service: service, Method: http.MethodDelete, Path: path + "/" + made.ID})
	})
	return made.ID
}

func (h hand) do(call cloud.Call) {
	h.t.Helper()
	if err := h.c.Do(h.t.Context(), call); err != nil {
		h.t.Fatal(err)
	}
}

// exported makes the export for in, and returns all manifests as one text.
func exported(t *testing.T, g *kindtest.Target, in export.Input) (manifests string, notes []export.Note) {
	t.Helper()
	r := exportOf(t, g, in)
	return joined(r), r.Notes
}

func exportOf(t *testing.T, g *kindtest.Target, in export.Input) export.Result {
	t.Helper()
	c := g.Client(nil)
	in.Kinds = all.Kinds(c, g.Defaults)
	in.Have = g.Engine(c).Survey(t.Context())
	r, err := export.Make(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// joined is all manifests of an export as one text.
func joined(r export.Result) string {
	var b bytes.Buffer
	for _, o := range r.Objects {
		b.WriteString("---\n")
		b.Write(o.Text)
	}
	return b.String()
}

// project fills a project by hand with objects of the kinds that members of a project often use.
func (h hand) project() {
	front := h.make(cloud.Network, "networks", "network", map[string]any{"name": "Front End", "description": "by hand: # not yaml"})
	subnet := h.make(cloud.Network, "subnets", "subnet", map[string]any{"name": "front", "network_id": front, "ip_version": 4, "cidr": "10.7.0.0/24", "allocation_pools": []map[string]any{{"start": "10.7.0.100", "end": "10.7.0.199"}}, "dns_nameservers": []string{"192.0.2.53"},
		"host_routes": []map[string]any{{"destination": "10.9.0.0/16", "nexthop": "10.7.0.9"}}})
	h.make(cloud.Network, "subnets", "subnet", map[string]any{"name": "front", "network_id": front, "ip_version": 4, "cidr": "10.8.0.0/24", "gateway_ip": nil, "enable_dhcp": false,
		"allocation_pools": []map[string]any{{"start": "10.8.0.50", "end": "10.8.0.99"}, {"start": "10.8.0.10", "end": "10.8.0.20"}}})
	router := h.make(cloud.Network, "routers", "router", map[string]any{"name": "way-out", "external_gateway_info": map[string]any{"network_id": h.find(cloud.Network, "networks", "public")}})
	h.do(cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/add_router_interface", Body: map[string]any{"subnet_id": subnet}})
	h.t.Cleanup(func() {
		_ = h.c.Do(context.Background(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "routers/" + router + "/remove_router_interface", Body: map[string]any{"subnet_id": subnet}})
	})
	web := h.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": "web"})
	other := h.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": "other"})
	for _, rule := range []map[string]any{
		{"protocol": "tcp", "port_range_min": 80, "port_range_max": 80, "remote_ip_prefix": "0.0.0.0/0", "description": "anybody"},
		{"protocol": "6", "port_range_min": 5432, "port_range_max": 5439, "remote_group_id": other},
		{"protocol": "icmp", "ethertype": "IPv6"},
		{"remote_group_id": web},
	} {
		rule["security_group_id"], rule["direction"] = web, "ingress"
		h.make(cloud.Network, "security-group-rules", "security_group_rule", rule)
	}
	port := h.make(cloud.Network, "ports", "port", map[string]any{"name": "db", "network_id": front, "security_groups": []string{web}, "fixed_ips": []map[string]any{{"subnet_id": subnet, "ip_address": "10.7.0.77"}},
		"allowed_address_pairs": []map[string]any{{"ip_address": "10.7.0.200"}}})
	h.make(cloud.Network, "ports", "port", map[string]any{"name": "", "network_id": front, "fixed_ips": []map[string]any{{"subnet_id": subnet, "ip_address": "10.7.0.78"}}, "port_security_enabled": false, "security_groups": []string{}})
	h.make(cloud.Network, "floatingips", "floatingip", map[string]any{"floating_network_id": h.find(cloud.Network, "networks", "public"), "port_id": port, "description": "db"})
	h.make(cloud.Network, "floatingips", "floatingip", map[string]any{"floating_network_id": h.find(cloud.Network, "networks", "public")})
	key := h.make(cloud.Compute, "os-keypairs", "keypair", map[string]any{"name": "Ada Key", "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada@example.org"})
	group := h.make(cloud.Compute, "os-server-groups", "server_group", map[string]any{"name": "apart", "policies": []string{"anti-affinity"}})
	image, flavor := h.find(cloud.Image, "images", h.image), h.find(cloud.Compute, "flavors", h.flavor)
	data := h.make(cloud.BlockStorage, "volumes", "volume", map[string]any{"name": "data", "size": 1, "metadata": map[string]string{"use": "db"}})
	h.make(cloud.BlockStorage, "volumes", "volume", map[string]any{"size": 1})
	kindtest.AwaitStatus(h.t, h.c, cloud.BlockStorage, "volumes/"+data, "available")
	for _, singular := range []string{"snapshot", "backup"} {
		path := singular + "s"
		id := h.make(cloud.BlockStorage, path, singular, map[string]any{"name": "data before", "description": "by hand", "volume_id": data})
		kindtest.AwaitStatus(h.t, h.c, cloud.BlockStorage, path+"/"+id, "available")
		kindtest.AwaitStatus(h.t, h.c, cloud.BlockStorage, "volumes/"+data, "available")
	}
	var answer map[string]struct{ ID string }
	h.do(cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers", Into: &answer, Body: map[string]any{
		"server": map[string]any{"name": "db", "imageRef": image, "flavorRef": flavor, "key_name": key, "networks": []map[string]any{{"port": port}}, "metadata": map[string]string{"role": "db"},
			"user_data": "IyEvYmluL3NoCg=="},
		"os:scheduler_hints": map[string]any{"group": group}}})
	server := answer["server"].ID
	h.t.Cleanup(func() { kindtest.AwaitGone(h.t, h.c, cloud.Compute, "servers/"+server) })
	kindtest.AwaitStatus(h.t, h.c, cloud.Compute, "servers/"+server, "ACTIVE")
	h.do(cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + server + "/os-volume_attachments", Body: map[string]any{"volumeAttachment": map[string]any{"volumeId": data}}})
	kindtest.AwaitStatus(h.t, h.c, cloud.BlockStorage, "volumes/"+data, "in-use")
	h.do(cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers", Into: &answer, Body: map[string]any{
		"server": map[string]any{"name": "quick", "imageRef": image, "flavorRef": flavor, "networks": []map[string]any{{"uuid": front}}}}})
	quick := answer["server"].ID
	h.t.Cleanup(func() { kindtest.AwaitGone(h.t, h.c, cloud.Compute, "servers/"+quick) })
	kindtest.AwaitStatus(h.t, h.c, cloud.Compute, "servers/"+quick, "ACTIVE")
	h.balancer(subnet)
	h.make(cloud.SharedFileSystem, "share-networks", "share_network", map[string]any{"name": "Office Files", "description": "by hand", "neutron_net_id": front, "neutron_subnet_id": subnet})
	zone := "zones/" + h.make(cloud.DNS, "zones", "", map[string]any{"name": h.zone, "email": "hostmaster@example.org", "description": "by hand"}) + "/recordsets"
	h.make(cloud.DNS, zone, "", map[string]any{"name": "www." + h.zone, "type": "A", "ttl": 60, "records": []string{"192.0.2.20", "192.0.2.10"}})
	h.make(cloud.DNS, zone, "", map[string]any{"name": h.zone, "type": "TXT", "records": []string{`"v=spf1 -all"`}})
	var kept struct {
		Ref string `json:"secret_ref"`
	}
	h.do(cloud.Call{Service: cloud.KeyManager, Method: http.MethodPost, Path: "secrets", Body: map[string]any{"name": "by-hand", "payload": "zyxwvuts", "payload_content_type": "text/plain"}, Into: &kept})
	h.t.Cleanup(func() {
		_ = h.c.Do(context.Background(), cloud.Call{Service: cloud.KeyManager, Method: http.MethodDelete, Path: "secrets/" + kept.Ref[strings.LastIndexByte(kept.Ref, '/')+1:]})
	})
	h.container("Pictures of 2024", map[string]string{"X-Container-Read": ".ref:*, .rlistings", "X-Container-Meta-Quota-Bytes": "0", "X-Container-Meta-Access-Control-Allow-Origin": "https://b.example.org  https://a.example.org",
		"X-Container-Meta-Access-Control-Max-Age": "60", "X-Container-Meta-Tier": "gold", "X-Versions-Enabled": "true", "X-Storage-Policy": "SILVER"})
	h.container("odd", map[string]string{"X-Container-Meta-Temp-Url-Key": "zyxwvuts", "X-Container-Meta-Where": "Köln", "X-Container-Meta-A.b": "c", "X-Container-Read": "p, .foo"})
}

// container makes a container of the object store.
func (h hand) container(name string, headers map[string]string) {
	h.t.Helper()
	call := cloud.Call{Service: cloud.ObjectStore, Method: http.MethodPut, Path: url.PathEscape(name), Headers: headers}
	h.do(call)
	h.t.Cleanup(func() {
		call.Method, call.Headers = http.MethodDelete, nil
		_ = h.c.Do(context.Background(), call)
	})
}

// balancer makes a load balancer. Its parts have names that no manifest would give them.
func (h hand) balancer(subnet string) {
	id := h.make(cloud.LoadBalancer, "lbaas/loadbalancers", "loadbalancer", map[string]any{"name": "www", "vip_subnet_id": subnet, "vip_address": "10.7.0.50", "listeners": []map[string]any{{
		"name": "in", "protocol": "TCP", "protocol_port": 443, "allowed_cidrs": []string{"192.0.2.0/24"},
		"default_pool": map[string]any{"name": "behind", "protocol": "TCP", "lb_algorithm": "SOURCE_IP",
			"members":       []map[string]any{{"name": "one", "address": "10.7.0.77", "protocol_port": 8443}, {"name": "two", "address": "10.7.0.78", "protocol_port": 8443}},
			"healthmonitor": map[string]any{"name": "alive", "type": "TLS-HELLO", "delay": 7, "timeout": 3, "max_retries": 2}},
	}}})
	kindtest.AwaitStatus(h.t, h.c, cloud.LoadBalancer, "lbaas/loadbalancers/"+id, "ACTIVE")
}

// find returns the ID of the object with that name.
func (h hand) find(service, path, name string) string {
	h.t.Helper()
	list, err := cloud.List[struct{ ID, Name string }](h.t.Context(), h.c, cloud.Call{Service: service, Path: path}, path)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, o := range list {
		if o.Name == name {
			return o.ID
		}
	}
	h.t.Fatalf("%s has no %s", path, name)
	return ""
}

// TestExportRoundTrip: objects made by hand are exported, adopted, and then in sync. Only marks are written. The manifests do not depend
// on the IDs and addresses that the cloud chooses.
func TestExportRoundTrip(t *testing.T) {
	testcost.Long(t) // objects of many kinds are created and changed on the simulator
	if os.Getenv("STACKREEVE_TEST_CLOUD") != "" {
		t.Skip("it takes over all that the project holds")
	}
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed+1), func(t *testing.T) {
			g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{Seed: seed + 1})
			hand{t: t, c: g.Client(nil), image: "debian-12", flavor: "m1.small", zone: "example.org."}.project()
			text, notes := exported(t, g, export.Input{})
			adopts(t, g, text)
			var about []string
			for _, n := range notes {
				about = append(about, fmt.Sprintf("# %s/%s %s: %s\n", n.Kind, n.Name, n.Field, n.Text))
			}
			golden(t, "testdata/export.yaml", normal(text, about))
		})
	}
}

// drawn matches IDs, parts of IDs in names, and addresses that the cloud chooses.
var drawn = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|-[0-9a-f]{8}\b|203\.0\.1[0-9]{2}\.[0-9]+`)

// normal returns manifests and their notes, with IDs replaced by numbers in order of appearance. The export orders objects with the same
// name by their ID. normal orders them by the rest of their text instead.
func normal(manifests string, notes []string) string {
	plain := func(text string) string { return drawn.ReplaceAllString(text, "drawn") }
	docs := strings.Split(strings.TrimPrefix(manifests, "---\n"), "---\n")
	kinds := map[string]int{}
	kindOf := func(doc string) int {
		line := regexp.MustCompile(`(?m)^kind: .*$`).FindString(doc)
		if _, known := kinds[line]; !known {
			kinds[line] = len(kinds)
		}
		return kinds[line]
	}
	slices.SortStableFunc(docs, func(a, b string) int {
		return cmp.Or(cmp.Compare(kindOf(a), kindOf(b)), cmp.Compare(plain(a), plain(b)))
	})
	slices.SortFunc(notes, func(a, b string) int { return cmp.Compare(plain(a), plain(b)) })
	text := "---\n" + strings.Join(docs, "---\n") + strings.Join(notes, "")
	seen := map[string]string{}
	return drawn.ReplaceAllStringFunc(text, func(id string) string {
		key := strings.TrimPrefix(id, "-")
		if strings.Contains(key, "-") {
			key = key[:8] // the part of the ID that names contain
		}
		if seen[key] == "" {
			seen[key] = fmt.Sprintf("id-%d", len(seen)+1)
		}
		return strings.Repeat("-", len(id)-len(strings.TrimPrefix(id, "-"))) + seen[key]
	})
}

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s has other manifests; -update writes them:\n%s", file, text)
	}
}

// adopts expects that a stack adopts the objects of the manifests, and writes nothing but marks.
func adopts(t *testing.T, g *kindtest.Target, manifests string) {
	t.Helper()
	first := g.Plan(manifests)
	for _, s := range first.Steps {
		switch {
		case s.Action == plan.Keep:
		case s.Action != plan.Update || !s.Adopts:
			t.Errorf("%s: %s %s", s.Action, s.Key, s.FullCause())
		}
		for _, c := range s.Changes {
			if c.Field != kind.MarkField && c.Have != kind.Unknown && !strings.HasSuffix(c.Field, ".name") && !strings.HasSuffix(c.Field, ".realServers") {
				t.Errorf("%s: %s: %v -> %v", s.Key, c.Field, c.Have, c.Want)
			}
		}
	}
	g.MustSync(manifests)
	var count kindtest.Counter
	if pass := g.SyncThrough(manifests, count.Wrap); len(pass.Results) > 0 || count.Writes.Load() > 0 || pass.Outcome() != plan.InSync {
		t.Errorf("the second pass wrote %d times: %v", count.Writes.Load(), pass.Results)
	}
	if strings.Contains(manifests, ownertext.Prefix) {
		t.Error("a mark is in a manifest")
	}
}

// TestExportBesideOthers: the project contains other objects, too. The objects made by hand are exported and adopted, and nothing else is
// changed.
func TestExportBesideOthers(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	h := hand{t: t, c: g.Client(nil)}
	network := h.make(cloud.Network, "networks", "network", map[string]any{"name": g.Stack + " Front", "description": "by hand"})
	subnet := h.make(cloud.Network, "subnets", "subnet", map[string]any{"name": g.Stack, "network_id": network, "ip_version": 4, "cidr": "10.77.0.0/24"})
	group := h.make(cloud.Network, "security-groups", "security_group", map[string]any{"name": g.Stack})
	h.make(cloud.Network, "security-group-rules", "security_group_rule", map[string]any{"security_group_id": group, "direction": "ingress", "protocol": "tcp", "port_range_min": 22, "port_range_max": 22})
	h.make(cloud.Network, "ports", "port", map[string]any{"name": g.Stack, "network_id": network, "security_groups": []string{group}, "fixed_ips": []map[string]any{{"subnet_id": subnet}}})
	h.make(cloud.Network, "routers", "router", map[string]any{"name": g.Stack})
	volume := h.make(cloud.BlockStorage, "volumes", "volume", map[string]any{"name": g.Stack, "size": 1})
	kindtest.AwaitStatus(h.t, h.c, cloud.BlockStorage, "volumes/"+volume, "available")
	text, _ := exported(t, g, export.Input{})
	var own []string
	for _, doc := range strings.Split(text, "---\n") {
		if strings.Contains(doc, "unmanaged") || strings.Contains(doc, g.Stack) {
			own = append(own, doc)
		}
	}
	if len(own) < 6 {
		t.Fatalf("%d documents: %s", len(own), text)
	}
	adopts(t, g, strings.Join(own, "---\n"))
}

// TestAttackExportOfHostileNames: people can write any text into names and descriptions. In an export, such a text is only a value in a
// manifest, and never a path.
func TestAttackExportOfHostileNames(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("it takes over all that the project holds")
	}
	h := hand{t: t, c: g.Client(nil)}
	for _, name := range []string{"../../etc/passwd", "a\n---\nkind: Secret", "- {x: &a *a}", "a", "A", "a", "…", "stackreeve:other:Network/a", "\u202egpj", strings.Repeat("long-", 40)} {
		h.make(cloud.Network, "networks", "network", map[string]any{"name": name, "description": "d " + name})
	}
	text, notes := exported(t, g, export.Input{Only: []string{"Network"}})
	if strings.Contains(text, "\n---\nkind: Secret") || strings.Contains(text, "\u202e") || strings.Contains(text, "name: ../") && !strings.Contains(text, "resource") {
		t.Errorf("a name is more than a value: %s", text)
	}
	if len(notes) == 0 {
		t.Error("nothing is said of a name that no manifest can hold")
	}
	for _, line := range regexp.MustCompile(`(?m)^  name: (.*)$`).FindAllStringSubmatch(text, -1) {
		if !manifest.IsName(line[1]) {
			t.Errorf("%q is no name for a manifest", line[1])
		}
	}
	if text = regexp.MustCompile(`(?m)^.*(stackreeve:other|gpj).*$`).ReplaceAllString(text, ""); strings.Contains(text, ownertext.Prefix) {
		t.Error("a mark is in a manifest")
	}
}

// TestAttackExportOfWordsForBooleans: other YAML readers read some words as booleans. These words stay text, also if they are a name in
// metadata.
func TestAttackExportOfWordsForBooleans(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("it takes over all that the project holds")
	}
	h := hand{t: t, c: g.Client(nil)}
	metadata := map[string]string{}
	for _, word := range []string{"yes", "No", "on", "OFF", "y", "N", "true", "null", "12"} {
		h.make(cloud.Network, "networks", "network", map[string]any{"name": word, "description": word})
		metadata[word] = word
	}
	volume := h.make(cloud.BlockStorage, "volumes", "volume", map[string]any{"name": "on", "size": 1, "metadata": metadata})
	kindtest.AwaitStatus(h.t, h.c, cloud.BlockStorage, "volumes/"+volume, "available")
	text, _ := exported(t, g, export.Input{Only: []string{"Network", "Volume"}})
	if strings.Contains(text, "ignore-fields") || strings.Count(text, "adopt:") != 11 {
		t.Errorf("something is not adopted as it is: %s", text)
	}
	adopts(t, g, text)
}
