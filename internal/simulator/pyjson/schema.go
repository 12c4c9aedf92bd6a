package pyjson

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Schema is the part of JSON Schema that the services use. A zero field has no effect. Checks run in the order
// of the fields, and the first failure is reported, as in Validator.validate of the library.
type Schema struct {
	Types     []string // of "null", "boolean", "integer", "number", "string", "array", "object"
	Enum      []any
	MinLength int
	MaxLength int
	Pattern   string
	Format    string // "uuid", "ip", "ipv4", "ipv6", "base64", "name": see formats
	Minimum   *int64
	Maximum   *int64
	MinItems  int
	MaxItems  int
	Unique    bool
	Items     *Schema
	Props     []Prop
	Patterns  []Prop // Name is a regular expression
	Required  []string
	MaxProps  int
	Closed    bool // no other properties are allowed
	AnyOf     []*Schema
}

// Prop is a property of an object.
type Prop struct {
	Name   string
	Schema *Schema
}

// Failure describes a value that a schema refuses. Path is the last step of the path to the value, and is empty
// at the top.
type Failure struct {
	Path     string
	Instance any
	Message  string
}

// Check returns the first failure, or nil.
func (s *Schema) Check(v any) *Failure { return s.check("", v) }

func (s *Schema) check(path string, v any) *Failure {
	if s == nil {
		return nil
	}
	if reason := s.value(v); reason != "" {
		return &Failure{path, v, reason}
	}
	switch v := v.(type) {
	case []any:
		return s.list(path, v)
	case *Object:
		return s.object(path, v)
	}
	return nil
}

func (s *Schema) value(v any) string {
	if len(s.Types) > 0 && !s.typed(v) {
		quoted := make([]string, len(s.Types))
		for i, t := range s.Types {
			quoted[i] = "'" + t + "'"
		}
		return Repr(v) + " is not of type " + strings.Join(quoted, ", ")
	}
	if len(s.Enum) > 0 && !contains(s.Enum, v) {
		return Repr(v) + " is not one of " + Repr(s.Enum)
	}
	if len(s.AnyOf) > 0 && !s.any(v) {
		return Repr(v) + " is not valid under any of the given schemas"
	}
	switch v := v.(type) {
	case string:
		return s.text(v)
	case json.Number:
		return s.number(v)
	}
	return ""
}

func (s *Schema) any(v any) bool {
	for _, option := range s.AnyOf {
		if option.Check(v) == nil {
			return true
		}
	}
	return false
}

func (s *Schema) typed(v any) bool {
	for _, t := range s.Types {
		if typeIs(v, t) {
			return true
		}
	}
	return false
}

func typeIs(v any, t string) bool {
	switch v := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case []any:
		return t == "array"
	case *Object:
		return t == "object"
	case json.Number:
		if t == "number" {
			return true
		}
		f, err := v.Float64()
		return t == "integer" && err == nil && f == float64(int64(f))
	}
	return false
}

func contains(list []any, v any) bool {
	for _, item := range list {
		if item == v {
			return true
		}
		if n, ok := v.(json.Number); ok && fmt.Sprint(item) == n.String() {
			if _, text := item.(string); !text {
				return true
			}
		}
	}
	return false
}

func (s *Schema) text(v string) string {
	if n := utf8.RuneCountInString(v); s.MinLength > 0 && n < s.MinLength {
		return Repr(v) + " is too short"
	} else if s.MaxLength > 0 && n > s.MaxLength {
		return Repr(v) + " is too long"
	}
	if s.Pattern != "" {
		re, err := regexp.Compile(s.Pattern)
		if err != nil || !re.MatchString(v) {
			return Repr(v) + " does not match " + Repr(s.Pattern)
		}
	}
	if check := formats[s.Format]; check != nil && !check(v) {
		return fmt.Sprintf("%s is not a '%s'", Repr(v), s.Format)
	}
	return s.number(json.Number(v))
}

// number compares a number with the bounds. It also compares strings that consist of digits, because Nova and
// Cinder treat them as numbers if there is a bound.
func (s *Schema) number(v json.Number) string {
	if s.Minimum == nil && s.Maximum == nil {
		return ""
	}
	n, err := strconv.ParseInt(v.String(), 10, 64)
	switch {
	case err != nil && !strings.Contains(err.Error(), "range"):
		return ""
	case s.Minimum != nil && n < *s.Minimum:
		return fmt.Sprintf("%s is less than the minimum of %d", v, *s.Minimum)
	case s.Maximum != nil && n > *s.Maximum:
		return fmt.Sprintf("%s is greater than the maximum of %d", v, *s.Maximum)
	}
	return ""
}

func (s *Schema) list(path string, v []any) *Failure {
	switch {
	case len(v) < s.MinItems:
		return &Failure{path, v, Repr(v) + " is too short"}
	case s.MaxItems > 0 && len(v) > s.MaxItems:
		return &Failure{path, v, Repr(v) + " is too long"}
	case s.Unique && repeats(v):
		return &Failure{path, v, Repr(v) + " has non-unique elements"}
	}
	for i, item := range v {
		if f := s.Items.check(strconv.Itoa(i), item); f != nil {
			return f
		}
	}
	return nil
}

func repeats(v []any) bool {
	seen := map[string]bool{}
	for _, item := range v {
		if key := Repr(item); seen[key] {
			return true
		} else {
			seen[key] = true
		}
	}
	return false
}

func (s *Schema) object(path string, v *Object) *Failure {
	if s.MaxProps > 0 && len(v.Keys()) > s.MaxProps {
		return &Failure{path, v, Repr(v) + " has too many properties"}
	}
	for _, p := range s.Props {
		if member, ok := v.Get(p.Name); ok {
			if f := p.Schema.check(p.Name, member); f != nil {
				return f
			}
		}
	}
	for _, name := range s.Required {
		if !v.Has(name) {
			return &Failure{path, v, Repr(name) + " is a required property"}
		}
	}
	return s.others(path, v)
}

// others checks the members that Props does not contain.
func (s *Schema) others(path string, v *Object) *Failure {
	var unknown []string
	for _, key := range v.Keys() {
		if s.names(key) {
			continue
		}
		matched := false
		for _, p := range s.Patterns {
			re, err := regexp.Compile(p.Name)
			if err != nil || !re.MatchString(key) {
				continue
			}
			matched = true
			member, _ := v.Get(key)
			if f := p.Schema.check(key, member); f != nil {
				return f
			}
		}
		if !matched {
			unknown = append(unknown, Repr(key))
		}
	}
	if !s.Closed || len(unknown) == 0 {
		return nil
	}
	keys := strings.Join(unknown, ", ")
	if len(s.Patterns) > 0 {
		verb := "does"
		if len(unknown) > 1 {
			verb = "do"
		}
		names := make([]string, len(s.Patterns))
		for i, p := range s.Patterns {
			names[i] = Repr(p.Name)
		}
		return &Failure{path, v, fmt.Sprintf("%s %s not match any of the regexes: %s", keys, verb, strings.Join(names, ", "))}
	}
	verb := "was"
	if len(unknown) > 1 {
		verb = "were"
	}
	return &Failure{path, v, fmt.Sprintf("Additional properties are not allowed (%s %s unexpected)", keys, verb)}
}

func (s *Schema) names(key string) bool {
	for _, p := range s.Props {
		if p.Name == key {
			return true
		}
	}
	return false
}
