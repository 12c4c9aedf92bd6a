package neutron

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// RBACPolicy is an RBAC policy as the API shows it: it has no attributes that people can write freely.
type RBACPolicy struct {
	ID        string `json:"id"`
	TenantID  string `json:"tenant_id"`
	ProjectID string `json:"project_id"`
	Action    string `json:"action"`
	ObjectID  string `json:"object_id"`
	Type      string `json:"object_type"`
	Target    string `json:"target_tenant"`

	Standard `json:"-"`
}

const asShared = "access_as_shared"

func (n *Neutron) addRBACPolicies() {
	n.rbacPolicies = &kind[RBACPolicy]{n: n, name: "rbac_policy", many: "rbac_policies", path: "rbac-policies", bare: true,
		standard: func(p *RBACPolicy) *Standard { return &p.Standard },
		visible:  func(*oslo.Caller, *RBACPolicy) bool { return false },
		missing: func(id string) *oslo.Error {
			return notFound("RbacPolicyNotFound", "RBAC policy of type unknown with ID %s not found", id)
		},
		view:   func(_ *oslo.Caller, p *RBACPolicy) any { return p },
		create: n.createRBACPolicy,
		update: func(*oslo.Call, *RBACPolicy, oslo.Values) error { return nil },
		remove: n.deleteRBACPolicy,
		undo:   func(p *RBACPolicy) { n.rbacPolicies.store.Remove(p.ID) },
	}
	n.rbacPolicies.attrs = oslo.Table{
		{Name: "object_type", Plain: true, Filter: true, Create: oslo.Anybody, Required: true, Parse: text(255)},
		{Name: "object_id", Filter: true, Create: oslo.Anybody, Required: true, Parse: uuid},
		{Name: "target_tenant", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Required: true, Parse: text(255)},
		{Name: "action", Plain: true, Filter: true, Create: oslo.Anybody, Required: true, Parse: text(255)},
	}
	n.rbacPolicies.register()
}

// shareable finds the object that a policy is about. It returns false if objects of that type cannot be shared.
func (n *Neutron) shareable(objectType, id string) (object *Standard, known bool) {
	switch objectType {
	case "network":
		return standardOf(n.networks, id), true
	case "subnetpool":
		return standardOf(n.subnetPools, id), true
	case "security_group":
		return standardOf(n.groups, id), true
	case "qos_policy":
		return standardOf(n.qosPolicies, id), true
	case "address_scope":
		return standardOf(n.addressScopes, id), true
	case "address_group":
		return standardOf(n.addressGroups, id), true
	}
	return nil, false
}

func standardOf[T any](k *kind[T], id string) *Standard {
	if rec, ok := k.store.Get(id); ok {
		return k.standard(rec)
	}
	return nil
}

// createRBACPolicy mirrors db/rbac_db_mixin.py: create_rbac_policy, and
// objects/rbac_db.py: validate_rbac_policy_change. The target project is not checked.
func (n *Neutron) createRBACPolicy(c *oslo.Call, v oslo.Values) (*RBACPolicy, error) {
	objectType, action, target := v.Text("object_type"), v.Text("action"), v.Text("target_tenant")
	object, known := n.shareable(objectType, v.Text("object_id"))
	actions := []string{asShared}
	if objectType == "network" {
		actions = append(actions, "access_as_external")
	}
	switch {
	case target == "*" && !c.Caller.Admin():
		return nil, disallowed("create_rbac_policy", "target_tenant")
	case !known:
		return nil, invalidInput("'%s' is not a valid RBAC object type.", objectType)
	case object == nil:
		return nil, invalidInput("Callback failed with \"'NoneType' object is not subscriptable\".")
	case object.ProjectID != c.Caller.ProjectID && !c.Caller.Admin():
		return nil, invalidInput("Callback failed with \"Invalid input for operation: Only admins can manipulate policies on objects they do not own.\".")
	case !slices.Contains(actions, action):
		return nil, oslo400("InvalidActionForType", "Invalid action '%s' for object type '%s'. Valid actions: ('%s')", action, objectType, strings.Join(actions, "', '"))
	}
	for o := range n.rbacPolicies.store.All() {
		if o.ObjectID == object.ID && o.Target == target && o.Action == action {
			return nil, conflict("DuplicateRbacPolicy", "An RBAC policy already exists with those values.")
		}
	}
	s := n.standard(v.Text("project_id"), "")
	p := &RBACPolicy{ID: s.ID, TenantID: s.TenantID, ProjectID: s.ProjectID, ObjectID: object.ID, Standard: s}
	n.rbacPolicies.store.Add(p)
	if objectType == "network" {
		object.Revision++ // db/rbac_db_models.py: revises_on_change
	}
	return p, nil
}

// deleteRBACPolicy mirrors objects/rbac_db.py: _validate_rbac_policy_delete, for networks.
func (n *Neutron) deleteRBACPolicy(_ *oslo.Call, p *RBACPolicy) error {
	if p.Type == "network" && p.Action == asShared {
		for port := range n.ports.store.All() {
			if port.NetworkID == p.ObjectID && port.ProjectID == p.Target {
				return conflict("RbacPolicyInUse", "RBAC policy on object %s cannot be removed because other objects depend on it.\nDetails: Unable to reconfigure sharing settings for network %s. Multiple tenants are using it.", p.ObjectID, p.ObjectID)
			}
		}
		if t, ok := n.networks.store.Get(p.ObjectID); ok {
			t.Revision++
		}
	}
	n.rbacPolicies.store.Remove(p.ID)
	return nil
}

// sharedWith reports whether a policy shares an object with a project, or with everybody.
func (n *Neutron) sharedWith(project, id string) bool {
	if n.rbacPolicies == nil {
		return false
	}
	for p := range n.rbacPolicies.store.All() {
		if p.ObjectID == id && p.Action == asShared && (p.Target == project || p.Target == "*") {
			return true
		}
	}
	return false
}

// unshare removes the policies about an object that is deleted, as the database does (ondelete CASCADE).
func (n *Neutron) unshare(id string) {
	if n.rbacPolicies == nil {
		return
	}
	for _, p := range n.rbacPolicies.store.Where(func(p *RBACPolicy) bool { return p.ObjectID == id }) {
		n.rbacPolicies.store.Remove(p.ID)
	}
}
