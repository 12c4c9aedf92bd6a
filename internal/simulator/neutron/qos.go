package neutron

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// QoSPolicy is a QoS policy as the API shows it.
type QoSPolicy struct {
	Standard
	Name      string           `json:"name"`
	Shared    bool             `json:"shared"`
	IsDefault bool             `json:"is_default"`
	Rules     []map[string]any `json:"rules"`
}

// ruleKind is a type of rule: its name, the last part of its collection's path, and its attributes.
type ruleKind struct {
	name, path string
	table      oslo.Table
}

func bound(name string, required bool) oslo.Attribute {
	a := oslo.Attribute{Name: name, Create: oslo.Anybody, Update: oslo.Anybody, Required: required, Parse: integer(0, 1<<31-1)}
	if !required {
		a.Default = 0
	}
	return a
}

var (
	direction = oslo.Attribute{Name: "direction", Create: oslo.Anybody, Update: oslo.Anybody, Default: "egress", Parse: oneOf("egress", "ingress")}
	qosRules  = []ruleKind{
		{"bandwidth_limit", "bandwidth_limit_rules", oslo.Table{bound("max_kbps", true), bound("max_burst_kbps", false), direction}},
		{"minimum_bandwidth", "minimum_bandwidth_rules", oslo.Table{bound("min_kbps", true), direction}},
		{"dscp_marking", "dscp_marking_rules", oslo.Table{{Name: "dscp_mark", Create: oslo.Anybody, Update: oslo.Anybody, Required: true, Parse: dscpMark}}},
	}
	dscpMarks = []int{0, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 46, 48, 56}
)

func dscpMark(name string, v any) (any, *oslo.Error) {
	i, err := toInt(v)
	if err == nil && !slices.Contains(dscpMarks, i) {
		err = invalid(name, "%d is not in valid_values.", i)
	}
	return i, err
}

func (n *Neutron) addQoSPolicies() {
	n.qosPolicies = &kind[QoSPolicy]{n: n, name: "policy", many: "policies", path: "qos/policies", tagPath: "policies", tagged: true,
		standard: func(p *QoSPolicy) *Standard { return &p.Standard },
		visible:  func(_ *oslo.Caller, p *QoSPolicy) bool { return p.Shared },
		missing:  qosMissing,
		view:     func(_ *oslo.Caller, p *QoSPolicy) any { return p },
		create: func(c *oslo.Call, v oslo.Values) (*QoSPolicy, error) {
			if !c.Caller.Admin() {
				return nil, disallowed("create_policy", "")
			}
			p := &QoSPolicy{Standard: n.standard(v.Text("project_id"), v.Text("description")), Rules: []map[string]any{}}
			n.qosPolicies.store.Add(p)
			return p, nil
		},
		update: func(c *oslo.Call, _ *QoSPolicy, _ oslo.Values) error { return qosAdmin(c, "update_policy") },
		remove: func(c *oslo.Call, p *QoSPolicy) error {
			if err := qosAdmin(c, "delete_policy"); err != nil {
				return err
			}
			if by := n.qosUser(p.ID); by != "" {
				return conflict("QosPolicyInUse", "QoS Policy %s is used by %s.", p.ID, by)
			}
			n.qosPolicies.store.Remove(p.ID)
			return nil
		},
		undo: func(p *QoSPolicy) { n.qosPolicies.store.Remove(p.ID) },
	}
	n.qosPolicies.attrs = oslo.Table{
		{Name: "name", Plain: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: "", Parse: text(255)},
		{Name: "shared", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: false, Parse: boolean},
		{Name: "is_default", Plain: true, Filter: true, Create: oslo.Anybody, Update: oslo.Anybody, Default: false, Parse: boolean}, {Name: "rules"},
	}
	n.qosPolicies.register()
	for _, k := range qosRules {
		path := "qos/policies/{id}/" + k.path
		n.handle("POST", path, func(c *oslo.Call) (*oslo.Response, error) { return n.writeQoSRule(c, k) })
		n.handle("PUT", path+"/{rule}", func(c *oslo.Call) (*oslo.Response, error) { return n.writeQoSRule(c, k) })
		n.handle("DELETE", path+"/{rule}", n.deleteQoSRule)
	}
}

func qosMissing(id string) *oslo.Error {
	return notFound("QosPolicyNotFound", "QoS policy %s could not be found.", id)
}

func qosAdmin(c *oslo.Call, action string) error {
	if !c.Caller.Admin() {
		return disallowed(action, "")
	}
	return nil
}

