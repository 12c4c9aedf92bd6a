package config

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
)

const perKind = "spec.sync.maxDeletesPerKind"

func parseLimits(written map[string]manifest.IntOrString) (map[string]guard.Limit, error) {
	limits := make(map[string]guard.Limit, len(written))
	var problems []error
	for kind, text := range written {
		limit, err := guard.ParseLimit(text.String())
		limits[kind] = limit
		problems = append(problems, err)
	}
	return limits, errors.Join(problems...)
}

// CheckKinds reports which kinds in the stack's limits are not known. Known kinds are those whose objects a stack can
// own.
func (s *Stack) CheckKinds(known []string) (problems manifest.Problems) {
	for _, kind := range slices.Sorted(maps.Keys(s.Limits.Kinds)) {
		if slices.Contains(known, kind) {
			continue
		}
		p := manifest.Problem{Origin: s.Origin, Key: manifest.Key{Kind: GVK.Kind, Name: s.Name}, Field: perKind + "." + kind,
			What: "no object in the cloud has the kind " + kind, Fix: "name one of " + strings.Join(known, ", ")}
		if near := nearest.Name(kind, known); near != "" {
			p.Fix = "did you mean " + near + "?"
		}
		if s.where != nil {
			p.Origin.Line = s.where(p.Field).Line
		}
		problems = append(problems, p)
	}
	return problems
}
