package takeover

// attributes contains the attributes that identify the object of a resource, or the object to which the resource
// belongs.
type attributes struct {
	ID           text `json:"id"`
	Group        text `json:"security_group_id"`
	Subnet       text `json:"subnet_id"`
	Port         text `json:"port_id"`
	FloatingIP   text `json:"floatingip_id"`
	Policy       text `json:"qos_policy_id"`
	Instance     text `json:"instance_id"`
	LoadBalancer text `json:"loadbalancer_id"`
	Listener     text `json:"listener_id"`
	L7Policy     text `json:"l7policy_id"`
	Pool         text `json:"pool_id"`
	Role         text `json:"role_id"`
	User         text `json:"user_id"`
	UserGroup    text `json:"group_id"`
	Project      text `json:"project_id"`
	Domain       text `json:"domain_id"`
	Object       text `json:"object_id"`
	ObjectType   text `json:"object_type"`
	Action       text `json:"action"`
}

// form describes a type of resource.
type form struct {
	kind string
	// of returns the kind, if it depends on the resource. It returns "" if there is none.
	of func(*attributes) string
	// stays is the reason why no resource of the type is adopted.
	stays string
	// id returns the ID in the cloud, if it differs from the resource's ID.
	id func(*attributes) string
	// uses returns the IDs of the used objects, for objects whose ID is not in the state.
	uses func(*attributes) []text
	// parent returns the ID of the object, or of another part, to which the resource belongs.
	parent func(*attributes) text
}

// forms contains the types of Terraform's provider for which there are kinds.
var forms = map[string]form{
	"openstack_networking_network_v2":          {kind: "Network"},
	"openstack_networking_subnet_v2":           {kind: "Subnet"},
	"openstack_networking_subnet_route_v2":     {kind: "Subnet", parent: func(a *attributes) text { return a.Subnet }},
	"openstack_networking_subnetpool_v2":       {kind: "SubnetPool"},
	"openstack_networking_addressscope_v2":     {kind: "AddressScope"},
	"openstack_networking_address_group_v2":    {kind: "AddressGroup"},
	"openstack_networking_router_v2":           {kind: "Router"},
	"openstack_networking_router_interface_v2": {kind: "RouterInterface"},
	"openstack_networking_port_v2":             {kind: "Port"},
	"openstack_networking_port_secgroup_associate_v2": {
		kind: "Port", parent: func(a *attributes) text { return a.Port }},
	"openstack_networking_secgroup_v2":      {kind: "SecurityGroup"},
	"openstack_networking_secgroup_rule_v2": {kind: "SecurityGroup", parent: func(a *attributes) text { return a.Group }},
	"openstack_networking_floatingip_v2":    {kind: "FloatingIP"},
	"openstack_networking_floatingip_associate_v2": {
		kind: "FloatingIP", parent: func(a *attributes) text { return a.ID }},
	"openstack_networking_portforwarding_v2": {
		kind: "PortForwarding", id: func(a *attributes) string { return string(a.FloatingIP + "/" + a.ID) }},
	"openstack_networking_trunk_v2": {kind: "Trunk"},
	"openstack_networking_rbac_policy_v2": {
		of: shared, parent: func(a *attributes) text { return a.Object }},
	"openstack_networking_quota_v2":                        {stays: quotaStays},
	"openstack_networking_qos_policy_v2":                   {kind: "QoSPolicy"},
	"openstack_networking_qos_bandwidth_limit_rule_v2":     {kind: "QoSPolicy", parent: ofPolicy},
	"openstack_networking_qos_dscp_marking_rule_v2":        {kind: "QoSPolicy", parent: ofPolicy},
	"openstack_networking_qos_minimum_bandwidth_rule_v2":   {kind: "QoSPolicy", parent: ofPolicy},
	"openstack_networking_qos_minimum_packet_rate_rule_v2": {kind: "QoSPolicy", parent: ofPolicy},

	"openstack_compute_instance_v2":         {kind: "Server"},
	"openstack_compute_volume_attach_v2":    {kind: "Server", parent: ofServer},
	"openstack_compute_interface_attach_v2": {kind: "Server", parent: ofServer},
	"openstack_compute_keypair_v2":          {kind: "KeyPair"},
	"openstack_compute_servergroup_v2":      {kind: "ServerGroup"},
	"openstack_compute_flavor_v2":           {kind: "Flavor"},
	"openstack_compute_quotaset_v2":         {stays: quotaStays},

	"openstack_blockstorage_volume_v2":      {kind: "Volume"},
	"openstack_blockstorage_volume_v3":      {kind: "Volume"},
	"openstack_blockstorage_volume_type_v3": {kind: "VolumeType"},
	"openstack_blockstorage_quotaset_v2":    {stays: quotaStays},
	"openstack_blockstorage_quotaset_v3":    {stays: quotaStays},
	"openstack_blockstorage_volume_attach_v3": {
		stays: "it attaches a volume to a host that is not a machine of Nova; no kind can declare that"},
	"openstack_images_image_v2": {kind: "Image"},

	"openstack_lb_loadbalancer_v2": {kind: "LoadBalancer"},
	"openstack_lb_listener_v2":     {kind: "LoadBalancer", parent: func(a *attributes) text { return a.LoadBalancer }},
	"openstack_lb_pool_v2":         {kind: "LoadBalancer", parent: ofBalancer},
	"openstack_lb_member_v2":       {kind: "LoadBalancer", parent: ofPool},
	"openstack_lb_members_v2":      {kind: "LoadBalancer", parent: ofPool},
	"openstack_lb_monitor_v2":      {kind: "LoadBalancer", parent: ofPool},
	"openstack_lb_l7policy_v2":     {kind: "LoadBalancer", parent: func(a *attributes) text { return a.Listener }},
	"openstack_lb_l7rule_v2":       {kind: "LoadBalancer", parent: func(a *attributes) text { return a.L7Policy }},
	"openstack_lb_quota_v2":        {stays: quotaStays},

	"openstack_dns_zone_v2":      {kind: "DNSZone"},
	"openstack_dns_recordset_v2": {kind: "DNSRecordSet"}, // its ID contains the ID of the zone, as our ID does

	"openstack_keymanager_secret_v1": {kind: "BarbicanSecret"},

	"openstack_sharedfilesystem_sharenetwork_v2": {kind: "ShareNetwork"},
	"openstack_objectstorage_container_v1":       {kind: "SwiftContainer"}, // its ID is its name

	"openstack_identity_project_v3":                {kind: "Project"},
	"openstack_identity_user_v3":                   {kind: "User"},
	"openstack_identity_group_v3":                  {kind: "Group"},
	"openstack_identity_role_v3":                   {kind: "Role"},
	"openstack_identity_role_assignment_v3":        {kind: "RoleAssignment", uses: func(a *attributes) []text { return []text{a.Role, a.User, a.UserGroup, a.Project, a.Domain} }},
	"openstack_identity_service_v3":                {kind: "Service"},
	"openstack_identity_endpoint_v3":               {kind: "Endpoint"},
	"openstack_identity_application_credential_v3": {kind: "ApplicationCredential"},
}

