package neutron

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// usage counts a project's objects of one resource.
type usage struct {
	name  string
	count func(project string) int
}

// quotaNames are the quotas of Zed's Neutron, in its order. They include resources that are not simulated.
var quotaNames = []string{"network", "subnet", "subnetpool", "port", "router", "floatingip", "rbac_policy", "security_group", "security_group_rule", "trunk"}

func (n *Neutron) used(project, name string) int {
	for _, u := range n.usages {
		if u.name == name {
			return u.count(project)
		}
	}
	return 0
}

// reserve returns an error if a quota would be exceeded (neutron/quota: OverQuota).
func (n *Neutron) reserve(project, name string, count int) error {
	if n.quotas.Exceeded(project, name, n.used(project, name)+count) {
		return conflict("OverQuota", "Quota exceeded for resources: ['%s'].", name)
	}
	return nil
}

// SetQuota sets the limit of a project for a resource; -1 means no limit.
func (n *Neutron) SetQuota(project, name string, limit int) { n.quotas.Set(project, name, limit) }

func (n *Neutron) addQuotas() {
	n.handle("GET", "quotas", n.listQuotas)
	n.handle("GET", "quotas/{id}", n.showQuota)
	n.handle("GET", "quotas/{id}/default", n.showDefaultQuota)
	n.handle("GET", "quotas/tenant", func(c *oslo.Call) (*oslo.Response, error) {
		return oslo.OK(map[string]any{"tenant": map[string]string{"tenant_id": c.Caller.ProjectID}}), nil
	})
	n.handle("GET", "quotas/project", func(c *oslo.Call) (*oslo.Response, error) {
		return oslo.OK(map[string]any{"project": map[string]string{"project_id": c.Caller.ProjectID}}), nil
	})
	n.handle("GET", "quotas/{id}/details.json", n.showUsage)
	n.handle("PUT", "quotas/{id}", n.setQuota)
	n.handle("DELETE", "quotas/{id}", n.deleteQuota)
}

func (n *Neutron) quotaOf(project string) map[string]any {
	out := map[string]any{}
	for _, name := range quotaNames {
		out[name] = n.quotas.Limit(project, name)
	}
	return out
}

func (n *Neutron) listQuotas(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("get_quota", "")
	}
	out := []any{}
	for _, project := range n.quotas.Projects() {
		q := n.quotaOf(project)
		q["tenant_id"], q["project_id"] = project, project
		out = append(out, q)
	}
	return oslo.OK(map[string]any{"quotas": out}), nil
}

func (n *Neutron) quotaReader(c *oslo.Call) error {
	if !c.Caller.Manages() && c.PathValue("id") != c.Caller.ProjectID {
		return disallowed("get_quota", "")
	}
	return nil
}

func (n *Neutron) showQuota(c *oslo.Call) (*oslo.Response, error) {
	if err := n.quotaReader(c); err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"quota": n.quotaOf(c.PathValue("id"))}), nil
}

func (n *Neutron) showDefaultQuota(c *oslo.Call) (*oslo.Response, error) {
	if err := n.quotaReader(c); err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"quota": n.quotaOf("")}), nil
}

func (n *Neutron) showUsage(c *oslo.Call) (*oslo.Response, error) {
	if n.quotaReader(c) != nil {
		return nil, oslo.Errorf(403, "AdminRequired", "User does not have admin privileges: Only admin is authorized to access quotas for another project.")
	}
	project, out := c.PathValue("id"), map[string]any{}
	for _, name := range quotaNames {
		out[name] = map[string]int{"limit": n.quotas.Limit(project, name), "used": n.used(project, name), "reserved": 0}
	}
	return oslo.OK(map[string]any{"quota": out}), nil
}

func (n *Neutron) setQuota(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("update_quota", "")
	}
	var in struct {
		Quota map[string]any `json:"quota"`
	}
	if !c.Decode(&in) || in.Quota == nil {
		return nil, badRequest("Unable to find 'quota' in request body")
	}
	project := c.PathValue("id")
	limits := map[string]int{}
	for name, raw := range in.Quota {
		if !slices.Contains(quotaNames, name) {
			if name == "force" || name == "check_limit" || name == "tenant_id" {
				continue
			}
			return nil, badRequest("Unrecognized attribute(s) '%s'", name)
		}
		v, err := integer(-1, 1<<31-1)(name, raw)
		if err != nil {
			return nil, err
		}
		limits[name], _ = v.(int)
	}
	for name, limit := range limits {
		n.quotas.Set(project, name, limit)
	}
	return oslo.OK(map[string]any{"quota": n.quotaOf(project)}), nil
}

func (n *Neutron) deleteQuota(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("delete_quota", "")
	}
	project := c.PathValue("id")
	if !n.quotas.Reset(project) {
		return nil, notFound("TenantQuotaNotFound", "Quota for tenant %s could not be found.", project)
	}
	return oslo.NoContent(), nil
}
