package policy

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

// Finding is the result of a policy for an object, without any data from the cloud.
type Finding struct {
	Policy *Policy
	Key    manifest.Key
	// Against is the policy's objection to the object. Untried is true if the result depends on the cloud.
	Against string
	Untried bool
}

// Try applies the policies to the objects that a stack declares, in a plan that was made without a cloud. A rule
// about steps has no result then. If a rule objects to an object with references that only the cloud can resolve,
// the rule has no result either.
func Try(policies []Policy, stack string, p plan.Plan) (found []Finding) {
	about := slices.DeleteFunc(slices.Clone(policies), func(p Policy) bool { return !p.About(stack) })
	if len(about) == 0 {
		return nil
	}
	guard.Judge(func(kind string) bool {
		return slices.ContainsFunc(about, func(p Policy) bool { return p.asks(kind) })
	}, func(s guard.Subject) (none guard.Verdict) {
		for i := range about {
			if f := about[i].try(s, stack); f.Untried || f.Against != "" {
				found = append(found, f)
			}
		}
		return none
	})(p)
	return found
}

func (p *Policy) try(s guard.Subject, stack string) Finding {
	f := Finding{Policy: p, Key: s.Key}
	if !p.asks(s.Key.Kind) {
		return f
	}
	if f.Untried = p.Rule.Sees("step"); f.Untried {
		return f
	}
	f.Against = p.against(s, stack)
	unknown := slices.ContainsFunc(s.Refs, func(r guard.Reference) bool { return !r.Known })
	if f.Against != "" && unknown && p.Rule.Sees("refs") {
		f.Against, f.Untried = "", true
	}
	return f
}
