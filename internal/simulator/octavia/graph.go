package octavia

import (
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// graph builds the tree of a fully populated create request
// (octavia/api/v2/controllers/load_balancer.py: _graph_create).
type graph struct {
	o     *Octavia
	c     *oslo.Call
	lb    *LoadBalancer
	pools map[string]*Pool // the keys are the names of the pools
}

type object = map[string]any

// nested extracts the lists of a request and checks the attributes in them.
func nested(in object) (listeners, pools []object, err error) {
	for _, item := range items(in["listeners"]) {
		if bad := listenerPOST.check(item); bad != nil {
			return nil, nil, bad
		}
		listeners = append(listeners, item)
	}
	pools = append(pools, items(in["pools"])...)
	delete(in, "listeners")
	delete(in, "pools")
	return listeners, pools, nil
}

func items(v any) []object {
	var out []object
	list, _ := v.([]any)
	for _, item := range list {
		if o, ok := item.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

func (g *graph) build(listeners, pools []object) error {
	for _, in := range pools {
		if err := g.pool(in); err != nil {
			return err
		}
	}
	for _, in := range listeners {
		wanted, _ := in["default_pool"].(object)
		policies := items(in["l7policies"])
		delete(in, "default_pool")
		delete(in, "l7policies")
		l, err := g.o.newListener(g.c, g.lb, in)
		if err != nil {
			return err
		}
		if err := g.l7(l, policies); err != nil {
			return err
		}
		if wanted == nil {
			continue
		}
		p, err := g.defaultPool(wanted)
		if err != nil {
			return err
		}
		if err := fits(l, p); err != nil {
			return err
		}
		l.DefaultPoolID = &p.ID
	}
	return nil
}

func (g *graph) defaultPool(in object) (*Pool, error) {
	name, _ := in["name"].(string)
	if len(in) == 1 && g.pools[name] != nil {
		return g.pools[name], nil
	}
	if in["protocol"] == nil || in["lb_algorithm"] == nil {
		return nil, invalid("Pool '%s' was referenced but no full definition was found.", name)
	}
	if err := g.pool(in); err != nil {
		return nil, err
	}
	return g.pools[name], nil
}

func (g *graph) pool(in object) error {
	name, _ := in["name"].(string)
	if name == "" {
		return invalid("Pools must be named when creating a fully populated loadbalancer.")
	}
	members, monitor := items(in["members"]), in["healthmonitor"]
	delete(in, "members")
	delete(in, "healthmonitor")
	if bad := poolPOST.check(in); bad != nil {
		return bad
	}
	p, err := g.o.newPool(g.c, g.lb, in)
	if err != nil {
		return err
	}
	g.pools[name] = p
	for _, m := range members {
		if bad := memberPOST.check(m); bad != nil {
			return bad
		}
		if _, err := g.o.newMember(g.c, p, m); err != nil {
			return err
		}
	}
	if hm, ok := monitor.(object); ok {
		if bad := monitorPOST.check(hm); bad != nil {
			return bad
		}
		if _, err := g.o.newMonitor(g.c, p, hm); err != nil {
			return err
		}
	}
	return nil
}
