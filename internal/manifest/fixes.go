package manifest

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// unknownField returns the advice for an unknown field. It suggests a known field with a similar name. Otherwise, it
// suggests the place where a field of exactly that name belongs: below one of the known fields, or below one of the fields
// beside.
func unknownField(known *fields, name string, beside []field) string {
	if c := nearest.Name(name, known.names); c != "" {
		return "did you mean " + c + "?"
	}
	for _, f := range slices.Concat(known.list, beside) {
		if f.typ.shape() == structShape && f.typ.fields().named(name) != nil {
			return "it belongs in " + f.name
		}
	}
	return didYouMean(name, known.names)
}

func requiredFix(f field) string {
	switch {
	case len(f.rules.enum) > 0:
		return "one of " + strings.Join(f.rules.enum, ", ")
	case f.rules.format != "":
		return "add " + formats[f.rules.format].what
	}
	return ""
}

// checkOneof returns the mistake in a struct of which exactly one part must be set.
func checkOneof(known *fields, set []bool) string {
	var parts, chosen []string
	for i, f := range known.list {
		if !f.part {
			continue
		}
		if parts = append(parts, f.name); set[i] {
			chosen = append(chosen, f.name)
		}
	}
	switch len(chosen) {
	case 0:
		return "exactly one of " + strings.Join(parts, ", ") + " must be set"
	case 1:
		return ""
	}
	return "only one of " + strings.Join(chosen, ", ") + " may be set"
}

// isPart reports whether a field is one of the alternatives of its struct.
func isPart(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
}

func wantedName(s shape) string {
	switch s {
	case boolShape:
		return "a boolean"
	case intShape, uintShape, floatShape:
		return "a number"
	}
	return "a string"
}

func boolFix(written string) string {
	switch strings.ToLower(written) {
	case "true", "false", "yes", "no", "on", "off":
		return "remove the quotes"
	}
	return "write true or false"
}

// withUnit matches a number with a unit, as Kubernetes or a person writes it.
var withUnit = pattern.Of(`^[0-9]+ ?[KkMmGgTtPp][Ii]?[Bb]?$`)

func unitFix(n *yaml.Node, s spot) string {
	if s.rules.secret || !withUnit.MatchString(n.Value) {
		return ""
	}
	return "write the number without a unit; `explain` names the unit"
}

func wholeFix(n *yaml.Node, s spot) string {
	f, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || s.rules.secret || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return ""
	}
	return "write " + strconv.FormatFloat(f, 'f', -1, 64)
}
