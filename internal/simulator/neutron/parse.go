package neutron

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// These validators and converters have the names of those in
// neutron_lib/api/validators and neutron_lib/api/converters.py.

type parser = func(name string, v any) (any, *oslo.Error)

// py formats a JSON value as Python's str does, as in Neutron's messages.
func py(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = pyRepr(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, pyRepr(key)+": "+pyRepr(v[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return fmt.Sprint(v)
	}
}

func pyRepr(v any) string {
	if s, ok := v.(string); ok {
		return "'" + s + "'"
	}
	return py(v)
}

// types returns the error that neutron_lib/api/validators reports for a problem of a value.
var types oslo.Types = func(p oslo.Problem, name string, v, bound any) *oslo.Error {
	switch p {
	case oslo.NotText:
		return invalid(name, "'%s' is not a valid string.", py(v))
	case oslo.TooLong:
		return invalid(name, "'%s' exceeds maximum length of %d.", v, bound)
	case oslo.NotNumber:
		return invalidInput("'%s' is not an integer.", py(v))
	case oslo.TooSmall:
		return invalid(name, "'%d' is too small - must be at least '%d'.", v, bound)
	case oslo.TooLarge:
		return invalid(name, "'%d' is too large - must be no larger than '%d'.", v, bound)
	case oslo.NotList:
		return invalid(name, "'%s' is not a list.", py(v))
	case oslo.NotListed:
	}
	return invalid(name, "%s is not in valid_values.", py(v))
}

var (
	text     = types.Text
	integer  = types.Int
	oneOf    = types.OneOf
	orNull   = oslo.OrNull
	textList = types.Texts(text(1 << 31))
)

func boolean(_ string, v any) (any, *oslo.Error) {
	switch x := v.(type) {
	case bool:
		return x, nil
	case string:
		switch strings.ToLower(x) {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
	case json.Number:
		switch x {
		case "1":
			return true, nil
		case "0":
			return false, nil
		}
	}
	return nil, invalidInput("'%s' cannot be converted to boolean.", py(v))
}

func toInt(v any) (int, *oslo.Error) {
	i, err := strconv.Atoi(py(v))
	if err != nil {
		return 0, invalidInput("'%s' is not an integer.", py(v))
	}
	return i, nil
}

func nonNegative(name string, v any) (any, *oslo.Error) {
	i, err := toInt(v)
	if err == nil && i < 0 {
		err = invalid(name, "'%d' should be non-negative.", i)
	}
	return i, err
}

// zoneHints refuses every availability zone, because a Neutron without agents has none.
func zoneHints(name string, v any) (any, *oslo.Error) {
	zones, err := textList(name, v)
	if err != nil {
		return nil, err
	}
	if l, _ := zones.([]string); len(l) > 0 {
		return nil, notFound("AvailabilityZoneNotFound", "AvailabilityZone %s could not be found.", l[0])
	}
	return zones, nil
}

var uuidForm = pattern.Of(`^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`)

func uuid(name string, v any) (any, *oslo.Error) {
	s, ok := v.(string)
	if !ok || !uuidForm.MatchString(s) {
		return nil, invalid(name, "'%s' is not a valid UUID.", py(v))
	}
	return s, nil
}

func list(name string, v any) ([]any, *oslo.Error) {
	l, ok := v.([]any)
	if !ok {
		return nil, invalid(name, "'%s' is not a list.", py(v))
	}
	return l, nil
}

func uuidList(name string, v any) (any, *oslo.Error) {
	if v == nil {
		return []string{}, nil
	}
	l, err := list(name, v)
	if err != nil {
		return nil, err
	}
	out, seen := []string{}, map[string]bool{}
	for _, x := range l {
		if _, err := uuid(name, x); err != nil {
			return nil, err
		}
		s, _ := x.(string)
		if seen[s] {
			return nil, invalid(name, "Duplicate items in the list: '%s'.", s)
		}
		seen[s] = true
		out = append(out, s)
	}
	return out, nil
}

func anything(_ string, v any) (any, *oslo.Error) { return v, nil }

var macForm = pattern.Of(`^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$`)

func mac(name string, v any) (any, *oslo.Error) {
	s, ok := v.(string)
	if !ok || !macForm.MatchString(s) {
		return nil, invalid(name, "'%s' is not a valid MAC address.", py(v))
	}
	return s, nil
}

func ip(name string, v any) (any, *oslo.Error) {
	s, ok := v.(string)
	a, err := netip.ParseAddr(s)
	if !ok || err != nil || a.Zone() != "" {
		return nil, invalid(name, "'%s' is not a valid IP address.", py(v))
	}
	return a.String(), nil
}

// object parses a dictionary whose values are texts.
func object(name string, v any, allowed ...string) (map[string]any, *oslo.Error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, invalid(name, "'%s' is not a dictionary.", py(v))
	}
	for key := range m {
		if !slices.Contains(allowed, key) {
			return nil, invalid(name, "Unexpected keys supplied: %s.", key)
		}
	}
	return m, nil
}
