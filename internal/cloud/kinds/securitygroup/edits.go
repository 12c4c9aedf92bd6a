package securitygroup

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

func compareRules(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	var present, want []string
	rules := slices.Clone(w.Spec.Rules)
	for i := range rules {
		rule := &rules[i]
		group := table.ID(w.Ref("SecurityGroup", table.Or(rule.RemoteGroupRef, "")))
		addresses := table.ID(w.Ref("AddressGroup", table.Or(rule.RemoteAddressGroupRef, "")))
		rule.RemoteGroupRef, rule.RemoteAddressGroupRef = &group, &addresses
		want = append(want, rule.String())
	}
	managed := managed(w, have.More.Rules, rules)
	for i := range managed {
		present = append(present, managed[i].String())
	}
	kind.Set(c, list, present, want, kind.InPlace)
	for i := range have.More.Rules {
		r := &have.More.Rules[i]
		if !slices.ContainsFunc(managed, func(m CloudRule) bool { return m.ID == r.ID }) {
			c.AddForeign(fmt.Sprintf("rule %s (%s)", r, r.ID), table.Or(r.RemoteGroupRef, ""))
		}
	}
}

// list is the field that holds the rules.
const list = "spec.resource.rules"

// managed returns the rules in the cloud without those that the manifest leaves to others. Such a rule is managed nevertheless if
// the manifest has a rule for the same traffic, and no other rule in the cloud is for that traffic.
func managed(w typed.Want[Spec], have []CloudRule, want []Rule) []CloudRule {
	left := func(r CloudRule) bool { return w.IgnoresElement(list, r.ID) }
	if !slices.ContainsFunc(have, left) {
		return have
	}
	missing := map[string]bool{}
	for i := range want {
		missing[want[i].traffic()] = true
	}
	for i := range have {
		if !left(have[i]) {
			delete(missing, have[i].traffic())
		}
	}
	return slices.DeleteFunc(slices.Clone(have), func(r CloudRule) bool { return left(r) && !missing[r.traffic()] })
}

// edits are the requests that change the rules of a group. The rules in before conflict with rules in add, so they are removed first. Then the
// rules in add are created, and the rules in after are removed. kept are the rules that stay.
type edits struct {
	before, after, kept []CloudRule
	add                 []Rule
}

// compare finds the edits that turn have into want. If only the description of a rule differs, the rule must be removed before
// the new one is added. All other rules are removed after their replacements exist, so that no connection is interrupted.
func compare(have []CloudRule, want []Rule) (e edits) {
	wanted, present, coming := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range have {
		present[have[i].String()] = true
	}
	for i := range want {
		text := want[i].String()
		wanted[text] = true
		if !present[text] {
			e.add = append(e.add, want[i])
			coming[want[i].traffic()] = true
		}
	}
	for _, r := range have {
		switch text := r.String(); {
		case wanted[text]:
			wanted[text] = false // another rule with the same text is surplus
			e.kept = append(e.kept, r)
		case coming[r.traffic()]:
			e.before = append(e.before, r)
		default:
			e.after = append(e.after, r)
		}
	}
	return e
}
