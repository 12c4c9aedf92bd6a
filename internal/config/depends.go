package config

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/nearest"
)

// depends reports dependencies on stacks that do not exist, and circles of dependencies.
func depends(stacks []Stack) (problems manifest.Problems) {
	const field = "spec.dependsOn"
	byName, names := map[string]*Stack{}, []string{}
	for i := range stacks {
		byName[stacks[i].Name] = &stacks[i]
		names = append(names, stacks[i].Name)
	}
	problem := func(s *Stack, what, fix string) {
		problems = append(problems, manifest.Problem{Origin: s.where(field), Key: manifest.Key{Kind: GVK.Kind, Name: s.Name}, Field: field, What: what, Fix: fix})
	}
	for i := range stacks {
		s := &stacks[i]
		for _, name := range s.Spec.DependsOn {
			if byName[name] == nil {
				fix := "name a stack of the configuration"
				if near := nearest.Name(name, names); near != "" {
					fix = "did you mean " + near + "?"
				}
				problem(s, "names the stack "+name+", which does not exist", fix)
			}
		}
		if circle := circleOf(s.Name, byName); circle != nil && slices.Min(circle) == s.Name {
			problem(s, "is a circle: "+strings.Join(append(circle, s.Name), " depends on "), "remove one of these")
		}
	}
	return problems
}

// depends reports mistakes in the setting depends-on. documents are all documents of the files.
func (s Settings) depends(stacks, documents []Stack) (problems manifest.Problems) {
	if s["depends-on"] == "" || len(stacks) != 1 {
		return nil
	}
	for _, name := range stacks[0].Spec.DependsOn {
		p := manifest.Problem{Origin: manifest.Origin{File: "--depends-on"}, Fix: "name another stack"}
		switch known := func(d Stack) bool { return d.Name == name }; {
		case name == stacks[0].Name:
			p.What = "names the stack itself, so it would wait forever"
		case len(documents) > 0 && !slices.ContainsFunc(documents, known):
			p.What, p.Fix = "names the stack "+name+", which does not exist", "name a stack of the configuration"
		default:
			continue
		}
		problems = append(problems, p)
	}
	return problems
}

// circleOf returns a path of dependencies from a stack back to itself, or nil if there is none.
func circleOf(name string, byName map[string]*Stack) []string {
	seen := map[string]bool{}
	var walk func(at string) []string
	walk = func(at string) []string {
		if seen[at] || byName[at] == nil {
			return nil
		}
		seen[at] = true
		for _, next := range byName[at].Spec.DependsOn {
			if next == name {
				return []string{at}
			}
			if way := walk(next); way != nil {
				return append([]string{at}, way...)
			}
		}
		return nil
	}
	return walk(name)
}
