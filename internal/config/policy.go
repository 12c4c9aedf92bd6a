package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/policy"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// PolicyGVK is the kind of the policies in configuration files.
var PolicyGVK = manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Policy"}

// PolicyBody is a whole document, for the commands schema and explain.
type PolicyBody struct {
	Spec PolicySpec `json:"spec" rule:"required" doc:"The rule for every object, and its effect."`
}

// PolicySpec is the content of a Policy document.
type PolicySpec struct {
	Match   Match  `json:"match,omitempty" doc:"Objects to which the rule applies; all if left out."`
	Rule    string `json:"rule" rule:"lines,required,min=1,max=4096" doc:"A CEL expression that is true for allowed objects. It can use object (kind, metadata, spec), step (action, changes) and stack."`
	Message string `json:"message,omitempty" rule:"lines,max=500" doc:"Text for people if the rule is not true; the rule itself if left out."`
	Action  string `json:"action,omitempty" rule:"enum=deny|warn,default=deny" doc:"deny: the step is not carried out. warn: the plan has a note, and the step is carried out."`
}

// Match selects the objects to which a policy applies.
type Match struct {
	Stacks []string `json:"stacks,omitempty" rule:"max=100,unique" doc:"Names of stacks, or patterns such as prod-*."`
	Kinds  []string `json:"kinds,omitempty" rule:"max=100,unique" doc:"Kinds of objects, such as FloatingIP."`
}

// decodePolicy reads a Policy document.
func decodePolicy(obj *manifest.Object) (policy.Policy, []manifest.Problem) {
	var body PolicyBody
	problems := obj.Decode(&body)
	add := func(field, what, fix string) {
		problems = append(problems, manifest.Problem{Origin: obj.Where(field), Key: obj.Key, Field: field, What: what, Fix: fix})
	}
	p := policy.Policy{
		Name: obj.Key.Name, Origin: obj.Origin, Stacks: body.Spec.Match.Stacks, Kinds: body.Spec.Match.Kinds, Message: body.Spec.Message,
		Warn: body.Spec.Action == "warn",
	}
	if body.Spec.Rule != "" {
		rule, err := policy.NewRule(body.Spec.Rule)
		if err != nil {
			add("spec.rule", err.Error(), "correct the expression")
		}
		p.Rule = rule
	}
	for i, pattern := range p.Stacks {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			add(fmt.Sprintf("spec.match.stacks[%d]", i), fmt.Sprintf("%q is not a pattern", pattern), "write a name, or a pattern such as prod-*")
		}
	}
	return p, problems
}

// policiesTwice reports policies with the same name.
func policiesTwice(policies []policy.Policy) (problems manifest.Problems) {
	for i, p := range policies {
		same := slices.IndexFunc(policies[:i], func(o policy.Policy) bool { return o.Name == p.Name })
		if same >= 0 {
			problems = append(problems, manifest.Problem{Origin: p.Origin, Field: "metadata.name",
				What: fmt.Sprintf("the policy %s is also configured at %s", p.Name, policies[same].Origin), Fix: "rename or remove one of the two"})
		}
	}
	return problems
}

// CheckPolicies reports kinds in policies whose spelling is similar to that of a known kind, because such a rule
// would apply to nothing. Other unknown kinds are allowed, because manifests may define them. All stacks of a
// configuration have the same policies.
func (s *Stack) CheckPolicies(known []string) (problems manifest.Problems) {
	for _, p := range s.policies {
		for i, kind := range p.Kinds {
			if near := nearest.Name(kind, known); !slices.Contains(known, kind) && (near != "" || kind == "" || strings.ToUpper(kind[:1]) != kind[:1]) {
				problem := manifest.Problem{Origin: p.Origin, Key: manifest.Key{Kind: PolicyGVK.Kind, Name: p.Name}, Field: fmt.Sprintf("spec.match.kinds[%d]", i),
					What: fmt.Sprintf("there is no kind %s", kind), Fix: "write a kind as manifests do, such as FloatingIP"}
				if near != "" {
					problem.Fix = "did you mean " + near + "?"
				}
				problems = append(problems, problem)
			}
		}
	}
	return problems
}

// TryPolicies applies the stack's policies to a plan that was made without a cloud. A denied object is a problem,
// although an existing object would not be changed. If a rule depends on the cloud, a note says that it was not
// tried.
func (s *Stack) TryPolicies(p plan.Plan) (problems, notes manifest.Problems) {
	at := map[manifest.Key]manifest.Origin{}
	for i := range p.Workloads {
		at[p.Workloads[i].Key] = p.Workloads[i].Origin
	}
	for i := range p.Steps {
		at[p.Steps[i].Key] = p.Steps[i].Origin
	}
	type place struct {
		policy string
		at     manifest.Origin
	}
	said, untried := map[place]bool{}, map[string]int{}
	for _, f := range policy.Try(s.policies, s.Name, p) {
		here := place{f.Policy.Name, at[f.Key]}
		switch problem := (manifest.Problem{Origin: here.at, Key: f.Key, Field: "policy", What: f.Against}); {
		case f.Untried:
			untried[f.Policy.Name]++
		case said[here]: // several objects may come from one manifest, and its problem is reported once
		case f.Policy.Warn:
			notes, said[here] = append(notes, problem), true
		default:
			problem.Fix = "change the object; if it exists already, it is not changed"
			problems, said[here] = append(problems, problem), true
		}
	}
	for i := range s.policies {
		if n := untried[s.policies[i].Name]; n > 0 {
			notes = append(notes, manifest.Problem{Origin: s.policies[i].Origin, Key: manifest.Key{Kind: PolicyGVK.Kind, Name: s.policies[i].Name}, Field: "spec.rule",
				What: fmt.Sprintf("could not be checked for %d of the objects, because the rule needs steps of a plan, or data of the cloud; a plan checks it", n)})
		}
	}
	return problems, notes
}

// HasPolicies reports whether there is a policy that may apply to the stack.
func (s *Stack) HasPolicies() bool {
	return slices.ContainsFunc(s.policies, func(p policy.Policy) bool { return p.About(s.Name) })
}
