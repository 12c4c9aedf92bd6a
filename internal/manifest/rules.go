package manifest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/nearest"
)

// rules is a parsed `rule:"…"` tag. On a list or a map, required, min, max, unique and key apply to the list or map itself. The rules about
// values (enum, format, pattern, secret, lines, raw) then apply to each element.
//
//	required            the document must contain the field, and not null
//	immutable           the value cannot change after the object was created (documentation)
//	enum=a|b|c          the value must be one of these
//	min=N, max=N        limits of a number, of the length of a string, list or map, or of the number of fields that are set in a struct
//	format=F            see formats
//	pattern=R           a regular expression; it is the rest of the tag, including commas
//	unique              no element may occur twice
//	objects             each element is an object of the cloud, and a path may contain its ID in brackets
//	apart               the elements of the list are compared with the cloud one by one; without apart, the list is one value
//	key=F               layers merge the elements of the list that have the same value of the field F; without key, a later list replaces an earlier one
//	whole               the structure is compared with the cloud as one value
//	oneof               exactly one of the struct's pointers, lists and maps must be set
//	secret              the value is never shown in a problem, and may contain any character
//	lines               the text may have more than one line; without lines, no control character is allowed, because texts are written to headers, addresses and logs
//	raw                 the text may contain any character
//	default=X           the value that is used if the field is absent (documentation)
type rules struct {
	required, immutable, secret, oneof, unique, lines, raw, objects, apart, whole bool

	enum     []string
	min, max *float64
	format   string
	key      string
	pattern  *regexp.Regexp
	def      string
}

// HasOption reports whether a comma-separated list in a struct tag has an option.
func HasOption(list, option string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one == option {
			return true
		}
	}
	return false
}

func parseRules(tag string) (rules, error) {
	var r rules
	for tag != "" {
		var part string
		if strings.HasPrefix(tag, "pattern=") {
			part, tag = tag, ""
		} else {
			part, tag, _ = strings.Cut(tag, ",")
		}
		if err := r.add(part); err != nil {
			return r, fmt.Errorf("rule %q: %w", part, err)
		}
	}
	return r, nil
}

func (r *rules) add(part string) (err error) {
	name, value, _ := strings.Cut(part, "=")
	switch name {
	case "required":
		r.required = true
	case "immutable":
		r.immutable = true
	case "secret":
		r.secret = true
	case "lines":
		r.lines = true
	case "raw":
		r.raw = true
	case "oneof":
		r.oneof = true
	case "unique":
		r.unique = true
	case "objects":
		r.objects = true
	case "apart":
		r.apart = true
	case "key":
		r.key = value
	case "whole":
		r.whole = true
	case "enum":
		r.enum = strings.Split(value, "|")
	case "min":
		r.min, err = number(value)
	case "max":
		r.max, err = number(value)
	case "format":
		if r.format = value; formats[value].check == nil {
			err = fmt.Errorf("unknown format")
		}
	case "pattern":
		r.pattern, err = regexp.Compile(value)
	case "default":
		r.def = value
	default:
		err = fmt.Errorf("unknown rule")
	}
	return err
}

func number(s string) (*float64, error) {
	n, err := strconv.ParseFloat(s, 64)
	return &n, err
}

// ofElement returns those rules that apply to each element of a list or map.
func (r rules) ofElement() rules {
	r.required, r.unique, r.key, r.min, r.max = false, false, "", nil, nil
	return r
}

// text checks a string and returns the mistake and its fix, both "" for a valid one. It never quotes a secret.
func (r rules) text(s string) (what, fix string) {
	shown := " " + quote(s)
	if r.secret {
		shown = ""
	}
	if what, fix := r.word(s, shown); what != "" {
		return what, fix
	}
	if strings.ContainsFunc(s, r.forbidden) {
		return "the value" + shown + " holds a control character", r.removal()
	}
	if what, fix := r.length(utf8.RuneCountInString(s), "characters"); what != "" {
		return what, fix
	}
	if r.pattern != nil && !r.pattern.MatchString(s) {
		return "the value" + shown + " does not match " + r.pattern.String(), ""
	}
	f := formats[r.format]
	if f.check == nil {
		return "", ""
	}
	wrong, fix := f.check(s)
	switch {
	case wrong == "":
		return "", ""
	case r.secret:
		return "the value " + wrong, ""
	}
	return quote(s) + " " + wrong, fix
}

// forbidden reports whether a text of the field must not contain the character.
func (r rules) forbidden(c rune) bool {
	line := c == '\n' || c == '\r' || c == '\t'
	return unicode.IsControl(c) && !r.raw && !r.secret && !(r.lines && line)
}

func (r rules) removal() string {
	if r.lines {
		return "remove the character; line breaks and tabs are allowed"
	}
	return "remove the character; a line break at the end is not allowed either (in YAML, write |- instead of |)"
}

func (r rules) word(s, shown string) (what, fix string) {
	if r.enum == nil || slices.Contains(r.enum, s) {
		return "", ""
	}
	what = "the value" + shown + " is not one of " + strings.Join(r.enum, ", ")
	if c := nearest.Name(s, r.enum); c != "" && !r.secret {
		fix = "did you mean " + c + "?"
	}
	return what, fix
}

// length checks the number of elements. unit is the plural of their name.
func (r rules) length(n int, unit string) (what, fix string) {
	switch {
	case r.min != nil && float64(n) < *r.min:
		return count(float64(n), unit) + ", at least " + plain(*r.min) + " wanted", ""
	case r.max != nil && float64(n) > *r.max:
		return count(float64(n), unit) + ", at most " + plain(*r.max) + " allowed", ""
	}
	return "", ""
}

// count returns "3 elements" or "1 element". It returns only the number if there is no unit.
func count(n float64, unit string) string {
	if n == 1 {
		unit = strings.TrimSuffix(strings.Replace(unit, "ies", "ys", 1), "s")
	}
	return strings.TrimSuffix(plain(n)+" "+unit, " ")
}

// size checks a number.
func (r rules) size(n float64, written string) (what, fix string) {
	shown, after := written, " "+written
	if r.secret {
		shown, after = "the number", ""
	}
	switch {
	case r.min != nil && n < *r.min:
		return shown + " is less than " + plain(*r.min), ""
	case r.max != nil && n > *r.max:
		return shown + " is more than " + plain(*r.max), ""
	}
	return r.word(written, after)
}

func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// said returns a description of the rules. unit is the name of the things that min and max count.
func (r rules) said(unit string) string {
	var words []string
	say := func(on bool, word string) {
		if on {
			words = append(words, word)
		}
	}
	say(r.enum != nil, "one of "+strings.Join(r.enum, ", "))
	say(r.format != "", formats[r.format].what)
	if r.pattern != nil {
		say(true, "matches "+r.pattern.String())
	}
	if r.min != nil {
		say(true, "at least "+count(*r.min, unit))
	}
	if r.max != nil {
		say(true, "at most "+count(*r.max, unit))
	}
	say(r.unique, "no element twice")
	say(r.oneof, "exactly one field")
	say(r.immutable, "immutable")
	say(r.secret, "secret")
	say(r.def != "", "default "+r.def)
	return strings.Join(words, "; ")
}
