package nova

import (
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// quotaNames are the resources of a quota set. until is the microversion that removed the resource, or zero.
var quotaNames = []struct {
	name  string
	until int
	limit int
}{
	{"cores", 0, -1}, {"fixed_ips", 36, -1}, {"floating_ips", 36, -1}, {"injected_file_content_bytes", 57, 10240}, {"injected_file_path_bytes", 57, 255},
	{"injected_files", 57, -1}, {"instances", 0, -1}, {"key_pairs", 0, -1}, {"metadata_items", 0, -1}, {"ram", 0, -1}, {"security_group_rules", 36, -1},
	{"security_groups", 36, -1}, {"server_group_members", 0, -1}, {"server_groups", 0, -1},
}

// defaultQuotas returns the limits of a project for which an administrator has set none.
func defaultQuotas() map[string]int {
	out := map[string]int{}
	for _, q := range quotaNames {
		out[q.name] = q.limit
	}
	return out
}

// usage counts the objects of a project.
type usage struct{ instances, cores, ram, groups int }

func (n *Nova) usage(project string) usage {
	var u usage
	for s := range n.servers.All() {
		if s.Project == project {
			u.instances++
			u.cores += s.Flavor.VCPUs
			u.ram += s.Flavor.RAM
		}
	}
	for g := range n.groups.All() {
		if g.Project == project {
			u.groups++
		}
	}
	return u
}

func (u usage) of(name string) int {
	switch name {
	case "instances":
		return u.instances
	case "cores":
		return u.cores
	case "ram":
		return u.ram
	case "server_groups":
		return u.groups
	}
	return 0
}

// room returns how many of the requested servers fit the quota
// (nova/compute/utils.py: check_num_instances_quota).
func (n *Nova) room(c *call, s *Server, least, most int) (int, error) {
	if limit := n.quotas.Limit(s.Project, "metadata_items"); limit >= 0 && len(s.Metadata) > limit {
		return 0, forbidden("Maximum number of metadata items exceeds %d", limit)
	}
	total := most
	for ; total >= least; total-- {
		if len(n.over(s.Project, total, &s.Flavor)) == 0 {
			return total, nil
		}
	}
	return 0, n.exceeded(s.Project, least, &s.Flavor)
}

func (n *Nova) over(project string, number int, f *Flavor) []string {
	u := n.usage(project)
	asked := usage{instances: number, cores: number * f.VCPUs, ram: number * f.RAM}
	var out []string
	for _, name := range []string{"cores", "instances", "ram"} {
		if limit := n.quotas.Limit(project, name); limit >= 0 && asked.of(name) > 0 && u.of(name)+asked.of(name) > limit {
			out = append(out, name)
		}
	}
	return out
}

func (n *Nova) exceeded(project string, number int, f *Flavor) error {
	names := n.over(project, number, f)
	u, asked := n.usage(project), usage{instances: number, cores: number * f.VCPUs, ram: number * f.RAM}
	var req, used, limits []string
	for _, name := range names {
		req = append(req, strconv.Itoa(asked.of(name)))
		used = append(used, strconv.Itoa(u.of(name)))
		limits = append(limits, strconv.Itoa(n.quotas.Limit(project, name)))
	}
	join := func(list []string) string { return strings.Join(list, ", ") }
	return forbidden("Quota exceeded for %[1]s: Requested %[2]s, but already used %[3]s of %[4]s %[1]s", join(names), join(req), join(used), join(limits))
}

// SetQuota sets the limit of a project for a resource; -1 means no limit.
func (n *Nova) SetQuota(project, name string, limit int) { n.quotas.Set(project, name, limit) }

func (n *Nova) addQuotas() {
	n.handle("GET /v2.1/limits", 1, n.showLimits)
	n.handle("GET /v2.1/os-quota-sets/{id}", 1, n.showQuota)
	n.handle("GET /v2.1/os-quota-sets/{id}/detail", 1, n.detailQuota)
	n.handle("GET /v2.1/os-quota-sets/{id}/defaults", 1, n.defaultQuota)
	n.handle("PUT /v2.1/os-quota-sets/{id}", 1, n.setQuota)
	n.handle("DELETE /v2.1/os-quota-sets/{id}", 1, n.deleteQuota)
}

func quotaSet(c *call, value func(name string, limit int) any) map[string]any {
	out := map[string]any{}
	for _, q := range quotaNames {
		if q.until == 0 || c.minor < q.until {
			out[q.name] = value(q.name, q.limit)
		}
	}
	return out
}

func mayReadQuota(c *call, action string) error {
	if !c.Caller.Manages() && c.PathValue("id") != c.Caller.ProjectID {
		return disallowed("os-quota-sets:" + action)
	}
	return nil
}

func (n *Nova) showQuota(c *call) (*oslo.Response, error) {
	if err := mayReadQuota(c, "show"); err != nil {
		return nil, err
	}
	project := c.PathValue("id")
	set := quotaSet(c, func(name string, _ int) any { return n.quotas.Limit(project, name) })
	set["id"] = project
	return oslo.OK(map[string]any{"quota_set": set}), nil
}

func (n *Nova) detailQuota(c *call) (*oslo.Response, error) {
	if err := mayReadQuota(c, "detail"); err != nil {
		return nil, err
	}
	project := c.PathValue("id")
	u := n.usage(project)
	set := quotaSet(c, func(name string, _ int) any {
		return map[string]int{"limit": n.quotas.Limit(project, name), "in_use": u.of(name), "reserved": 0}
	})
	set["id"] = project
	return oslo.OK(map[string]any{"quota_set": set}), nil
}

func (n *Nova) defaultQuota(c *call) (*oslo.Response, error) {
	set := quotaSet(c, func(_ string, limit int) any { return limit })
	set["id"] = c.PathValue("id")
	return oslo.OK(map[string]any{"quota_set": set}), nil
}

func quotaSchema(minor int) *pyjson.Schema {
	number := &pyjson.Schema{Types: []string{"integer", "string"}, Pattern: "^-?[0-9]+$", MinLength: 1, Minimum: pyjson.Int64(-1), Maximum: pyjson.Int64(1<<31 - 1)}
	s := &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: []pyjson.Prop{{Name: "force", Schema: pyjson.Boolean}}}
	for _, q := range quotaNames {
		if q.until == 0 || minor < q.until {
			s.Props = append(s.Props, pyjson.Prop{Name: q.name, Schema: number})
		}
	}
	return wrapped("quota_set", s)
}

