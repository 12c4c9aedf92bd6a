// Package define makes kinds: from the table of their fields, from the paths at their service, and from a few functions for the
// special parts of each.
//
// [New] makes a kind, and [Neutron] a kind of the network service's own resources. The parts of specs, filters and rules that
// several kinds share are here, too. Package cloud talks to the services.
package define

// OrcGroup is the API group of the resource kinds: that of K-ORC, whose vocabulary they use. WorkloadGroup is the group of our
// own kinds.
const (
	OrcGroup      = "openstack.k-orc.cloud"
	WorkloadGroup = "stackreeve.dev"
)
