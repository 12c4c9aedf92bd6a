package events

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// text is a string that may be of another type, or too long, or unprintable. Then it is "".
type text string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *text) UnmarshalJSON(value []byte) error {
	*t = text(raw(value).text())
	return nil
}

// raw is a value of a stranger's JSON whose type is not known.
type raw json.RawMessage

// UnmarshalJSON implements [json.Unmarshaler].
func (r *raw) UnmarshalJSON(value []byte) error {
	*r = append((*r)[:0], value...)
	return nil
}

type fieldsOf map[string]raw

func (f fieldsOf) without(name string) fieldsOf {
	delete(f, name)
	return f
}

// object returns the fields of an object; nil if the value is something else.
func (r raw) object() (fields fieldsOf) {
	if len(r) == 0 || r[0] != '{' || json.Unmarshal(r, &fields) != nil {
		return nil
	}
	return fields
}

func (r raw) list() (list []raw) {
	if len(r) == 0 || r[0] != '[' || json.Unmarshal(r, &list) != nil {
		return nil
	}
	return list
}

// text returns a string; "" if the value is something else, or nothing that can be an ID or a name.
func (r raw) text() (s string) {
	if len(r) == 0 || len(r) > 6*maxText || r[0] != '"' || json.Unmarshal(r, &s) != nil {
		return ""
	}
	if len(s) > maxText || !utf8.ValidString(s) || strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return ""
	}
	return s
}
