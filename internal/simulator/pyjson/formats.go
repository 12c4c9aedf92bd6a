package pyjson

import (
	"encoding/base64"
	"net/netip"
	"strings"
	"unicode"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// formats are the format checkers of nova/api/validation/validators.py.
var formats = map[string]func(string) bool{
	"uuid": IsUUID,
	"ipv4": func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6": func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() },
	"ip":   func(s string) bool { _, err := netip.ParseAddr(s); return err == nil },
	"name": IsName,
	"base64": func(s string) bool {
		// Python's decoder ignores characters that are not base64. Then it requires groups of four characters.
		clean := notBase64.ReplaceAllString(s, "")
		_, err := base64.StdEncoding.DecodeString(clean)
		return err == nil
	},
}

// IsName reports whether a text has the format of names: all characters are printable, and there is no space at
// either end (nova/api/validation/parameter_types.py: valid_name_regex).
func IsName(s string) bool {
	return strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

var notBase64 = pattern.Of(`[^A-Za-z0-9+/=]`)

var hex32 = pattern.Of(`^[0-9a-fA-F]{32}$`)

// IsUUID mirrors oslo_utils.uuidutils.is_uuid_like: dashes, braces and a urn prefix are ignored.
func IsUUID(s string) bool {
	s = strings.NewReplacer("urn:", "", "uuid:", "").Replace(s)
	return hex32.MatchString(strings.ReplaceAll(strings.Trim(s, "{}"), "-", ""))
}

// Int64 returns a pointer to n, for a bound of a schema.
func Int64(n int64) *int64 { return &n }

// Name is the schema of a name.
var Name = &Schema{Types: []string{"string"}, MinLength: 1, MaxLength: 255, Format: "name"}

// String is the schema of a text of min to max characters.
func String(min, max int) *Schema {
	return &Schema{Types: []string{"string"}, MinLength: min, MaxLength: max}
}

// OrNull returns a schema that also accepts null.
func OrNull(s *Schema) *Schema {
	out := *s
	out.Types = append(append([]string{}, s.Types...), "null")
	return &out
}

// Boolean accepts the values that the services' parameter_types accept as a boolean.
var Boolean = &Schema{Types: []string{"boolean", "string"}, Enum: []any{
	true, "True", "TRUE", "true", "1", "ON", "On", "on", "YES", "Yes", "yes",
	false, "False", "FALSE", "false", "0", "OFF", "Off", "off", "NO", "No", "no"}}

// Truthy converts a value that Boolean accepts.
func Truthy(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case string:
		switch strings.ToLower(v) {
		case "true", "1", "on", "yes":
			return true
		}
	}
	return false
}
