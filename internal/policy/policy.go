// Package policy checks plans with rules that a platform team writes into the agent's configuration.
//
// It defines the inputs of a rule and the effects of its result. It cannot cause changes in the cloud: a policy
// can only remove steps from a plan.
package policy

import (
	"fmt"
	"path"
	"slices"

	"github.com/stackreeve/stackreeve/internal/definition"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// Policy is a rule, with the stacks and kinds to which it applies.
type Policy struct {
	Name    string
	Origin  manifest.Origin
	Stacks  []string // patterns of names; empty means all
	Kinds   []string // empty means all
	Rule    *definition.Rule
	Message string
	Warn    bool // reports whether an object that violates the rule is only reported
}

// NewRule compiles a rule. The text of its error is for people.
func NewRule(source string) (*definition.Rule, error) {
	return definition.NewRule(source, "object", "refs", "step", "stack")
}

// About reports whether the policy applies to a stack.
func (p *Policy) About(stack string) bool {
	return len(p.Stacks) == 0 || slices.ContainsFunc(p.Stacks, func(pattern string) bool {
		matched, err := path.Match(pattern, stack)
		return matched || err != nil // invalid patterns are refused when the configuration is read
	})
}

func (p *Policy) asks(kind string) bool { return len(p.Kinds) == 0 || slices.Contains(p.Kinds, kind) }

// Judge combines the policies that apply to a stack to one policy for plans.
func Judge(policies []Policy, stack string) plan.Policy {
	about := slices.DeleteFunc(slices.Clone(policies), func(p Policy) bool { return !p.About(stack) })
	of := func(kind string) bool { return slices.ContainsFunc(about, func(p Policy) bool { return p.asks(kind) }) }
	return guard.Judge(of, func(s guard.Subject) (v guard.Verdict) {
		for i := range about {
			p := &about[i]
			against := p.against(s, stack)
			switch {
			case against == "":
			case p.Warn:
				v.Warn = append(v.Warn, against)
			case v.Deny == "":
				v.Deny = against
			}
		}
		return v
	})
}

// refs returns references in the form for rules. A reference that is not resolved yet has neither cloudName nor
// id. If a rule uses these, it has no result, and the object counts as violating it.
func refs(list []guard.Reference) []any {
	all := make([]any, len(list))
	for i, r := range list {
		one := map[string]any{"of": r.Of.String(), "field": r.Field, "kind": r.Key.Kind, "name": r.Key.Name, "imported": r.Imported}
		if r.Known {
			one["cloudName"], one["id"] = r.Name, r.ID
		}
		all[i] = one
	}
	return all
}

// against returns the policy's objection to an object, for a message, or "". A rule without a result is an
// objection.
func (p *Policy) against(s guard.Subject, stack string) string {
	if !p.asks(s.Key.Kind) {
		return ""
	}
	changes := make([]any, len(s.Fields))
	for i, field := range s.Fields {
		changes[i] = field
	}
	holds, err := p.Rule.Holds(map[string]any{
		"object": s.Object, "refs": refs(s.Refs), "stack": stack, "step": map[string]any{"action": string(s.Action), "changes": changes},
	})
	switch {
	case err != nil:
		return fmt.Sprintf("%s (%s) cannot be asked about %s: %v", p.Name, p.Origin, s.Key, err)
	case holds:
		return ""
	case p.Message != "":
		return fmt.Sprintf("%s (%s): %s", p.Name, p.Origin, p.Message)
	}
	return fmt.Sprintf("%s (%s) wants %s", p.Name, p.Origin, p.Rule)
}
