package definition

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// markers contains the markers in the line of a field, which follow the type.
type markers struct {
	required, immutable bool
	fallback            any // the value of an absent field; nil if there is none
	doc                 string
	rules               []string
}

type marker struct{ name, value string }

var markerName = pattern.Of(`^\s*([A-Za-z]+)=`)

// splitMarkers parses name=value pairs. A value may be in quotes or brackets.
func splitMarkers(text string) (list []marker, err error) {
	for strings.TrimSpace(text) != "" {
		m := markerName.FindStringSubmatch(text)
		if m == nil {
			return list, fmt.Errorf("%q is not a marker", clip(strings.TrimSpace(text)))
		}
		text = text[len(m[0]):]
		if text != "" && text[0] == '"' {
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return list, fmt.Errorf("the quote of %s is not closed", m[1])
			}
			value, _ := strconv.Unquote(quoted)
			list, text = append(list, marker{m[1], value}), text[len(quoted):]
			continue
		}
		end := strings.IndexAny(text, " \t\n")
		if text != "" && (text[0] == '[' || text[0] == '{') {
			if end = endOfBracket(text); end < 0 {
				return list, fmt.Errorf("the bracket of %s is not closed", m[1])
			}
		}
		if end < 0 {
			end = len(text)
		}
		list, text = append(list, marker{m[1], text[:end]}), text[end:]
	}
	return list, nil
}

// endOfBracket returns the offset after the bracket that closes the first bracket, by the rules of JSON. It is
// negative if no bracket closes it.
func endOfBracket(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// add applies a marker to the field.
func (f *field) add(s *shape, name, value string) (err error) {
	number := s.what == "integer" || s.what == "float"
	switch name {
	case "required", "immutable", "uniqueItems":
		var on bool
		if on, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("is not true or false")
		}
		switch {
		case name == "required":
			f.required = on
		case name == "immutable":
			f.immutable = on
		case s.what != "list":
			return misplaced("a list", s)
		case on:
			f.rules = append(f.rules, "unique")
		}
	case "description":
		if f.doc = value; len(value) > maxDoc {
			return fmt.Errorf("is longer than %d bytes", maxDoc)
		}
	case "default":
		f.fallback, err = s.parse(value)
	case "enum":
		if s.what != "string" && s.what != "integer" {
			return misplaced("a string or an integer", s)
		}
		return f.enum(s, value)
	case "minimum", "maximum":
		if !number {
			return misplaced("a number", s)
		}
		return f.bound(name[:3], value)
	case "minLength", "maxLength":
		if s.what != "string" {
			return misplaced("a string", s)
		}
		return f.count(name[:3], value)
	case "minItems", "maxItems":
		if s.what != "list" && s.what != "map" {
			return misplaced("a list", s)
		}
		return f.count(name[:3], value)
	case "pattern":
		if s.what != "string" {
			return misplaced("a string", s)
		}
		if len(value) > maxPattern {
			return fmt.Errorf("is longer than %d bytes", maxPattern)
		}
		if _, err := regexp.Compile(value); err != nil {
			return err
		}
		f.rules = append(f.rules, "pattern="+value)
	default:
		names := []string{"required", "default", "description", "immutable", "enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems"}
		if near := nearest.Name(name, names); near != "" {
			return fmt.Errorf("is an unknown marker; did you mean %s?", near)
		}
		return fmt.Errorf("is an unknown marker; there are %s", strings.Join(names, ", "))
	}
	return err
}

func misplaced(wanted string, s *shape) error {
	return fmt.Errorf("is for %s, not for %s", wanted, s.words())
}

func (f *field) enum(s *shape, value string) error {
	values := strings.Split(value, ",")
	for i, v := range values {
		if values[i] = strings.TrimSpace(v); values[i] == "" || strings.ContainsAny(values[i], "|") {
			return fmt.Errorf("has a value that is empty or contains |")
		}
		if s.what == "integer" {
			n, err := strconv.ParseInt(values[i], 10, 64)
			if err != nil {
				return fmt.Errorf("%s is not an integer", clip(values[i]))
			}
			values[i] = strconv.FormatInt(n, 10)
		}
	}
	f.rules = append(f.rules, "enum="+strings.Join(values, "|"))
	return nil
}

func (f *field) bound(rule, value string) error {
	if n, err := strconv.ParseFloat(value, 64); err != nil || !finite(n) {
		return fmt.Errorf("is no number")
	}
	f.rules = append(f.rules, rule+"="+value)
	return nil
}

// maxCounted is the highest number that a marker for a length, such as maxLength, can have.
const maxCounted = 1_000_000

func (f *field) count(rule, value string) error {
	if n, err := strconv.Atoi(value); err != nil || n < 0 || n > maxCounted {
		return fmt.Errorf("is not a whole number from 0 to %d", maxCounted)
	}
	f.rules = append(f.rules, rule+"="+value)
	return nil
}

// finite reports whether JSON can write the number.
func finite(n float64) bool { return !math.IsNaN(n) && !math.IsInf(n, 0) }
