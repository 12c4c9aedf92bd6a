package policy

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

func TestAgainst(t *testing.T) {
	object := map[string]any{"kind": "Server", "metadata": map[string]any{"labels": map[string]any{"tier": "web"}}, "spec": map[string]any{"resource": map[string]any{"flavorRef": "m1.huge"}}}
	subject := guard.Subject{Key: manifest.Key{Kind: "Server", Namespace: "default", Name: "web"}, Action: plan.Update, Fields: []string{"spec.resource.flavorRef"}, Object: object}
	for rule, want := range map[string]string{
		"true":                    "",
		"false":                   "p (rules.yaml:3): no",
		"object.kind == 'Server'": "",
		"stack == 'prod'":         "",
		"step.action == 'create'": "p (rules.yaml:3): no",
		"!('spec.resource.flavorRef' in step.changes)":                 "p (rules.yaml:3): no",
		"object.spec.resource.flavorRef in ['m1.tiny']":                "p (rules.yaml:3): no",
		"has(object.metadata.labels.owner)":                            "p (rules.yaml:3): no",
		"object.metadata.labels.owner == 'ada'":                        "p (rules.yaml:3) cannot be asked about Server/web: no such key: owner; use has() for a field that may be missing",
		"object.spec":                                                  "p (rules.yaml:3) cannot be asked about Server/web: is neither true nor false, but of type map",
		"object.spec.resource.flavorRef > 3":                           "p (rules.yaml:3) cannot be asked about Server/web: no such overload",
		"lists.range(1000).all(a, lists.range(1000).all(b, a+b >= 0))": "p (rules.yaml:3) cannot be asked about Server/web: costs more than",
	} {
		compiled, err := NewRule(rule)
		if err != nil {
			t.Errorf("%s: %v", rule, err)
			continue
		}
		p := Policy{Name: "p", Origin: manifest.Origin{File: "rules.yaml", Line: 3}, Rule: compiled, Message: "no"}
		if got := p.against(subject, "prod"); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s:\ngot  %s\nwant %s", rule, got, want)
		}
	}
	for _, wrong := range []string{"", "1", "'text'", "object.", "manifest.kind == 'x'", "object.kind.matches('a')", strings.Repeat("(", 200) + "true" + strings.Repeat(")", 200)} {
		if _, err := NewRule(wrong); err == nil {
			t.Errorf("%.60q is taken for a rule", wrong)
		}
	}
}

// TestAbout checks that a policy with patterns applies to the matching stacks, and a policy without patterns to
// all stacks.
func TestAbout(t *testing.T) {
	for _, c := range []struct {
		patterns []string
		stack    string
		want     bool
	}{
		{nil, "prod", true}, {[]string{"prod"}, "prod", true}, {[]string{"prod"}, "prod-eu", false}, {[]string{"a", "prod-*"}, "prod-eu", true},
	} {
		if p := (Policy{Stacks: c.patterns}); p.About(c.stack) != c.want {
			t.Errorf("%v is about %s: %t", c.patterns, c.stack, !c.want)
		}
	}
}
