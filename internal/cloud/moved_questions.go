package cloud

import (
	"slices"
)

// probeQuestion is one small request that shows changes of some collections of a service.
type probeQuestion struct {
	path    string // PROJECT stands for the project's ID, SINCE for the time of the last answer. For the headers of an account it is empty.
	version string // the microversion that the request needs; "" for none
	form    form
	nouns   []string // the service's own nouns for the objects whose changes it shows, as in events.Look; anything for all of the service
	// kinds are the kinds for which it is worth asking; nil for every kind that needs the service.
	kinds   []string
	instead bool // asked only if the service does not answer another question, or for kinds without one
}

// anything is the noun for any object of a service. A balancer's row also moves with its listeners, pools and members.
const anything = ""

// form says how the answers to a question are compared.
type form int

const (
	since  form = iota // the answer is a list of objects that have changed.
	same               // two answers are equal while nothing changes.
	counts             // the answer has the quotas and their use; the nouns are in quotaNouns.
	header             // the headers of a Swift account.
)

// machines are the kinds that consist of servers with ports.
var machines = []string{"Server", "VirtualMachine", "VirtualMachineGroup", "EtcdCluster", "EtcdMember", "M3DBCluster", "M3DBInstance"}

// revisions is the query of Neutron's collections. It is limited to the project, because lists also contain shared objects of other projects. The filter changed_since would be
// smaller, but Neutron (seen in Zed) refuses it.
const revisions = "?project_id=PROJECT&fields=id&fields=revision_number&limit=201"

// maxRevisions is the largest number of objects in such a list. Longer lists are not asked for again, because Neutron reads every object in full.
const maxRevisions = 200

// questions are the questions for each service. Neutron raises the revision of a parent with its children, so the children need no question. Subnets,
// rules, interfaces, routes, port forwardings and tags are such children.
var questions = map[string][]probeQuestion{
	Compute: {
		{path: "servers?changes-since=SINCE&limit=1", form: since, nouns: []string{"server"}, kinds: append([]string{"ServerGroup"}, machines...)},
	},
	Network: {
		{path: "quotas/PROJECT/details.json", form: counts, nouns: []string{anything}, instead: true},
		{path: "security-groups" + revisions, form: same, nouns: []string{"security_group"}, kinds: []string{"SecurityGroup"}},
		{path: "ports" + revisions, form: same, nouns: []string{"port"}, kinds: append([]string{"Port", "RouterInterface", "LoadBalancer"}, machines...)},
		{path: "networks" + revisions, form: same, nouns: []string{"network", "subnet"}, kinds: []string{"Network", "Subnet"}},
		{path: "floatingips" + revisions, form: same, nouns: []string{"floatingip", "port_forwarding"}, kinds: append([]string{"FloatingIP", "PortForwarding", "LoadBalancer"}, machines...)},
		{path: "routers" + revisions, form: same, nouns: []string{"router", "router_interface"}, kinds: []string{"Router", "RouterInterface"}},
		{path: "trunks" + revisions, form: same, nouns: []string{"trunk"}, kinds: []string{"Trunk"}},
		{path: "subnetpools" + revisions, form: same, nouns: []string{"subnetpool"}, kinds: []string{"SubnetPool"}},
		{path: "address-groups" + revisions, form: same, nouns: []string{"address_group"}, kinds: []string{"AddressGroup"}},
		{path: "qos/policies" + revisions, form: same, nouns: []string{"qos_policy"}, kinds: []string{"QoSPolicy"}},
	},
	BlockStorage: {
		{path: "os-quota-sets/PROJECT?usage=true", form: counts, nouns: []string{anything}},
		{path: "volumes?updated_at=gte:SINCE&limit=1", version: "3.60", form: since, nouns: []string{"volume"}, kinds: append([]string{"Volume"}, machines...)},
	},
	Image: {
		{path: "images?owner=PROJECT&limit=1&sort=updated_at:desc", form: same, nouns: []string{"image"}},
	},
	LoadBalancer: { // without the first question, a deleted balancer would show only if it was the newest
		{path: "lbaas/loadbalancers?project_id=PROJECT&fields=id", form: same, nouns: []string{anything}},
		{path: "lbaas/loadbalancers?project_id=PROJECT&limit=1&sort_key=updated_at&sort_dir=desc&fields=id&fields=updated_at&fields=provisioning_status", form: same, nouns: []string{anything}},
	},
	DNS: { // with the number of all zones
		{path: "zones?limit=1&sort_key=updated_at&sort_dir=desc", form: same, nouns: []string{"zone", "recordset"}},
	},
	KeyManager: { // with the number of all secrets
		{path: "secrets?limit=1&sort=updated:desc", form: same, nouns: []string{"secret"}},
	},
	ObjectStore: {
		{form: header, nouns: []string{"container"}, kinds: []string{"SwiftContainer"}},
	},
	SharedFileSystem: {
		{path: "share-networks", form: same, nouns: []string{"share_network"}},
	},
}

// quotaNouns are the nouns for the quotas of Neutron and Cinder. Other quotas stand for any object of the service.
var quotaNouns = map[string]string{
	"network": "network", "subnet": "subnet", "port": "port", "router": "router", "floatingip": "floatingip", "security_group": "security_group",
	"security_group_rule": "security_group", "subnetpool": "subnetpool", "trunk": "trunk", "rbac_policy": "rbac_policy",
	"volumes": "volume", "gigabytes": "volume", "snapshots": "snapshot", "backups": "backup", "backup_gigabytes": "backup",
}

// worth reports whether stacks with objects of these kinds need the question.
func (q *probeQuestion) worth(service string, kinds map[string]string) bool {
	for kind, of := range kinds {
		if q.kinds == nil && of == service || slices.Contains(q.kinds, kind) {
			return true
		}
	}
	return false
}

// lacking reports whether a kind needs the service, and no question of its own is about it.
func lacking(service string, kinds map[string]string) bool {
	for kind, of := range kinds {
		about := func(q probeQuestion) bool { return slices.Contains(q.kinds, kind) }
		if of == service && !slices.ContainsFunc(questions[service], about) {
			return true
		}
	}
	return false
}

// used returns the nouns without those that only concern kinds that no stack has.
func used(service string, nouns []string, kinds map[string]string) []string {
	return slices.DeleteFunc(nouns, func(noun string) bool {
		asked := false // a question of its own is about the noun
		for i := range questions[service] {
			if q := &questions[service][i]; q.form != counts && slices.Contains(q.nouns, noun) {
				if q.worth(service, kinds) {
					return false
				}
				asked = true
			}
		}
		return asked
	})
}
