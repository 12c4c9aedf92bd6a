package takeover

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stateOf returns a state with these resources, each in JSON.
func stateOf(resources ...string) []byte {
	return []byte(`{"version": 4, "terraform_version": "1.9.0", "serial": 3, "lineage": "x", "outputs": {"password": {"value": "zyxwvuts", "type": "string", "sensitive": true}}, "resources": [` + strings.Join(resources, ",") + `], "check_results": null}`)
}

const provider = `"provider": "provider[\"registry.terraform.io/terraform-provider-openstack/openstack\"]"`

// one returns a resource of the root module with one instance that has these attributes.
func one(kind, name, attributes string) string {
	return fmt.Sprintf(`{"mode": "managed", "type": %q, "name": %q, %s, "instances": [{"schema_version": 0, "attributes": %s, "sensitive_attributes": [], "private": "enp5"}]}`, kind, name, provider, attributes)
}

func shown(list []Declared) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s | %s | %s %s %v", d.Address, d.Name, d.Kind, d.ID, d.Uses)
		if d.Part {
			b.WriteString(" part")
		}
		b.WriteString(" " + d.Stays + "\n")
	}
	return b.String()
}

func TestTerraform(t *testing.T) {
	list, others, err := Terraform(stateOf(
		one("openstack_networking_network_v2", "front", `{"id": "n-1", "name": "Front"}`),
		`{"module": "module.web[\"a.b\"].module.vm[1]", "mode": "managed", "type": "openstack_compute_instance_v2", "name": "node", `+provider+`, "instances": [
			{"index_key": 0, "attributes": {"id": "s-0", "admin_pass": "zyxwvuts", "network": [{"port": "p"}]}}, {"index_key": 11, "attributes": {"id": "s-11"}}]}`,
		`{"mode": "managed", "type": "openstack_networking_secgroup_v2", "name": "web", `+provider+`, "instances": [{"index_key": "inside \"x\" ${y}", "attributes": {"id": "g-1"}}, {"index_key": "out", "status": "tainted", "attributes": {"id": "g-2"}}]}`,
		one("openstack_networking_secgroup_rule_v2", "ssh", `{"id": "r-1", "security_group_id": "g-1"}`),
		one("openstack_networking_secgroup_rule_v2", "alien", `{"id": "r-2", "security_group_id": "g-9"}`),
		one("openstack_networking_floatingip_associate_v2", "a", `{"id": "f-1", "port_id": "p-1"}`),
		one("openstack_networking_floatingip_v2", "f", `{"id": "f-1"}`),
		one("openstack_networking_portforwarding_v2", "pf", `{"id": "pf-1", "floatingip_id": "f-1"}`),
		one("openstack_lb_member_v2", "m", `{"id": "m-1", "pool_id": "pool-1"}`),
		one("openstack_lb_pool_v2", "p", `{"id": "pool-1", "listener_id": "l-1", "loadbalancer_id": null}`),
		one("openstack_lb_listener_v2", "l", `{"id": "l-1", "loadbalancer_id": "lb-1"}`),
		one("openstack_lb_loadbalancer_v2", "lb", `{"id": "lb-1"}`),
		one("openstack_identity_role_assignment_v3", "r", `{"id": "/p/g/u/r", "role_id": "role", "user_id": "", "group_id": "grp", "project_id": "prj", "domain_id": null}`),
		one("openstack_dns_recordset_v2", "www", `{"id": "z-1/rs-1", "zone_id": "z-1"}`),
		one("openstack_fw_policy_v2", "wall", `{"id": "fw"}`),
		`{"mode": "data", "type": "openstack_images_image_v2", "name": "debian", `+provider+`, "instances": [{"attributes": {"id": "i"}}]}`,
		`{"mode": "managed", "type": "random_password", "name": "p", "provider": "x", "instances": [{"attributes": {"id": "none", "result": "zyxwvuts"}}]}`,
		`{"mode": "managed", "type": "openstack_blockstorage_volume_v3", "name": "v", `+provider+`, "instances": [{"deposed": "ab12", "attributes": {"id": "v-0"}}, {"attributes": {"id": "v-1"}}]}`,
	))
	if err != nil {
		t.Fatal(err)
	}
	want := `module.web["a.b"].module.vm[1].openstack_compute_instance_v2.node[0] | web-a.b-vm-1-node-0 | Server s-0 [] 
module.web["a.b"].module.vm[1].openstack_compute_instance_v2.node[11] | web-a.b-vm-1-node-11 | Server s-11 [] 
openstack_blockstorage_volume_v3.v | v | Volume  [] the object is deposed, so Terraform will delete it; first apply that with Terraform
openstack_blockstorage_volume_v3.v | v | Volume v-1 [] 
openstack_dns_recordset_v2.www | www | DNSRecordSet z-1/rs-1 [] 
openstack_fw_policy_v2.wall | wall |   [] there is no kind for this type
openstack_identity_role_assignment_v3.r | r | RoleAssignment  [role grp prj] 
openstack_lb_listener_v2.l | l | LoadBalancer lb-1 [] part 
openstack_lb_loadbalancer_v2.lb | lb | LoadBalancer lb-1 [] 
openstack_lb_member_v2.m | m | LoadBalancer lb-1 [] part 
openstack_lb_pool_v2.p | p | LoadBalancer lb-1 [] part 
openstack_networking_floatingip_associate_v2.a | a | FloatingIP f-1 [] part 
openstack_networking_floatingip_v2.f | f | FloatingIP f-1 [] 
openstack_networking_network_v2.front | front | Network n-1 [] 
openstack_networking_portforwarding_v2.pf | pf | PortForwarding f-1/pf-1 [] 
openstack_networking_secgroup_rule_v2.alien | alien | SecurityGroup  [] part the SecurityGroup to which it belongs is not in the state
openstack_networking_secgroup_rule_v2.ssh | ssh | SecurityGroup g-1 [] part 
openstack_networking_secgroup_v2.web["inside \"x\" $${y}"] | web-inside "x" ${y} | SecurityGroup g-1 [] 
openstack_networking_secgroup_v2.web["out"] | web-out | SecurityGroup  [] the object is tainted, so Terraform will replace it; first apply that with Terraform, or untaint the object
`
	if got := shown(list); got != want || others != 1 {
		t.Errorf("got, %d others:\n%s\nwant, 1 other:\n%s", others, got, want)
	}
	moved := map[string]bool{}
	for _, d := range list {
		moved[d.Address] = d.Kind == "Server" || d.Kind == "SecurityGroup" || d.Kind == "Volume"
	}
	lines := strings.Join(Removals(list, moved), "\n")
	if want := `terraform state rm 'module.web["a.b"].module.vm[1].openstack_compute_instance_v2.node'
terraform state rm 'openstack_networking_secgroup_rule_v2.ssh'
terraform state rm 'openstack_networking_secgroup_v2.web["inside \"x\" $${y}"]'`; lines != want {
		t.Errorf("lines:\n%s\nwant:\n%s", lines, want)
	}
}

