package nova

import (
	"github.com/stackreeve/stackreeve/internal/simulator/neutron"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// lastGroups is 2.35, the last microversion in which Nova forwards calls about security groups to Neutron.
// (nova/api/openstack/compute/security_groups.py)
const lastGroups = 35

func (n *Nova) addSecurityGroups() {
	n.handleUntil("GET /v2.1/os-security-groups", 1, lastGroups, n.listAllSecurityGroups)
	n.handleUntil("POST /v2.1/os-security-groups", 1, lastGroups, n.createSecurityGroup)
	n.handleUntil("GET /v2.1/os-security-groups/{id}", 1, lastGroups, n.showSecurityGroup)
	n.handleUntil("DELETE /v2.1/os-security-groups/{id}", 1, lastGroups, n.deleteSecurityGroup)
}

// groupView shows a security group in the form of nova-network.
func (n *Nova) groupView(g *neutron.SecurityGroup) map[string]any {
	return map[string]any{"id": g.ID, "name": g.Name, "description": g.Description, "tenant_id": g.ProjectID, "rules": n.rulesView(g.ID)}
}

func (n *Nova) listAllSecurityGroups(c *call) (*oslo.Response, error) {
	list := []any{}
	for _, g := range n.network.GroupsOf(c.Caller.ProjectID) {
		list = append(list, n.groupView(g))
	}
	return oslo.OK(map[string]any{"security_groups": list}), nil
}

func (n *Nova) askedSecurityGroup(c *call) (*neutron.SecurityGroup, error) {
	for _, g := range n.network.GroupsOf(c.Caller.ProjectID) {
		if g.ID == c.PathValue("id") {
			return g, nil
		}
	}
	return nil, notFound("Security group %s does not exist", c.PathValue("id"))
}

func (n *Nova) showSecurityGroup(c *call) (*oslo.Response, error) {
	g, err := n.askedSecurityGroup(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"security_group": n.groupView(g)}), nil
}

func (n *Nova) createSecurityGroup(c *call) (*oslo.Response, error) {
	v, err := pyjson.Parse(c.Body())
	if err != nil {
		return nil, badRequest("Malformed request body")
	}
	body, _ := v.(*pyjson.Object)
	if body == nil {
		return nil, badRequest("Malformed request body")
	}
	asked, _ := body.Get("security_group")
	o, ok := asked.(*pyjson.Object)
	if !ok || o.Text("name") == "" {
		return nil, badRequest("Security group name is not a string or unicode")
	}
	g, err := n.network.CreateGroup(c.Caller.ProjectID, map[string]any{"name": o.Text("name"), "description": o.Text("description")})
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"security_group": n.groupView(g)}), nil
}

func (n *Nova) deleteSecurityGroup(c *call) (*oslo.Response, error) {
	g, err := n.askedSecurityGroup(c)
	if err == nil {
		err = n.network.DeleteGroup(g.ID)
	}
	if err != nil {
		return nil, err
	}
	return oslo.Accepted(nil), nil
}
