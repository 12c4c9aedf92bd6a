package takeover

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// heatResource is a line of `openstack stack resource list --long -n 5 -f json`.
type heatResource struct {
	Name   text `json:"resource_name"`
	ID     text `json:"physical_resource_id"`
	Type   text `json:"resource_type"`
	Status text `json:"resource_status"`
	Stack  text `json:"stack_name"`
}

// heatForms contains the types of Heat for which there are kinds.
var heatForms = map[string]string{
	"OS::Neutron::Net": "Network", "OS::Neutron::Subnet": "Subnet", "OS::Neutron::SubnetPool": "SubnetPool", "OS::Neutron::AddressScope": "AddressScope",
	"OS::Neutron::Router": "Router", "OS::Neutron::RouterInterface": "RouterInterface", "OS::Neutron::Port": "Port", "OS::Neutron::SecurityGroup": "SecurityGroup",
	"OS::Neutron::FloatingIP": "FloatingIP", "OS::Neutron::FloatingIPPortForward": "PortForwarding", "OS::Neutron::Trunk": "Trunk", "OS::Neutron::QoSPolicy": "QoSPolicy",
	"OS::Nova::Server": "Server", "OS::Nova::KeyPair": "KeyPair", "OS::Nova::ServerGroup": "ServerGroup", "OS::Nova::Flavor": "Flavor",
	"OS::Cinder::Volume": "Volume", "OS::Cinder::VolumeType": "VolumeType", "OS::Glance::WebImage": "Image",
	"OS::Octavia::LoadBalancer": "LoadBalancer", "OS::Designate::Zone": "DNSZone", "OS::Designate::RecordSet": "DNSRecordSet", "OS::Barbican::Secret": "BarbicanSecret", "OS::Manila::ShareNetwork": "ShareNetwork", "OS::Swift::Container": "SwiftContainer",
	"OS::Keystone::Project": "Project", "OS::Keystone::User": "User", "OS::Keystone::Group": "Group", "OS::Keystone::Role": "Role", "OS::Keystone::Domain": "Domain",
	"OS::Keystone::Service": "Service", "OS::Keystone::Endpoint": "Endpoint",
}

// heatParts contains types of Heat that are parts of objects of a kind. Heat's list does not say to which object
// a part belongs.
var heatParts = map[string]string{
	"OS::Neutron::SecurityGroupRule": "SecurityGroup", "OS::Neutron::FloatingIPAssociation": "FloatingIP", "OS::Neutron::QoSBandwidthLimitRule": "QoSPolicy",
	"OS::Neutron::QoSDscpMarkingRule": "QoSPolicy", "OS::Neutron::QoSMinimumBandwidthRule": "QoSPolicy", "OS::Neutron::QoSMinimumPacketRateRule": "QoSPolicy",
	"OS::Cinder::VolumeAttachment": "Server", "OS::Octavia::Listener": "LoadBalancer", "OS::Octavia::Pool": "LoadBalancer", "OS::Octavia::PoolMember": "LoadBalancer",
	"OS::Octavia::HealthMonitor": "LoadBalancer", "OS::Octavia::L7Policy": "LoadBalancer", "OS::Octavia::L7Rule": "LoadBalancer",
	"OS::Neutron::RBACPolicy": "Network", // or a QoSPolicy: the list does not say which
}

const rolesStay = "the list does not name the users of these roles; write the roles with `export --kind RoleAssignment`, and set deletion_policy: retain so that Heat does not delete them"

// heatStays contains types that are not adopted, or about which the list does not contain enough, with the
// reasons.
var heatStays = map[string]string{
	"OS::Keystone::UserRoleAssignment": rolesStay, "OS::Keystone::GroupRoleAssignment": rolesStay,
	"OS::Nova::Quota": quotaStays, "OS::Cinder::Quota": quotaStays, "OS::Neutron::Quota": quotaStays, "OS::Octavia::Quota": quotaStays,
}

// Heat parses the list of the resources of a stack and of the stacks nested in it. The result is sorted by
// address.
func Heat(encoded []byte) ([]Declared, error) {
	if err := check(encoded); err != nil {
		return nil, err
	}
	var lines []heatResource
	err := each(encoded, func(at int, one *heatResource) error {
		if one.Name == "" || one.Type == "" {
			return fmt.Errorf("resource %d has no resource_name or no resource_type; give the output of `openstack stack resource list --long -n 5 -f json STACK`", at+1)
		}
		lines = append(lines, *one)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the file is not a list of Heat's resources: %w", err)
	}
	if len(lines) == 0 {
		return nil, errors.New("the list has no resources")
	}
	within := map[string]int{} // indexes of lines, by the name that their nested stack would have
	for i, one := range lines {
		within[string(one.Stack+"-"+one.Name)] = i
	}
	list := make([]Declared, 0, len(lines))
	for i := range lines {
		path := heatPath(lines, within, i)
		list = append(list, lines[i].declared(path))
	}
	holds := func(d Declared) bool { return d.group }
	return sorted(slices.DeleteFunc(list, holds)), nil
}

// heatPath returns the names of the resources above a resource, and its own name. The name of a nested stack has
// three parts: the name of the outer stack, the name of the resource in it, and 12 random characters.
func heatPath(lines []heatResource, within map[string]int, i int) (path []string) {
	for range 6 {
		path = append(path, string(lines[i].Name))
		stack := string(lines[i].Stack)
		cut := len(stack) - len("-a1b2c3d4e5f6")
		if cut <= 0 || stack[cut] != '-' {
			break
		}
		above, ok := within[stack[:cut]]
		if !ok || above == i {
			break
		}
		i = above
	}
	slices.Reverse(path)
	return path
}

func (h *heatResource) declared(path []string) Declared {
	d := Declared{Address: strings.Join(path, "."), Name: strings.Join(path, "-"), Kind: heatForms[string(h.Type)], ID: string(h.ID)}
	if of, ok := heatParts[string(h.Type)]; ok {
		d.Kind, d.Part = of, true
	}
	id, router, isInterface := d.ID, "", d.Kind == "RouterInterface"
	if isInterface {
		router, id, isInterface = strings.Cut(d.ID, ":")
	}
	switch port, isPort := strings.CutPrefix(id, "port_id="); {
	case strings.HasPrefix(string(h.Type), "OS::Heat::") || strings.HasSuffix(string(h.Type), ".yaml"):
		d.group = true
	case heatStays[string(h.Type)] != "":
		d.Stays = heatStays[string(h.Type)]
	case d.Kind == "":
		d.Stays = "there is no kind for " + string(h.Type)
	case strings.HasPrefix(string(h.Status), "DELETE"):
		d.Stays = "Heat is deleting the object"
	case d.Part:
		d.ID = ""
	case h.Type == "OS::Barbican::Secret":
		d.ID = d.ID[strings.LastIndexByte(d.ID, '/')+1:] // the last part of an address
	case isInterface && isPort:
		d.ID = port
	case isInterface:
		d.ID, d.Uses = "", []string{router, strings.TrimPrefix(id, "subnet_id=")}
	}
	if d.Stays == "" && !d.Part && len(d.Uses) == 0 && !usable(d.ID) {
		d.ID, d.Stays = "", "the list has no ID for this object"
	}
	return d
}