// quotaStays is the reason why sets of quotas are not adopted: see the kind Quota.
const quotaStays = "a set of quotas has no mark, so it cannot be adopted; write a Quota with the same limits, and remove this resource after a stack has applied the Quota"

// sharedKinds contains the kinds with the field sharedWith, by Neutron's names of their objects in RBAC
// policies.
var sharedKinds = map[text]string{
	"network": "Network", "security_group": "SecurityGroup", "qos_policy": "QoSPolicy", "address_group": "AddressGroup", "address_scope": "AddressScope", "subnetpool": "SubnetPool",
}

// shared returns the kind whose manifests contain an RBAC policy as sharedWith or shared. Manifests do not
// declare who may use a network as an external network.
func shared(a *attributes) string {
	if a.Action != "access_as_shared" {
		return ""
	}
	return sharedKinds[a.ObjectType]
}

func ofPolicy(a *attributes) text { return a.Policy }
func ofServer(a *attributes) text { return a.Instance }
func ofPool(a *attributes) text   { return a.Pool }

// ofBalancer returns the parent of a pool: the load balancer itself, or one of its listeners.
func ofBalancer(a *attributes) text {
	if a.LoadBalancer != "" {
		return a.LoadBalancer
	}
	return a.Listener
}

// Kinds returns the names of all kinds for which other tools have types, unsorted.
func Kinds() (names []string) {
	for _, of := range forms {
		if of.kind != "" {
			names = append(names, of.kind)
		}
	}
	for _, name := range sharedKinds {
		names = append(names, name)
	}
	for _, list := range []map[string]string{heatForms, heatParts} {
		for _, name := range list {
			names = append(names, name)
		}
	}
	return names
}