func (n *Nova) setQuota(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("os-quota-sets:update")
	}
	body, err := c.read(quotaSchema(c.minor))
	if err != nil {
		return nil, err
	}
	in, project := body.Object("quota_set"), c.PathValue("id")
	force, _ := in.Get("force")
	u, limits := n.usage(project), map[string]int{}
	for _, name := range in.Keys() {
		if name == "force" {
			continue
		}
		limit, _ := strconv.Atoi(in.Text(name))
		if used := u.of(name); limit >= 0 && used > limit && !pyjson.Truthy(force) {
			return nil, badRequest("Quota limit %d for %s must be greater than or equal to already used and reserved %d.", limit, name, used)
		}
		limits[name] = limit
	}
	for name, limit := range limits {
		n.quotas.Set(project, name, limit)
	}
	return oslo.OK(map[string]any{"quota_set": quotaSet(c, func(name string, _ int) any { return n.quotas.Limit(project, name) })}), nil
}

func (n *Nova) deleteQuota(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("os-quota-sets:delete")
	}
	n.quotas.Reset(c.PathValue("id"))
	return oslo.Accepted(nil), nil
}

// showLimits mirrors nova/api/openstack/compute/views/limits.py.
func (n *Nova) showLimits(c *call) (*oslo.Response, error) {
	project := c.Caller.ProjectID
	if asked := c.Query().Get("tenant_id"); asked != "" && asked != project {
		if !c.Caller.Manages() {
			return nil, disallowed("limits:other_project")
		}
		project = asked
	}
	names := map[string]string{"maxTotalInstances": "instances", "maxTotalCores": "cores", "maxTotalRAMSize": "ram", "maxServerMeta": "metadata_items",
		"maxTotalKeypairs": "key_pairs", "maxServerGroups": "server_groups", "maxServerGroupMembers": "server_group_members"}
	if c.minor < 36 {
		names["maxTotalFloatingIps"], names["maxSecurityGroups"], names["maxSecurityGroupRules"] = "floating_ips", "security_groups", "security_group_rules"
	}
	if c.minor < 39 {
		names["maxImageMeta"] = "metadata_items"
	}
	if c.minor < 57 {
		names["maxPersonality"], names["maxPersonalitySize"] = "injected_files", "injected_file_content_bytes"
	}
	u := n.usage(project)
	absolute := map[string]int{"totalRAMUsed": u.ram, "totalCoresUsed": u.cores, "totalInstancesUsed": u.instances, "totalServerGroupsUsed": u.groups}
	if c.minor < 36 {
		absolute["totalFloatingIpsUsed"], absolute["totalSecurityGroupsUsed"] = 0, 0
	}
	for key, name := range names {
		absolute[key] = n.quotas.Limit(project, name)
	}
	return oslo.OK(map[string]any{"limits": map[string]any{"rate": []any{}, "absolute": absolute}}), nil
}
