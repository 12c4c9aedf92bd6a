package octavia

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

func (o *Octavia) rulesOf(c *oslo.Call) ([]*L7Rule, error) {
	p, err := o.policy.find(c, c.PathValue("policy"))
	if err != nil {
		return nil, err
	}
	return slices.Clone(p.rules), nil
}

func (o *Octavia) createRule(c *oslo.Call) (*oslo.Response, error) {
	p, err := o.policy.find(c, c.PathValue("policy"))
	if err != nil {
		return nil, err
	}
	in, bad := body(c, "rule")
	if bad == nil {
		bad = rulePOST.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	if p.listener.lb.Provisioning != active {
		return nil, immutable("Load Balancer", p.listener.lb.ID)
	}
	r, err := o.newRule(c, p, in)
	if err != nil {
		return nil, err
	}
	o.lock(p.listener.lb, &r.Base, &p.Base, &p.listener.Base)
	return oslo.Created(map[string]any{"rule": r}), nil
}

func (o *Octavia) newRule(c *oslo.Call, p *L7Policy, in object) (*L7Rule, error) {
	r := &L7Rule{Base: o.newBase(c), policy: p}
	if err := take(in, r); err != nil {
		return nil, err
	}
	r.ProjectID, r.TenantID = p.ProjectID, p.ProjectID
	if err := r.judge(); err != nil {
		return nil, err
	}
	if err := o.reserve(p.ProjectID, "l7rule", 1); err != nil {
		return nil, err
	}
	p.rules = append(p.rules, r)
	return r, nil
}

// judge returns an error if a rule makes no sense (octavia/common/validate.py: l7rule_data).
func (r *L7Rule) judge() error {
	keyed := r.Type == "HEADER" || r.Type == "COOKIE" || r.Type == "SSL_DN_FIELD"
	number, err := strconv.Atoi(r.Value)
	what := ""
	switch {
	case r.Value == "":
		what = "L7 rule type requires a value"
	case keyed && (r.Key == nil || *r.Key == ""):
		what = "L7 rule type requires a key"
	case strings.HasPrefix(r.Type, "SSL_") && !keyed && (r.Key != nil || r.Compare != "EQUAL_TO"):
		what = "L7rule type " + r.Type + " only supports the EQUAL_TO compare type."
	case r.Type == "SSL_CONN_HAS_CERT" && !strings.EqualFold(r.Value, "true"), r.Type == "SSL_VERIFY_RESULT" && (err != nil || number < 0):
		what = "L7rule value " + r.Value + " is not valid for type " + r.Type
	case r.Type == "FILE_TYPE" && r.Compare != "REGEX" && r.Compare != "EQUAL_TO":
		what = "invalid comparison type for rule type"
	}
	if what != "" {
		return badRequest("L7Rule is not valid: %s", what)
	}
	return nil
}

func (o *Octavia) updateRule(c *oslo.Call) (*oslo.Response, error) {
	r, err := o.rule.find(c, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	in, bad := body(c, "rule")
	if bad == nil {
		bad = rulePUT.check(in)
	}
	if bad != nil {
		return nil, bad
	}
	p := r.policy
	if p.listener.lb.Provisioning != active {
		return nil, immutable("Load Balancer", p.listener.lb.ID)
	}
	changed := *r
	if err := take(in, &changed); err != nil {
		return nil, err
	}
	if err := changed.judge(); err != nil {
		return nil, err
	}
	*r = changed
	o.lock(p.listener.lb, &r.Base, &p.Base, &p.listener.Base)
	return oslo.OK(map[string]any{"rule": r}), nil
}

func (o *Octavia) deleteRule(c *oslo.Call) (*oslo.Response, error) {
	r, err := o.rule.find(c, c.PathValue("id"))
	if err != nil {
		return nil, err
	}
	p := r.policy
	if p.listener.lb.Provisioning != active {
		return nil, immutable("Load Balancer", p.listener.lb.ID)
	}
	r.Provisioning = pendingDelete
	o.lock(p.listener.lb, &p.Base, &p.listener.Base)
	return oslo.NoContent(), nil
}

// dropDeleted removes the policies and rules whose deletion is complete.
func (l *Listener) dropDeleted() {
	l.policies = slices.DeleteFunc(l.policies, func(p *L7Policy) bool { return p.Provisioning == pendingDelete })
	for _, p := range l.policies {
		p.rules = slices.DeleteFunc(p.rules, func(r *L7Rule) bool { return r.Provisioning == pendingDelete })
		p.Operating = up(p.AdminStateUp)
		for _, r := range p.rules {
			r.Operating = up(r.AdminStateUp)
		}
	}
	l.number()
}

// refresh sets the references that the API shows.
func (l *Listener) refresh() {
	l.L7Policies = []ref{}
	for _, p := range l.policies {
		l.L7Policies = append(l.L7Policies, ref{p.ID})
		p.Rules = []ref{}
		for _, r := range p.rules {
			p.Rules = append(p.Rules, ref{r.ID})
		}
	}
}

// l7 builds the policies of a listener in a populated create request.
func (g *graph) l7(l *Listener, policies []object) error {
	for _, in := range policies {
		rules, redirect := items(in["rules"]), in["redirect_pool"]
		if bad := policyNested.check(in); bad != nil {
			return bad
		}
		delete(in, "rules")
		delete(in, "redirect_pool")
		if wanted, ok := redirect.(object); ok {
			pool, err := g.defaultPool(wanted)
			if err != nil {
				return err
			}
			in["redirect_pool_id"] = pool.ID
		}
		p, err := g.o.newPolicy(g.c, l, in)
		if err != nil {
			return err
		}
		for _, rule := range rules {
			if bad := rulePOST.check(rule); bad != nil {
				return bad
			}
			if _, err := g.o.newRule(g.c, p, rule); err != nil {
				return err
			}
		}
	}
	return nil
}
