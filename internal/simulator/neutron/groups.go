package neutron

import (
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// SecurityGroup is a security group as the API shows it, without its rules.
type SecurityGroup struct {
	Standard
	Name     string `json:"name"`
	Stateful bool   `json:"stateful"`
	Shared   bool   `json:"shared"`
}

type groupView struct {
	*SecurityGroup
	Rules []groupRuleView `json:"security_group_rules"`
}

// groupRuleView is a rule inside its group, where Zed shows two additional attributes.
type groupRuleView struct {
	*SecurityGroupRule
	StandardID int      `json:"standard_attr_id"`
	Tags       []string `json:"tags"`
}

const defaultGroup = "default"

func (n *Neutron) addGroups() {
	n.groups = &kind[SecurityGroup]{n: n, name: "security_group", path: "security-groups", tagged: true,
		standard: func(g *SecurityGroup) *Standard { return &g.Standard },
		visible:  func(_ *oslo.Caller, g *SecurityGroup) bool { return false },
		missing:  groupMissing,
		view:     n.viewGroup,
		before:   func(c *oslo.Call) { n.ensureDefaultGroup(c.Caller.ProjectID) },
		create:   n.createGroup, update: n.updateGroup, remove: n.deleteGroup,
		undo: n.dropGroup, idleWithoutBody: true,
	}
	n.groups.attrs = oslo.Table{
		{Name: "name", Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "stateful", Create: oslo.Anybody, Update: oslo.Anybody, Default: true, Parse: boolean},
		{Name: "shared", Filter: true}, {Name: "security_group_rules"},
	}
	n.groups.register()
}

func groupMissing(id string) *oslo.Error {
	return notFound("SecurityGroupNotFound", "Security group %s does not exist", id)
}

func (n *Neutron) viewGroup(_ *oslo.Caller, g *SecurityGroup) any {
	v := groupView{g, []groupRuleView{}}
	for _, r := range n.rulesOf(g.ID) {
		v.Rules = append(v.Rules, groupRuleView{r, r.standardID, r.Tags})
	}
	slices.SortFunc(v.Rules, func(a, b groupRuleView) int { return strings.Compare(a.ID, b.ID) })
	return v
}

// ensureDefaultGroup mirrors db/securitygroups_db.py:
// _ensure_default_security_group, which runs before every create and before lists.
func (n *Neutron) ensureDefaultGroup(project string) {
	if project == "" || n.defaults[project] != nil {
		return
	}
	g := &SecurityGroup{Standard: n.standard(project, "Default security group"), Name: defaultGroup, Stateful: true}
	g.Revision = 1
	n.groups.store.Add(g)
	n.defaults[project] = g
	for _, ether := range []string{"IPv4", "IPv6"} {
		ingress := n.newRule(g, "ingress", ether, nil)
		ingress.RemoteGroupID = &g.ID
		n.keepRule(ingress)
		n.keepRule(n.newRule(g, "egress", ether, nil))
	}
}

func (n *Neutron) createGroup(_ *oslo.Call, v oslo.Values) (*SecurityGroup, error) {
	project := v.Text("project_id")
	n.ensureDefaultGroup(project)
	if v.Text("name") == defaultGroup {
		return nil, conflict("SecurityGroupDefaultAlreadyExists", "Default security group already exists.")
	}
	if err := n.reserve(project, "security_group_rule", 2); err != nil {
		return nil, err
	}
	g := &SecurityGroup{Standard: n.standard(project, v.Text("description")), Name: v.Text("name"), Stateful: v.Flag("stateful")}
	g.Revision = 1
	n.groups.store.Add(g)
	for _, ether := range []string{"IPv4", "IPv6"} {
		n.keepRule(n.newRule(g, "egress", ether, nil))
	}
	return g, nil
}

func (n *Neutron) updateGroup(_ *oslo.Call, g *SecurityGroup, v oslo.Values) error {
	if name, ok := v["name"].(string); ok {
		if g.Name == defaultGroup && name != defaultGroup {
			return conflict("SecurityGroupCannotUpdateDefault", "Updating default security group not allowed.")
		}
		if g.Name != defaultGroup && name == defaultGroup {
			return conflict("SecurityGroupDefaultAlreadyExists", "Default security group already exists.")
		}
		g.Name = name
	}
	if stateful, ok := v["stateful"].(bool); ok && stateful != g.Stateful {
		if n.groupInUse(g.ID) {
			return groupBusy(g.ID)
		}
		g.Stateful = stateful
	}
	return nil
}

func groupBusy(id string) error {
	return conflict("SecurityGroupInUse", "Security Group %s in use.", id)
}

func (n *Neutron) groupInUse(id string) bool {
	for p := range n.ports.store.All() {
		if slices.Contains(p.SecurityGroups, id) {
			return true
		}
	}
	return false
}

// deleteGroup mirrors db/securitygroups_db.py: delete_security_group. A group can be
// deleted although rules of other groups refer to it; those rules are deleted with it.
func (n *Neutron) deleteGroup(c *oslo.Call, g *SecurityGroup) error {
	if n.groupInUse(g.ID) {
		return groupBusy(g.ID)
	}
	if g.Name == defaultGroup && !c.Caller.Admin() {
		return oslo.Errorf(http.StatusConflict, "SecurityGroupCannotRemoveDefault", "Insufficient rights for removing default security group.")
	}
	n.dropGroup(g)
	return nil
}

func (n *Neutron) dropGroup(g *SecurityGroup) {
	for _, r := range n.rules.store.Where(func(r *SecurityGroupRule) bool {
		return r.GroupID == g.ID || r.RemoteGroupID != nil && *r.RemoteGroupID == g.ID
	}) {
		n.dropRule(r)
	}
	n.groups.store.Remove(g.ID)
	if n.defaults[g.ProjectID] == g {
		delete(n.defaults, g.ProjectID)
	}
}

// usableGroup reports whether a port of the project may use a group
// (db/securitygroups_db.py: _validate_security_groups).
func (n *Neutron) usableGroup(c *oslo.Caller, project, id string) error {
	g, ok := n.groups.store.Get(id)
	if !ok || g.ProjectID != project && !c.Admin() {
		return groupMissing(id)
	}
	return nil
}