// qosUser returns an object that uses the policy, or "" if there is none.
func (n *Neutron) qosUser(id string) string {
	is := func(p *string) bool { return p != nil && *p == id }
	for t := range n.networks.store.All() {
		if is(t.QoSPolicyID) {
			return "network " + t.ID
		}
	}
	for p := range n.ports.store.All() {
		if is(p.QoSPolicyID) {
			return "port " + p.ID
		}
	}
	for f := range n.floatingIPs.store.All() {
		if is(f.QoSID) {
			return "fip " + f.ID
		}
	}
	return ""
}

// usableQoS checks the new policy of a network, port or floating IP (db/qos,
// objects/network.py). Only an administrator can replace a policy that the caller cannot see.
func (n *Neutron) usableQoS(c *oslo.Caller, v oslo.Values, old *string) error {
	asked, sent := v["qos_policy_id"]
	if !sent {
		return nil
	}
	if id, ok := asked.(string); ok {
		if _, err := n.qosPolicies.find(c, id); err != nil {
			return err
		}
	}
	if old != nil {
		if _, err := n.qosPolicies.find(c, *old); err != nil {
			return oslo.Errorf(http.StatusForbidden, "PolicyRemoveAuthorizationError", "Failed to remove provided policy %s because you are not authorized.", *old)
		}
	}
	return nil
}

func (n *Neutron) qosRuleCall(c *oslo.Call) (*QoSPolicy, int, error) {
	p, err := n.qosPolicies.find(c.Caller, c.PathValue("id"))
	if err != nil {
		return nil, 0, err
	}
	if err := qosAdmin(c, "update_policy"); err != nil {
		return nil, 0, err
	}
	id := c.PathValue("rule")
	i := slices.IndexFunc(p.Rules, func(r map[string]any) bool { return r["id"] == id })
	if i < 0 && id != "" {
		return nil, 0, notFound("QosRuleNotFound", "QoS rule of type %s for policy %s could not be found.", id, p.ID)
	}
	return p, i, nil
}

func (n *Neutron) writeQoSRule(c *oslo.Call, k ruleKind) (*oslo.Response, error) {
	p, at, err := n.qosRuleCall(c)
	if err != nil {
		return nil, err
	}
	var in map[string]map[string]any
	if !c.Decode(&in) || in[k.name+"_rule"] == nil {
		return nil, badRequest("Unable to find '%s_rule' in request body", k.name)
	}
	read := k.table.Create
	if at >= 0 {
		read = k.table.Update
	}
	v, perr := read(in[k.name+"_rule"], refuse)
	if perr != nil {
		return nil, perr
	}
	rule := map[string]any{"id": n.cloud.UUID(), "type": k.name, "qos_policy_id": p.ID}
	if at >= 0 {
		rule = maps.Clone(p.Rules[at])
	}
	for _, a := range k.table {
		if x, ok := v[a.Name]; ok {
			rule[a.Name] = x
		}
	}
	if err := judgeQoSRule(p, at, rule); err != nil {
		return nil, err
	}
	if at < 0 {
		p.Rules = append(p.Rules, rule)
	} else {
		p.Rules[at] = rule
	}
	n.bump(&p.Standard)
	shown := maps.Clone(rule)
	delete(shown, "type")
	delete(shown, "qos_policy_id")
	body := map[string]any{k.name + "_rule": shown}
	if at < 0 {
		return oslo.Created(body), nil
	}
	return oslo.OK(body), nil
}

// judgeQoSRule mirrors services/qos/qos_plugin.py and objects/qos/qos_policy_validator.py.
// Zed compares a limit and a minimum even if their directions differ.
func judgeQoSRule(p *QoSPolicy, at int, rule map[string]any) error {
	for i, other := range p.Rules {
		if i == at {
			continue
		}
		if other["type"] == rule["type"] && other["direction"] == rule["direction"] {
			return conflict("QoSRulesConflict", "Rule %s conflicts with rule %s which already exists in QoS Policy %s.", rule["type"], other["id"], p.ID)
		}
		for _, pair := range [][2]map[string]any{{rule, other}, {other, rule}} {
			most, limited := pair[0]["max_kbps"].(int)
			least, bounded := pair[1]["min_kbps"].(int)
			if limited && bounded && least > most {
				value, _ := json.Marshal(rule["min_kbps"])
				return conflict("QoSRuleParameterConflict", "Unable to add the rule with value %s to the policy %s as the existing rule of type %s has value %d.", value, p.ID, other["type"], most)
			}
		}
	}
	return nil
}

func (n *Neutron) deleteQoSRule(c *oslo.Call) (*oslo.Response, error) {
	p, at, err := n.qosRuleCall(c)
	if err != nil {
		return nil, err
	}
	p.Rules = slices.Delete(slices.Clone(p.Rules), at, at+1)
	n.bump(&p.Standard)
	return oslo.NoContent(), nil
}
