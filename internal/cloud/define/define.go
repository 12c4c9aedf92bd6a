// Package define makes kinds: from the table of their fields, from where their service
// has them, and from the few functions that do what is particular to one.
//
// [New] makes one, and [Neutron] one of the network service's own resources. The parts of specs, filters and rules that several
// kinds share are here, too. How services are reached is package cloud's.
package define

// OrcGroup is the API group of the resource kinds: K-ORC's, whose vocabulary
// they speak. WorkloadGroup is that of our own kinds.
const (
	OrcGroup      = "openstack.k-orc.cloud"
	WorkloadGroup = "stackreeve.dev"
)
