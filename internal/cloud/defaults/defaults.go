// Package defaults is what a stack's configuration says to the kinds that its
// manifests are written in.
package defaults

// Defaults are what a stack's configuration fills in where manifests are silent
// or use organisation-specific names.
type Defaults struct {
	Network      string            `json:"network,omitempty" doc:"Network of machines and load balancers that name none."`
	VIPNetworks  map[string]string `json:"vipNetworks,omitempty" doc:"LoadBalancer spec.vipType to network name."`
	Regions      map[string]string `json:"regions,omitempty" doc:"spec.region to the cloud's region."`
	Zones        map[string]string `json:"zones,omitempty" doc:"spec.zone to availability zone."`
	ServiceTypes map[string]string `json:"serviceTypes,omitempty" doc:"LoadBalancer spec.serviceType to Octavia flavor; \"\" for none."`
	ImageHosts   []string          `json:"imageHosts,omitempty" doc:"Hosts on private or local addresses that images may be downloaded from. All others must be on public addresses."`
	// Region is the region the stack works in; not configured here but known
	// from the cloud's entry. "" when unknown (validate without a cloud).
	Region string `json:"-"`
}
