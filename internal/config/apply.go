package config

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Settings are the values of flags and environment variables, by the name of the flag.
type Settings map[string]string

// Environment reads the settings from the environment.
func Environment() Settings {
	s := Settings{}
	for _, setting := range All() {
		if value, ok := os.LookupEnv(setting.Env()); ok && value != "" {
			s[setting.Flag] = value
		}
	}
	return s
}

// over applies the settings to the stacks of files. Without a file, it makes a separate stack of the settings.
func (s Settings) over(stacks []Stack, fromFiles bool) ([]Stack, manifest.Problems) {
	name, rest := s["stack"], maps.Clone(s)
	delete(rest, "stack")
	if !fromFiles {
		if len(s) == 0 {
			return nil, nil
		}
		one, problems := s.apply(Stack{Name: name, Origin: manifest.Origin{File: "flags"}})
		return []Stack{one}, problems
	}
	if name != "" {
		var names []string
		for _, stack := range stacks {
			names = append(names, stack.Name)
		}
		i := slices.Index(names, name)
		if i < 0 {
			i = slices.IndexFunc(stacks, func(of Stack) bool { return of.PerFolder() && strings.HasPrefix(name, of.Name+"-") })
			if i >= 0 {
				stacks[i].only = name
			}
		}
		if i < 0 {
			fix := "it has " + strings.Join(names, ", ")
			return nil, manifest.Problems{{Origin: manifest.Origin{File: "--stack"}, What: fmt.Sprintf("the configuration has no stack %s", name), Fix: fix}}
		}
		stacks = stacks[i : i+1]
	}
	if len(rest) == 0 {
		return stacks, nil
	}
	if len(stacks) > 1 {
		flags := slices.Sorted(maps.Keys(rest))
		return nil, manifest.Problems{{Origin: manifest.Origin{File: "--" + flags[0]}, What: fmt.Sprintf("the configuration has %d stacks", len(stacks)), Fix: "choose one with --stack"}}
	}
	one, problems := rest.apply(stacks[0])
	return []Stack{one}, problems
}

// apply decodes the stack again with the settings in it. So the same rules apply to flags and to files.
func (s Settings) apply(stack Stack) (Stack, manifest.Problems) {
	if stack.Name == "" && s["stack"] == "" {
		return stack, manifest.Problems{{Origin: manifest.Origin{File: "--stack"}, What: "is missing",
			Fix: "name the stack (or $STACKREEVE_STACK): its name is a part of the owner mark of its objects"}}
	}
	stack.Name = cmp.Or(s["stack"], stack.Name)
	spec, err := asMap(stack.Spec)
	if err != nil {
		return stack, manifest.Problems{{Origin: stack.Origin, What: err.Error()}}
	}
	var problems manifest.Problems
	for _, setting := range All() {
		given, ok := s[setting.Flag]
		if !ok || setting.Flag == "stack" {
			continue
		}
		value, what := setting.value(given)
		if what != "" {
			problems = append(problems, manifest.Problem{Origin: manifest.Origin{File: "--" + setting.Flag}, What: what})
			continue
		}
		put(spec, strings.Split(setting.Field, ".")[1:], value)
	}
	key := manifest.Key{Group: GVK.Group, Kind: GVK.Kind, Name: stack.Name}
	obj, err := manifest.NewObject(key, GVK.APIVersion(), stack.Origin, nil, map[string]any{"spec": spec})
	if err != nil {
		return stack, append(problems, manifest.Problem{Origin: stack.Origin, What: err.Error()})
	}
	made, wrong := decode(&obj)
	made.only = stack.only
	for _, p := range wrong {
		problems = append(problems, s.blame(p))
	}
	return made, problems
}

// blame replaces the field in a problem by the flag for this field.
func (s Settings) blame(p manifest.Problem) manifest.Problem {
	for _, setting := range All() {
		if p.Field == setting.Field || strings.HasPrefix(p.Field, setting.Field+".") {
			p.Origin, p.Key, p.Field = manifest.Origin{File: "--" + setting.Flag}, manifest.Key{}, ""
		}
	}
	return p
}

func (s Setting) value(given string) (value any, problem string) {
	switch s.shape {
	case boolean:
		b, err := strconv.ParseBool(given)
		if err != nil {
			return nil, fmt.Sprintf("%q is neither true nor false", given)
		}
		return b, ""
	case number:
		return count(given), ""
	case list:
		return strings.Split(given, ","), ""
	case pairs, numbers:
		m := map[string]any{}
		for pair := range strings.SplitSeq(given, ",") {
			k, v, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, fmt.Sprintf("%q is not of the form KEY=VALUE", pair)
			}
			k, v = strings.TrimSpace(k), strings.TrimSpace(v)
			if m[k] = v; s.shape == numbers {
				m[k] = count(v)
			}
		}
		return m, ""
	}
	return given, ""
}