// TestTerraformParts uses parts of objects. L7 policies and their rules belong to the load balancer of their
// listener, and RBAC policies to the object that they share. Sets of quotas and attachments to hosts stay with
// Terraform, with a reason.
func TestTerraformParts(t *testing.T) {
	list, _, err := Terraform(stateOf(
		one("openstack_lb_l7rule_v2", "path", `{"id": "r-1", "l7policy_id": "p-1", "listener_id": "l-1"}`),
		one("openstack_lb_l7policy_v2", "old", `{"id": "p-1", "listener_id": "l-1", "redirect_pool_id": "pool-1"}`),
		one("openstack_lb_listener_v2", "l", `{"id": "l-1", "loadbalancer_id": "lb-1"}`),
		one("openstack_lb_loadbalancer_v2", "lb", `{"id": "lb-1"}`),
		one("openstack_networking_network_v2", "front", `{"id": "n-1"}`),
		one("openstack_networking_rbac_policy_v2", "others", `{"id": "rbac-1", "action": "access_as_shared", "object_id": "n-1", "object_type": "network", "target_tenant": "x"}`),
		one("openstack_networking_rbac_policy_v2", "outside", `{"id": "rbac-2", "action": "access_as_external", "object_id": "n-1", "object_type": "network", "target_tenant": "x"}`),
		one("openstack_networking_rbac_policy_v2", "wall", `{"id": "rbac-3", "action": "access_as_shared", "object_id": "g-1", "object_type": "security_group", "target_tenant": "x"}`),
		one("openstack_keymanager_secret_v1", "key", `{"id": "s-1", "secret_ref": "https://x/v1/secrets/s-1", "payload": "zyxwvuts"}`),
		one("openstack_compute_quotaset_v2", "q", `{"id": "prj/RegionOne", "project_id": "prj"}`),
		one("openstack_blockstorage_volume_attach_v3", "a", `{"id": "v-1/a-1", "volume_id": "v-1", "data": {"auth_password": "zyxwvuts"}}`),
	))
	if err != nil {
		t.Fatal(err)
	}
	want := `openstack_blockstorage_volume_attach_v3.a | a |   [] it attaches a volume to a host that is not a machine of Nova; no kind can declare that
openstack_compute_quotaset_v2.q | q |   [] ` + quotaStays + `
openstack_keymanager_secret_v1.key | key | BarbicanSecret s-1 [] 
openstack_lb_l7policy_v2.old | old | LoadBalancer lb-1 [] part 
openstack_lb_l7rule_v2.path | path | LoadBalancer lb-1 [] part 
openstack_lb_listener_v2.l | l | LoadBalancer lb-1 [] part 
openstack_lb_loadbalancer_v2.lb | lb | LoadBalancer lb-1 [] 
openstack_networking_network_v2.front | front | Network n-1 [] 
openstack_networking_rbac_policy_v2.others | others | Network n-1 [] part 
openstack_networking_rbac_policy_v2.outside | outside |   [] there is no kind for this type
openstack_networking_rbac_policy_v2.wall | wall | SecurityGroup  [] part the SecurityGroup to which it belongs is not in the state
`
	if got := shown(list); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	lines := strings.Join(Removals(list, map[string]bool{"openstack_lb_loadbalancer_v2.lb": true, "openstack_lb_l7policy_v2.old": true, "openstack_lb_l7rule_v2.path": true}), "\n")
	if want := `terraform state rm 'openstack_lb_l7policy_v2.old'
terraform state rm 'openstack_lb_l7rule_v2.path'
terraform state rm 'openstack_lb_loadbalancer_v2.lb'`; lines != want {
		t.Errorf("lines:\n%s\nwant:\n%s", lines, want)
	}
}

