package nova

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

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
