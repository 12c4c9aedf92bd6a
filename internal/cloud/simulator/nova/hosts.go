package nova

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/simulator/oslo"
)

// defaultZone is default_schedule_zone.
const defaultZone = "az-a"

// host is a compute host; capacities count the allocation ratios in.
type host struct {
	id, name, zone string
	vcpus, ram     int
}

// defaultHosts are two hosts in one zone and one in another, large enough for
// every test but small enough to be overfilled by one absurd flavor.
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

// pick finds the host with the least servers that has room and that the
// server's group allows; without one it tells why, as the scheduler does.
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
	allowed = n.byGroup(s, allowed)
	if len(allowed) == 0 {
		return nil, "No valid host was found. There are not enough hosts available."
	}
	return slices.MinFunc(allowed, func(a, b *host) int { return loads[a.name].servers - loads[b.name].servers }), ""
}

// byGroup keeps the hosts that the policy of the server's group allows; soft
// policies keep the best ones.
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

func (n *Nova) addHosts() {
	n.handle("GET /v2.1/os-availability-zone", 1, n.listZones(false))
	n.handle("GET /v2.1/os-availability-zone/detail", 1, n.listZones(true))
	n.handle("GET /v2.1/os-services", 1, n.listServices)
	n.handle("GET /v2.1/os-hypervisors", 1, n.listHypervisors(false))
	n.handle("GET /v2.1/os-hypervisors/detail", 1, n.listHypervisors(true))
	n.handle("GET /v2.1/os-hypervisors/{id}", 1, n.showHypervisor)
	n.handleUntil("GET /v2.1/os-hypervisors/statistics", 1, 87, n.hypervisorStatistics)
	n.handle("GET /v2.1/os-aggregates", 1, n.listAggregates)
	n.handle("GET /v2.1/extensions", 1, func(*call) (*oslo.Response, error) {
		return oslo.OK(map[string]any{"extensions": []any{}}), nil
	})
}

func (n *Nova) listZones(detail bool) handler {
	return func(c *call) (*oslo.Response, error) {
		if detail && !c.Caller.Admin() {
			return nil, disallowed("os-availability-zone:detail")
		}
		list := []any{}
		for _, zone := range n.zones() {
			var hosts any
			if detail {
				byName := map[string]any{}
				for _, h := range n.hosts {
					if h.zone == zone {
						byName[h.name] = map[string]any{"nova-compute": map[string]any{"available": true, "active": true, "updated_at": oslo.StampMicro(c.Now)}}
					}
				}
				hosts = byName
			}
			list = append(list, map[string]any{"zoneName": zone, "zoneState": map[string]bool{"available": true}, "hosts": hosts})
		}
		return oslo.OK(map[string]any{"availabilityZoneInfo": list}), nil
	}
}

func (n *Nova) listServices(c *call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, disallowed("os-services:list")
	}
	list := []any{}
	add := func(binary, hostName, zone string) {
		if q := c.Query(); q.Has("binary") && q.Get("binary") != binary || q.Has("host") && q.Get("host") != hostName {
			return
		}
		var id any = len(list) + 1
		if c.minor >= 53 {
			id = fmt.Sprintf("00000000-0000-4000-8000-%012d", len(list)+1)
		}
		v := map[string]any{"id": id, "binary": binary, "host": hostName, "zone": zone, "status": "enabled", "state": "up",
			"updated_at": oslo.StampMicro(c.Now), "disabled_reason": nil}
		if c.minor >= 11 {
			v["forced_down"] = false
		}
		list = append(list, v)
	}
	add("nova-conductor", "control", "internal")
	add("nova-scheduler", "control", "internal")
	for _, h := range n.hosts {
		add("nova-compute", h.name, h.zone)
	}
	return oslo.OK(map[string]any{"services": list}), nil
}

