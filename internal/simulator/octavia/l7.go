package octavia

import (
	"math"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// L7Policy is an action on some requests to a listener.
type L7Policy struct {
	Base
	Description    string  `json:"description"`
	ListenerID     string  `json:"listener_id"`
	Action         string  `json:"action"`
	Position       int     `json:"position"`
	RedirectPool   *string `json:"redirect_pool_id"`
	RedirectURL    *string `json:"redirect_url"`
	RedirectPrefix *string `json:"redirect_prefix"`
	RedirectCode   *int    `json:"redirect_http_code"`
	Rules          []ref   `json:"rules"`

	listener *Listener
	rules    []*L7Rule
}

// L7Rule is a condition on a request.
type L7Rule struct {
	Base
	Type    string  `json:"type"`
	Compare string  `json:"compare_type"`
	Key     *string `json:"key"`
	Value   string  `json:"value"`
	Invert  bool    `json:"invert"`

	policy *L7Policy
}

var (
	policyPUT = schema{"l7policy_.l7policy", with(common, map[string]check{
		"description": text, "action": oneOf("REDIRECT_TO_URL", "REDIRECT_PREFIX", "REJECT", "REDIRECT_TO_POOL"), "redirect_pool_id": text,
		"redirect_url": text, "redirect_prefix": text, "position": within(1, math.MaxInt32), "redirect_http_code": redirectCode,
	}), nil}
	policyPOST = schema{policyPUT.argument, with(policyPUT.attrs, map[string]check{
		"listener_id": text, "project_id": text, "rules": each(anything),
	}), []string{"action", "listener_id"}}
	policyNested = schema{policyPUT.argument, with(policyPUT.attrs, map[string]check{"redirect_pool": anything, "rules": each(anything)}), []string{"action"}}

	rulePUT = schema{"l7rule_.rule", with(common, map[string]check{
		"type":         oneOf("COOKIE", "FILE_TYPE", "HEADER", "HOST_NAME", "PATH", "SSL_CONN_HAS_CERT", "SSL_VERIFY_RESULT", "SSL_DN_FIELD"),
		"compare_type": oneOf("REGEX", "STARTS_WITH", "ENDS_WITH", "CONTAINS", "EQUAL_TO"), "key": text, "value": text, "invert": flag,
	}), nil}
	rulePOST = schema{rulePUT.argument, with(rulePUT.attrs, map[string]check{"project_id": text}), []string{"type", "compare_type", "value"}}
)

func redirectCode(v any) string {
	if !slices.Contains([]string{"301", "302", "303", "307", "308"}, toText(v)) {
		return "Value should be one of: 301, 302, 303, 307, 308"
	}
	return ""
}

func (o *Octavia) addL7() {
	o.handle("POST", "l7policies", o.createPolicy)
	o.handle("POST", "l7policies/{policy}/rules", o.createRule)
	o.handle("PUT", "l7policies/{id}", o.updatePolicy)
	o.handle("DELETE", "l7policies/{id}", o.deletePolicy)
	o.handle("PUT", "l7policies/{policy}/rules/{id}", o.updateRule)
	o.handle("DELETE", "l7policies/{policy}/rules/{id}", o.deleteRule)
}

func (o *Octavia) createPolicy(c *oslo.Call) (*oslo.Response, error) {
	in, bad := body(c, "l7policy")
	if bad == nil {
		bad = policyPOST.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	if in["rules"] != nil { // octavia/db/repositories.py: the model requires rules and gets dictionaries
		return nil, oslo.Errorf(500, "APIException", "'dict' object has no attribute '_sa_instance_state'")
	}
	l, err := o.listener.find(c, toText(in["listener_id"]))
	if err != nil {
		return nil, err
	}
	if l.lb.Provisioning != active {
		return nil, immutable("Load Balancer", l.lb.ID)
	}
	p, err := o.newPolicy(c, l, in)
	if err != nil {
		return nil, err
	}
	o.lock(l.lb, &p.Base, &l.Base)
	return oslo.Created(map[string]any{"l7policy": p}), nil
}

// newPolicy adds a policy at its position. The caller has checked its attributes (octavia/db/repositories.py:
// L7PolicyRepository.create).
func (o *Octavia) newPolicy(c *oslo.Call, l *Listener, in object) (*L7Policy, error) {
	p := &L7Policy{Base: o.newBase(c), listener: l, Position: math.MaxInt32}
	if err := take(in, p); err != nil {
		return nil, err
	}
	p.ListenerID, p.ProjectID, p.TenantID = l.ID, l.ProjectID, l.ProjectID
	if err := p.settle(); err != nil {
		return nil, err
	}
	if err := o.reserve(l.ProjectID, "l7policy", 1); err != nil {
		return nil, err
	}
	l.policies = slices.Insert(l.policies, min(p.Position-1, len(l.policies)), p)
	l.number()
	return p, nil
}

// settle makes the attributes of a policy consistent
// (octavia/common/validate.py: sanitize_l7policy_api_args).
func (p *L7Policy) settle() error {
	keep := map[string]**string{"REDIRECT_TO_URL": &p.RedirectURL, "REDIRECT_PREFIX": &p.RedirectPrefix, "REDIRECT_TO_POOL": &p.RedirectPool}
	for action, target := range keep {
		switch {
		case action != p.Action:
			*target = nil
		case *target == nil || **target == "":
			return badRequest("Invalid L7 Policy argument(s) for action %s", action)
		}
	}
	switch p.Action {
	case "REDIRECT_TO_POOL":
		pool := p.listener.lb.poolByID(*p.RedirectPool)
		if pool == nil {
			return notFound("Pool", *p.RedirectPool)
		}
		p.RedirectCode = nil
		return fits(p.listener, pool)
	case "REJECT":
		p.RedirectCode = nil
	default:
		if p.RedirectCode == nil {
			usual := 302
			p.RedirectCode = &usual
		}
	}
	return nil
}

// number sets the positions of the policies.
func (l *Listener) number() {
	for i, p := range l.policies {
		p.Position = i + 1
	}
}

func (o *Octavia) updatePolicy(c *oslo.Call) (*oslo.Response, error) {
	p, err := o.policy.find(c, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	in, bad := body(c, "l7policy")
	if bad == nil {
		bad = policyPUT.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	l := p.listener
	if l.lb.Provisioning != active {
		return nil, immutable("Load Balancer", l.lb.ID)
	}
	changed := *p
	if err := take(in, &changed); err != nil {
		return nil, err
	}
	if err := changed.settle(); err != nil {
		return nil, err
	}
	position := changed.Position
	*p = changed
	i := slices.Index(l.policies, p)
	l.policies = slices.Delete(l.policies, i, i+1)
	l.policies = slices.Insert(l.policies, min(position-1, len(l.policies)), p)
	l.number()
	o.lock(l.lb, &p.Base, &l.Base)
	return oslo.OK(map[string]any{"l7policy": p}), nil
}

func (o *Octavia) deletePolicy(c *oslo.Call) (*oslo.Response, error) {
	p, err := o.policy.find(c, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	lb := p.listener.lb
	if lb.Provisioning != active {
		return nil, immutable("Load Balancer", lb.ID)
	}
	p.Provisioning = pendingDelete
	o.lock(lb, &p.listener.Base)
	return oslo.NoContent(), nil
}
