package cloud

import (
	"slices"
	"strings"
)

// probeQuestion is one small request that shows changes of some collections of a service.
type probeQuestion struct {
	// path has PROJECT for the project's ID, and SINCE for the time of the last answer. It is empty for the headers of an account.
	path    string
	version string // the microversion that the request needs; "" for none.
	form    form
	shows   []string // paths of the collections whose changes the answer shows; nil for all of the service.
	instead bool     // true if it is asked only for collections that no other question shows.
}

// form says how the answers to a question are compared.
type form int

const (
	since  form = iota // the answer is a list of objects that have changed.
	same               // two answers are equal while nothing changes.
	counts             // the answer has the quotas and their use; the collections are in quotaCollections.
	header             // the headers of a Swift account.
)

// revisions is the query of Neutron's collections. It is limited to the project, because lists also contain shared objects of other projects. The filter changed_since would be
// smaller, but Neutron (seen in Zed) refuses it.
const revisions = "?project_id=PROJECT&fields=id&fields=revision_number" + withLimit

// maxRevisions is the largest number of objects in such a list, and withLimit lets the service send one more. Longer lists are not asked for, because
// services read every object in full.
const (
	maxRevisions = 200
	withLimit    = "&limit=201"
)

// balancers is a list of Octavia's load balancers.
const balancers = "lbaas/loadbalancers?project_id=PROJECT&fields=id&fields=updated_at&fields=provisioning_status"

// questions are the questions for each service. Neutron raises the revision of a parent with its children, so the children need no question. Such
// children are subnets, rules, interfaces, routes, port forwardings, tags and the sharing of networks. A balancer's row also moves with its listeners,
// pools and members.
var questions = map[string][]probeQuestion{
	Compute: {
		{path: "servers?changes-since=SINCE&limit=1", form: since, shows: []string{"servers"}},
	},
	Network: {
		{path: "quotas/PROJECT/details.json", form: counts, shows: []string{"networks", "subnets", "ports", "routers", "floatingips", "security-groups", "subnetpools", "trunks"}, instead: true},
		{path: "security-groups" + revisions, form: same, shows: []string{"security-groups"}},
		{path: "ports" + revisions, form: same, shows: []string{"ports"}},
		{path: "networks" + revisions, form: same, shows: []string{"networks", "subnets"}},
		{path: "floatingips" + revisions, form: same, shows: []string{"floatingips", "port_forwardings"}},
		{path: "routers" + revisions, form: same, shows: []string{"routers"}},
		{path: "trunks" + revisions, form: same, shows: []string{"trunks"}},
		{path: "subnetpools" + revisions, form: same, shows: []string{"subnetpools"}},
		{path: "address-groups" + revisions, form: same, shows: []string{"address-groups"}},
		{path: "qos/policies" + revisions, form: same, shows: []string{"qos/policies"}},
		{path: "address-scopes?project_id=PROJECT&fields=id&fields=name&fields=shared" + withLimit, form: same, shows: []string{"address-scopes"}}, // they have no revision
	},
	BlockStorage: {
		{path: "os-quota-sets/PROJECT?usage=true", form: counts, shows: []string{"volumes", "snapshots", "backups"}},
		{path: "volumes?updated_at=gte:SINCE&limit=1", version: "3.60", form: since, shows: []string{"volumes"}},
	},
	Image: {
		{path: "images?owner=PROJECT&limit=1&sort=updated_at:desc", form: same, shows: []string{"images"}},
	},
	LoadBalancer: { // if there are too many, the newest balancer and the IDs of all: the newest one alone does not show that another one was deleted
		{path: balancers + withLimit, form: same},
		{path: balancers + "&limit=1&sort_key=updated_at&sort_dir=desc", form: same, instead: true},
		{path: "lbaas/loadbalancers?project_id=PROJECT&fields=id", form: same, instead: true},
	},
	DNS: { // with the number of all zones
		{path: "zones?limit=1&sort_key=updated_at&sort_dir=desc", form: same, shows: []string{"zones", "recordsets"}},
	},
	KeyManager: { // with the number of all secrets
		{path: "secrets?limit=1&sort=updated:desc", form: same, shows: []string{"secrets"}},
	},
	ObjectStore: {
		{form: header, shows: []string{"containers"}},
	},
	SharedFileSystem: {
		{path: "share-networks", form: same, shows: []string{"share-networks"}},
	},
}

// quotaCollections are the collections whose objects count against the quotas of Neutron and Cinder. Other quotas stand for all collections of the service.
var quotaCollections = map[string][]string{
	"network": {"networks"}, "subnet": {"subnets", "networks"}, "port": {"ports"}, "router": {"routers"}, "floatingip": {"floatingips", "port_forwardings"},
	"security_group": {"security-groups"}, "security_group_rule": {"security-groups"}, "subnetpool": {"subnetpools"}, "trunk": {"trunks"}, "rbac_policy": {"rbac-policies"},
	"volumes": {"volumes"}, "gigabytes": {"volumes"}, "snapshots": {"snapshots"}, "backups": {"backups"}, "backup_gigabytes": {"backups"},
}

// worth reports whether the answer shows changes of a collection that matters.
func (q *probeQuestion) worth(service string, matter map[string]bool) bool {
	return len(among(matter, service, q.shows)) > 0
}

// among returns the collections of the set that have these paths, in order. nil stands for all paths of the service.
func among(set map[string]bool, service string, paths []string) (list []string) {
	for name := range set {
		if path, ok := strings.CutPrefix(name, service+"/"); ok && (paths == nil || slices.Contains(paths, path)) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// lacks reports whether a collection that the question shows matters, and no question in list shows it.
func (q *probeQuestion) lacks(service string, matter map[string]bool, list []*probeQuestion) bool {
	return slices.ContainsFunc(among(matter, service, q.shows), func(name string) bool {
		return !slices.ContainsFunc(list, func(other *probeQuestion) bool { return other.worth(service, map[string]bool{name: true}) })
	})
}
