package octavia

import (
	"encoding/json"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// quotaNames are the names of the quotas: the name in the API, the name in messages, and an old name that
// requests may use (octavia/api/v2/types/quotas.py).
var quotaNames = []struct{ name, what, old string }{
	{"load_balancer", "Load Balancer", "loadbalancer"}, {"listener", "Listener", ""}, {"member", "Member", ""}, {"pool", "Pool", ""},
	{"health_monitor", "Health Monitor", "healthmonitor"}, {"l7policy", "L7 Policy", ""}, {"l7rule", "L7 Rule", ""},
}

// reserve returns an error if a quota would be exceeded.
func (o *Octavia) reserve(project, name string, count int) error {
	if !o.quotas.Exceeded(project, name, o.used(project, name)+count) {
		return nil
	}
	what := name
	for _, q := range quotaNames {
		if q.name == name {
			what = q.what
		}
	}
	return oslo.Errorf(http.StatusForbidden, "QuotaException", "Quota has been met for resources: %s", what)
}

func (o *Octavia) used(project, name string) int {
	n := 0
	for lb := range o.lbs.All() {
		if lb.ProjectID != project {
			continue
		}
		members, monitors, policies, rules := 0, 0, 0, 0
		for _, l := range lb.listeners {
			policies += len(l.policies)
			for _, p := range l.policies {
				rules += len(p.rules)
			}
		}
		for _, p := range lb.pools {
			members += len(p.members)
			if p.monitor != nil {
				monitors++
			}
		}
		n += map[string]int{"load_balancer": 1, "listener": len(lb.listeners), "pool": len(lb.pools), "member": members, "health_monitor": monitors,
			"l7policy": policies, "l7rule": rules}[name]
	}
	return n
}

func (o *Octavia) addQuotas() {
	o.handle("GET", "quotas/{id}", func(c *oslo.Call) (*oslo.Response, error) {
		if !c.Caller.Manages() && c.PathValue("id") != c.Caller.ProjectID {
			return nil, forbidden()
		}
		return oslo.OK(map[string]any{"quota": o.quotaOf(c.PathValue("id"))}), nil
	})
	o.handle("PUT", "quotas/{id}", o.setQuota)
	o.handle("DELETE", "quotas/{id}", func(c *oslo.Call) (*oslo.Response, error) {
		if !c.Caller.Manages() {
			return nil, forbidden()
		}
		o.quotas.Reset(c.PathValue("id"))
		return oslo.NoContent(), nil
	})
}

func (o *Octavia) quotaOf(project string) map[string]int {
	out := map[string]int{}
	for _, q := range quotaNames {
		out[q.name] = o.quotas.Limit(project, q.name)
	}
	return out
}

// SetQuota sets the limit of a project for a resource ("load_balancer",
// "member", …); -1 means no limit.
func (o *Octavia) SetQuota(project, name string, limit int) {
	o.quotas.Set(project, name, limit)
}

func (o *Octavia) setQuota(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, forbidden()
	}
	in, bad := body(c, "quota")
	if bad != nil {
		return nil, bad
	}
	project := c.PathValue("id")
	for _, q := range quotaNames {
		v := in[q.name]
		if old, ok := in[q.old]; ok {
			v = old
		}
		number, ok := v.(json.Number)
		if !ok {
			continue
		}
		n, err := number.Int64()
		if err != nil {
			return nil, badRequest("Invalid input for field/attribute %s. Value: '%v'.", q.name, v)
		}
		o.SetQuota(project, q.name, int(n))
	}
	return oslo.Accepted(map[string]any{"quota": o.quotaOf(project)}), nil
}