// TestTerraformOrder checks that the order of resources in a state does not matter.
func TestTerraformOrder(t *testing.T) {
	resources := []string{one("openstack_networking_network_v2", "b", `{"id": "1"}`), one("openstack_networking_secgroup_rule_v2", "r", `{"id": "3", "security_group_id": "2"}`), one("openstack_networking_secgroup_v2", "g", `{"id": "2"}`)}
	first, _, err := Terraform(stateOf(resources...))
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(resources)
	if second, _, _ := Terraform(stateOf(resources...)); shown(first) != shown(second) {
		t.Errorf("%s\n%s", shown(first), shown(second))
	}
}

func TestOtherTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "it is empty",
		"PK\x03\x04":                            "no valid JSON",
		`{"version": 3, "modules": []}`:         "does not have version 4",
		`{"version": 5, "resources": []}`:       "does not have version 4",
		`{"version": "4", "resources": 7}`:      "a list is expected",
		`{"resources": []}`:                     "it has no version",
		`[]`:                                    "the value cannot be of type array",
		`{"format_version": "1.0"}`:             "terraform show",
		`{"version": 4, "encrypted_data": "x"}`: "tofu state pull",
		"\xff\xfe{}":                            "not UTF-8",
	} {
		if _, _, err := Terraform([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

// TestRemovalsByTerraform makes Terraform itself remove hostile addresses from a state.
func TestRemovalsByTerraform(t *testing.T) {
	terraform, err := exec.LookPath("terraform")
	if err != nil {
		t.Skip("there is no terraform")
	}
	var instances []string
	for i, k := range hostileKeys {
		instances = append(instances, fmt.Sprintf(`{"index_key": %s, "schema_version": 0, "attributes": {"id": "n-%d"}, "sensitive_attributes": []}`, asJSON(k), i))
	}
	text := stateOf(`{"mode": "managed", "type": "openstack_networking_network_v2", "name": "n", `+provider+`, "instances": [`+strings.Join(instances, ",")+`]}`, one("openstack_networking_router_v2", "stays", `{"id": "x"}`))
	list, _, err := Terraform(text)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "terraform.tfstate"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	moved := map[string]bool{}
	for _, d := range list[1:] {
		moved[d.Address] = d.Kind == "Network"
	}
	for _, line := range Removals(list, moved) {
		run := exec.Command("sh", "-c", line)
		run.Dir, run.Env = dir, []string{"PATH=" + filepath.Dir(terraform) + ":" + os.Getenv("PATH"), "HOME=" + dir, "CHECKPOINT_DISABLE=1"}
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
	left, err := os.ReadFile(filepath.Join(dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	list, _, err = Terraform(left)
	if err != nil || len(list) != 2 {
		t.Errorf("%v, left: %s", err, shown(list))
	}
}
