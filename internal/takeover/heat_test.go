package takeover

import (
	"strings"
	"testing"
)

func TestHeat(t *testing.T) {
	list, err := Heat([]byte(`[
		{"resource_name": "net", "physical_resource_id": "n-1", "resource_type": "OS::Neutron::Net", "resource_status": "CREATE_COMPLETE", "updated_time": "x", "stack_name": "shop"},
		{"resource_name": "group", "physical_resource_id": "stack-1", "resource_type": "OS::Heat::ResourceGroup", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "0", "physical_resource_id": "stack-2", "resource_type": "file:///vm.yaml", "resource_status": "CREATE_COMPLETE", "stack_name": "shop-group-a1b2c3d4e5f6"},
		{"resource_name": "server", "physical_resource_id": "s-1", "resource_type": "OS::Nova::Server", "resource_status": "CREATE_COMPLETE", "stack_name": "shop-group-a1b2c3d4e5f6-0-f6e5d4c3b2a1"},
		{"resource_name": "way", "physical_resource_id": "r-1:subnet_id=s-1", "resource_type": "OS::Neutron::RouterInterface", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "way2", "physical_resource_id": "r-1:port_id=p-1", "resource_type": "OS::Neutron::RouterInterface", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "attached", "physical_resource_id": "a-1", "resource_type": "OS::Cinder::VolumeAttachment", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "gone", "physical_resource_id": "v-1", "resource_type": "OS::Cinder::Volume", "resource_status": "DELETE_FAILED", "stack_name": "shop"},
		{"resource_name": "none", "physical_resource_id": "", "resource_type": "OS::Cinder::Volume", "resource_status": "INIT_COMPLETE", "stack_name": "shop"},
		{"resource_name": "www", "physical_resource_id": "rs-1", "resource_type": "OS::Designate::RecordSet", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "ssh", "physical_resource_id": "pf-1", "resource_type": "OS::Neutron::FloatingIPPortForward", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "key", "physical_resource_id": "https://x:9311/v1/secrets/k-1", "resource_type": "OS::Barbican::Secret", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "old", "physical_resource_id": "p-1", "resource_type": "OS::Octavia::L7Policy", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "path", "physical_resource_id": "r-1", "resource_type": "OS::Octavia::L7Rule", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "share", "physical_resource_id": "rbac-1", "resource_type": "OS::Neutron::RBACPolicy", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "role", "physical_resource_id": "", "resource_type": "OS::Keystone::UserRoleAssignment", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "quota", "physical_resource_id": "q", "resource_type": "OS::Nova::Quota", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"},
		{"resource_name": "wall", "physical_resource_id": "f-1", "resource_type": "OS::Neutron::Firewall", "resource_status": "CREATE_COMPLETE", "stack_name": "shop"}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := `attached | attached | Server  [] part 
gone | gone | Volume v-1 [] Heat is deleting the object
group.0.server | group-0-server | Server s-1 [] 
key | key | BarbicanSecret k-1 [] 
net | net | Network n-1 [] 
none | none | Volume  [] the list has no ID for this object
old | old | LoadBalancer  [] part 
path | path | LoadBalancer  [] part 
quota | quota |  q [] ` + quotaStays + `
role | role |   [] ` + rolesStay + `
share | share | Network  [] part 
ssh | ssh | PortForwarding pf-1 [] 
wall | wall |  f-1 [] there is no kind for OS::Neutron::Firewall
way | way | RouterInterface  [r-1 s-1] 
way2 | way2 | RouterInterface p-1 [] 
www | www | DNSRecordSet rs-1 [] 
`
	if got := shown(list); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestAttackHeat(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                       "a list is expected",
		`[]`:                       "no resources",
		`[7]`:                      "cannot be of type number",
		`[{"resource_name": "a"}]`: "resource 1 has no resource_name or no resource_type",
		`[{"resource_name": {}, "resource_type": 7}]`: "resource 1 has no resource_name or no resource_type",
		`[{}` + strings.Repeat(",{}", 200_000) + `]`:  "resource 1 has no",
		strings.Repeat("[", 100_000):                  "no valid JSON",
	} {
		if _, err := Heat([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50s: %v; want %q", text, err, want)
		}
	}
	// Stacks that contain each other do not cause an endless path.
	list, err := Heat([]byte(`[{"resource_name": "a", "physical_resource_id": "1", "resource_type": "OS::Neutron::Net", "stack_name": "s-b-a1b2c3d4e5f6"},
		{"resource_name": "b", "physical_resource_id": "2\n", "resource_type": "OS::Neutron::Net", "stack_name": "s-b-a1b2c3d4e5f6-a-a1b2c3d4e5f6"},
		{"resource_name": "x-a1b2c3d4e5f6", "physical_resource_id": "x:` + strings.Repeat("y", 100) + `", "resource_type": "OS::Neutron::RouterInterface", "stack_name": ""}]`))
	if err != nil || len(list) != 3 {
		t.Errorf("%v %v", list, err)
	}
}
