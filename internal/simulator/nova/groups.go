package nova

import (
	"slices"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// group is a server group. A server is a member until it is deleted.
type group struct {
	ID, Name, Project, User, Policy string
	perHost                         int // max_server_per_host of anti-affinity; zero if not set
	members                         []string
}

func (n *Nova) addGroups() {
	n.handle("GET /v2.1/os-server-groups", 1, n.listGroups)
	n.handle("POST /v2.1/os-server-groups", 1, n.createGroup)
	n.handle("GET /v2.1/os-server-groups/{id}", 1, n.showGroup)
	n.handle("DELETE /v2.1/os-server-groups/{id}", 1, n.deleteGroup)
}

// view mirrors nova/api/openstack/compute/server_groups.py: _format_server_group.
func (g *group) view(c *call) any {
	v := map[string]any{"id": g.ID, "name": g.Name, "members": append([]string{}, g.members...)}
	if c.minor >= 64 {
		rules := map[string]int{}
		if g.perHost > 0 {
			rules["max_server_per_host"] = g.perHost
		}
		v["policy"], v["rules"] = g.Policy, rules
	} else {
		v["policies"], v["metadata"] = []string{g.Policy}, map[string]string{}
	}
	if c.minor >= 13 {
		v["project_id"], v["user_id"] = g.Project, g.User
	}
	return v
}

func (n *Nova) listGroups(c *call) (*oslo.Response, error) {
	q := c.Query()
	all := c.Caller.Admin() && q.Has("all_projects")
	limit, err := n.limit(c)
	if err != nil {
		return nil, err
	}
	recs := n.groups.Where(func(g *group) bool { return all || g.Project == c.Caller.ProjectID })
	offset, _ := strconv.Atoi(q.Get("offset"))
	recs = recs[max(0, min(offset, len(recs))):]
	recs = recs[:min(limit, len(recs))]
	return listOf(c, "server_groups", "os-server-groups", recs, false, nil, func(g *group) any { return g.view(c) }), nil
}

func (n *Nova) findGroup(c *call) (*group, error) {
	g, ok := n.groups.Get(c.PathValue("id"))
	if !ok || g.Project != c.Caller.ProjectID && !c.Caller.Admin() {
		return nil, notFound("Instance group %s could not be found.", c.PathValue("id"))
	}
	return g, nil
}

func (n *Nova) showGroup(c *call) (*oslo.Response, error) {
	g, err := n.findGroup(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"server_group": g.view(c)}), nil
}

// groupSchema mirrors nova/api/openstack/compute/schemas/server_groups.py.
func groupSchema(minor int) *pyjson.Schema {
	name := pyjson.Prop{Name: "name", Schema: pyjson.Name}
	policies := []any{"anti-affinity", "affinity"}
	if minor >= 15 {
		policies = append(policies, "soft-anti-affinity", "soft-affinity")
	}
	s := &pyjson.Schema{Types: []string{"object"}, Closed: true}
	if minor < 64 {
		s.Props = []pyjson.Prop{name, {Name: "policies", Schema: &pyjson.Schema{Types: []string{"array"}, MinItems: 1, MaxItems: 1, Unique: true, Items: &pyjson.Schema{Enum: policies}}}}
		s.Required = []string{"name", "policies"}
	} else {
		rules := &pyjson.Schema{Types: []string{"object"}, Closed: true, Props: []pyjson.Prop{{Name: "max_server_per_host", Schema: positive}}}
		s.Props = []pyjson.Prop{name, {Name: "policy", Schema: &pyjson.Schema{Types: []string{"string"}, Enum: policies}}, {Name: "rules", Schema: rules}}
		s.Required = []string{"name", "policy"}
	}
	return wrapped("server_group", s)
}

func (n *Nova) createGroup(c *call) (*oslo.Response, error) {
	body, err := c.read(groupSchema(c.minor))
	if err != nil {
		return nil, err
	}
	in := body.Object("server_group")
	g := &group{ID: n.cloud.UUID(), Name: in.Text("name"), Policy: in.Text("policy"), Project: c.Caller.ProjectID, User: c.Caller.UserID}
	if list := in.List("policies"); len(list) > 0 {
		g.Policy = pyjson.Str(list[0])
	}
	if rules := in.Object("rules"); len(rules.Keys()) > 0 {
		if g.Policy != "anti-affinity" {
			return nil, badRequest("Only anti-affinity policy supports rules.")
		}
		g.perHost, _ = strconv.Atoi(rules.Text("max_server_per_host"))
	}
	if limit := n.quotas.Limit(g.Project, "server_groups"); limit >= 0 && n.usage(g.Project).groups >= limit {
		return nil, forbidden("Quota exceeded, too many server groups.")
	}
	n.groups.Add(g)
	return oslo.OK(map[string]any{"server_group": g.view(c)}), nil
}

func (n *Nova) deleteGroup(c *call) (*oslo.Response, error) {
	g, err := n.findGroup(c)
	if err != nil {
		return nil, err
	}
	n.groups.Remove(g.ID)
	return oslo.NoContent(), nil
}

// leaveGroup removes a server from its group.
func (n *Nova) leaveGroup(s *Server) {
	if g, ok := n.groups.Get(s.group); ok {
		g.members = slices.DeleteFunc(slices.Clone(g.members), func(id string) bool { return id == s.ID })
	}
}