func (n *Nova) hypervisor(c *call, at int, l load, detail bool) map[string]any {
	h := n.hosts[at]
	var id any = at + 1
	if c.minor >= 53 {
		id = h.id
	}
	v := map[string]any{"id": id, "hypervisor_hostname": h.name, "state": "up", "status": "enabled"}
	if !detail {
		return v
	}
	v["hypervisor_type"], v["hypervisor_version"], v["host_ip"] = "fake", 1000, "127.0.0.1"
	v["service"] = map[string]any{"id": id, "host": h.name, "disabled_reason": nil}
	if c.minor >= 88 {
		v["uptime"], v["servers"] = nil, []any{}
		return v
	}
	v["vcpus"], v["vcpus_used"], v["running_vms"] = h.vcpus/16, l.vcpus, l.servers
	v["memory_mb"], v["memory_mb_used"], v["free_ram_mb"] = h.ram, l.ram, h.ram-l.ram
	v["local_gb"], v["local_gb_used"], v["free_disk_gb"], v["disk_available_least"] = 600_000, l.disk, 600_000-l.disk, 600_000-l.disk
	v["current_workload"], v["cpu_info"] = 0, ""
	if c.minor >= 28 {
		v["cpu_info"] = map[string]any{}
	}
	return v
}

func (n *Nova) listHypervisors(detail bool) handler {
	return func(c *call) (*oslo.Response, error) {
		if !c.Caller.Admin() {
			return nil, disallowed("os-hypervisors:list")
		}
		loads, list := n.loads(), []any{}
		for at, h := range n.hosts {
			list = append(list, n.hypervisor(c, at, loads[h.name], detail))
		}
		return oslo.OK(map[string]any{"hypervisors": list}), nil
	}
}

func (n *Nova) showHypervisor(c *call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, disallowed("os-hypervisors:show")
	}
	loads := n.loads()
	for at, h := range n.hosts {
		if id := c.PathValue("id"); id == h.id || c.minor < 53 && id == fmt.Sprint(at+1) {
			return oslo.OK(map[string]any{"hypervisor": n.hypervisor(c, at, loads[h.name], true)}), nil
		}
	}
	return nil, notFound("Hypervisor with ID '%s' could not be found.", c.PathValue("id"))
}

func (n *Nova) hypervisorStatistics(c *call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, disallowed("os-hypervisors:statistics")
	}
	sum := map[string]int{"count": len(n.hosts)}
	loads := n.loads()
	for at, h := range n.hosts {
		for key, v := range n.hypervisor(&call{c.Call, 1}, at, loads[h.name], true) {
			if number, ok := v.(int); ok && key != "id" && key != "hypervisor_version" {
				sum[key] += number
			}
		}
	}
	return oslo.OK(map[string]any{"hypervisor_statistics": sum}), nil
}

func (n *Nova) listAggregates(c *call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, disallowed("os-aggregates:index")
	}
	list := []any{}
	for i, zone := range n.zones() {
		names := []string{}
		for _, h := range n.hosts {
			if h.zone == zone {
				names = append(names, h.name)
			}
		}
		list = append(list, map[string]any{"id": i + 1, "name": zone, "availability_zone": zone, "hosts": names, "metadata": map[string]string{"availability_zone": zone},
			"created_at": oslo.StampMicro(c.Now), "updated_at": nil, "deleted_at": nil, "deleted": false})
	}
	return oslo.OK(map[string]any{"aggregates": list}), nil
}

// HostInfo is what Placement tells about a compute host.
type HostInfo struct {
	ID, Name                    string
	VCPUs, RAM, Disk            int // without allocation ratios
	UsedVCPU, UsedRAM, UsedDisk int
}

// Hosts are the compute hosts with what their servers use.
func (n *Nova) Hosts() []HostInfo {
	loads, out := n.loads(), []HostInfo{}
	for _, h := range n.hosts {
		l := loads[h.name]
		out = append(out, HostInfo{ID: h.id, Name: h.name, VCPUs: h.vcpus / 16, RAM: h.ram, Disk: 600_000, UsedVCPU: l.vcpus, UsedRAM: l.ram, UsedDisk: l.disk})
	}
	return out
}

// Allocation is what a live server uses and where; false for one that is not placed.
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

// ProjectUsage is what a project's servers use.
func (n *Nova) ProjectUsage(project string) (vcpus, ram, disk int) {
	for s := range n.servers.All() {
		if s.Project == project && s.Host != "" {
			vcpus, ram, disk = vcpus+s.Flavor.VCPUs, ram+s.Flavor.RAM, disk+s.Flavor.Disk
		}
	}
	return vcpus, ram, disk
}
