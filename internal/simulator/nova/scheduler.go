package nova

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// defaultZone is default_schedule_zone.
const defaultZone = "az-a"

// host is a compute host. Its capacities include the allocation ratios.
type host struct {
	id, name, zone string
	vcpus, ram     int
}

// defaultHosts returns two hosts in one zone and one host in another zone. They are large enough for every test.
// They are too small for one flavor that is absurdly large.
func defaultHosts(cloud *oslo.Cloud) []*host {
	var out []*host
	for _, h := range [][2]string{{"cmp-a1", "az-a"}, {"cmp-a2", "az-a"}, {"cmp-b1", "az-b"}} {
		out = append(out, &host{id: cloud.UUID(), name: h[0], zone: h[1], vcpus: 16_000, ram: 16_000_000})
	}
	return out
}

// zones are the availability zones, in order.
func (n *Nova) zones() []string {
	var out []string
	for _, h := range n.hosts {
		if !slices.Contains(out, h.zone) {
			out = append(out, h.zone)
		}
	}
	return out
}

type load struct{ servers, vcpus, ram, disk int }

func (n *Nova) loads() map[string]load {
	out := map[string]load{}
	for s := range n.servers.All() {
		if s.Host != "" {
			l := out[s.Host]
			out[s.Host] = load{l.servers + 1, l.vcpus + s.Flavor.VCPUs, l.ram + s.Flavor.RAM, l.disk + s.Flavor.Disk}
		}
	}
	return out
}

// pick finds the host with the fewest servers that has enough resources and that the server's group allows. If
// there is none, it returns the scheduler's reason.
func (n *Nova) pick(s *Server) (*host, string) {
	loads := n.loads()
	var roomy, allowed []*host
	for _, h := range n.hosts {
		l := loads[h.name]
		if l.vcpus+s.Flavor.VCPUs <= h.vcpus && l.ram+s.Flavor.RAM <= h.ram {
			roomy = append(roomy, h)
		}
	}
	if len(roomy) == 0 {
		return nil, "No valid host was found. "
	}
	for _, h := range roomy {
		if h.zone == s.Zone && (s.hostAsked == "" || s.hostAsked == h.name) {
			allowed = append(allowed, h)
		}
	}
	allowed = n.byGroup(s, n.byNeighbours(s, allowed))
	if len(allowed) == 0 {
		return nil, "No valid host was found. There are not enough hosts available."
	}
	return slices.MinFunc(allowed, func(a, b *host) int { return loads[a.name].servers - loads[b.name].servers }), ""
}

// byNeighbours returns the hosts that the server's hints allow. (nova/scheduler/filters/affinity_filter.py:
// SameHostFilter, DifferentHostFilter)
func (n *Nova) byNeighbours(s *Server, hosts []*host) []*host {
	on := func(h *host, ids []string) bool {
		return slices.ContainsFunc(ids, func(id string) bool { o, ok := n.servers.Get(id); return ok && o.Host == h.name })
	}
	return slices.DeleteFunc(hosts, func(h *host) bool { return len(s.near) > 0 && !on(h, s.near) || on(h, s.apart) })
}

// byGroup returns the hosts that the policy of the server's group allows. For a soft policy, it returns the best
// hosts.
func (n *Nova) byGroup(s *Server, hosts []*host) []*host {
	g, ok := n.groups.Get(s.group)
	if !ok {
		return hosts
	}
	members := map[string]int{}
	placed := 0
	for _, id := range g.members {
		if m, ok := n.servers.Get(id); ok && m.Host != "" && m != s {
			members[m.Host]++
			placed++
		}
	}
	keep := func(fits func(h *host) bool) []*host {
		var out []*host
		for _, h := range hosts {
			if fits(h) {
				out = append(out, h)
			}
		}
		return out
	}
	most := max(1, g.perHost)
	switch g.Policy {
	case "affinity":
		return keep(func(h *host) bool { return placed == 0 || members[h.name] > 0 })
	case "anti-affinity":
		return keep(func(h *host) bool { return members[h.name] < most })
	case "soft-affinity", "soft-anti-affinity":
		if len(hosts) == 0 {
			return nil
		}
		sign := 1
		if g.Policy == "soft-affinity" {
			sign = -1
		}
		best := slices.MinFunc(hosts, func(a, b *host) int { return sign * (members[a.name] - members[b.name]) })
		return keep(func(h *host) bool { return members[h.name] == members[best.name] })
	}
	return hosts
}

// HostInfo contains the data about a compute host that Placement shows.
type HostInfo struct {
	ID, Name                    string
	VCPUs, RAM, Disk            int // the capacities without allocation ratios
	UsedVCPU, UsedRAM, UsedDisk int
}

// Hosts are the compute hosts, with the resources that their servers use.
func (n *Nova) Hosts() []HostInfo {
	loads, out := n.loads(), []HostInfo{}
	for _, h := range n.hosts {
		l := loads[h.name]
		out = append(out, HostInfo{ID: h.id, Name: h.name, VCPUs: h.vcpus / 16, RAM: h.ram, Disk: 600_000, UsedVCPU: l.vcpus, UsedRAM: l.ram, UsedDisk: l.disk})
	}
	return out
}

// Allocation returns the host of a server, and the resources that the server uses. ok is false if the server has
// no host.
func (n *Nova) Allocation(server string) (host string, vcpus, ram, disk int, ok bool) {
	s, found := n.servers.Get(server)
	if !found || s.Host == "" {
		return "", 0, 0, 0, false
	}
	for _, h := range n.hosts {
		if h.name == s.Host {
			host = h.id
		}
	}
	return host, s.Flavor.VCPUs, s.Flavor.RAM, s.Flavor.Disk, true
}

// ProjectUsage returns the resources that a project's servers use.
func (n *Nova) ProjectUsage(project string) (vcpus, ram, disk int) {
	for s := range n.servers.All() {
		if s.Project == project && s.Host != "" {
			vcpus, ram, disk = vcpus+s.Flavor.VCPUs, ram+s.Flavor.RAM, disk+s.Flavor.Disk
		}
	}
	return vcpus, ram, disk
}
