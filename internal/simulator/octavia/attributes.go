package octavia

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// check validates the value of an attribute. It returns WSME's message if the value is invalid, and "" if it is
// valid.
type check func(v any) string

// schema is the type of a request's body (octavia/api/v2/types).
type schema struct {
	argument string // the name of the body in WSME's messages
	attrs    map[string]check
	required []string
}

func (s schema) check(body map[string]any) *oslo.Error {
	for name, v := range body {
		judge, known := s.attrs[name]
		if !known {
			return badRequest("Unknown attribute for argument %s: %s", s.argument, name)
		}
		if v == nil {
			continue
		}
		// A number may be sent as a text. (wsme/rest/json.py: numeric_fromjson)
		if s, ok := v.(string); ok && judge(v) != "" && judge(json.Number(s)) == "" {
			v = json.Number(s)
			body[name] = v
		}
		if what := judge(v); what != "" {
			return badRequest("Invalid input for field/attribute %s. Value: '%v'. %s", name, v, what)
		}
	}
	for _, name := range s.required {
		if body[name] == nil {
			return badRequest("Invalid input for field/attribute %s. Value: 'None'. Mandatory field missing.", name)
		}
	}
	return nil
}

// body returns the object with a name in the body of a request.
func body(c *oslo.Call, name string) (map[string]any, *oslo.Error) {
	var all map[string]json.RawMessage
	var out map[string]any
	if !c.Decode(&all) || !oslo.Decode(all[name], &out) || out == nil {
		return nil, badRequest("Invalid input for field/attribute %s. Value: 'None'. Mandatory field missing.", name)
	}
	return out, nil
}

// take copies the attributes of a checked body to a record.
func take(body map[string]any, rec any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, rec)
}

func text(v any) string {
	s, ok := v.(string)
	switch {
	case !ok:
		return fmt.Sprintf("Wrong type. Expected '<class 'str'>', got '%T'", v)
	case len(s) > 255:
		return "Value should have a maximum character requirement of 255"
	}
	return ""
}

func flag(v any) string {
	if _, ok := v.(bool); !ok {
		return fmt.Sprintf("Wrong type. Expected '<class 'bool'>', got '%T'", v)
	}
	return ""
}

func within(low, high int64) check {
	return func(v any) string {
		n, err := int64(0), error(nil)
		if number, ok := v.(json.Number); ok {
			n, err = number.Int64()
		}
		switch {
		case err != nil || !isNumber(v):
			return "Wrong type. Expected '<class 'int'>'"
		case n < low:
			return fmt.Sprintf("Value should be greater or equal to %d", low)
		case n > high:
			return fmt.Sprintf("Value should be lower or equal to %d", high)
		}
		return ""
	}
}

func isNumber(v any) bool {
	_, ok := v.(json.Number)
	return ok
}

func oneOf(words ...string) check {
	return func(v any) string {
		if s, ok := v.(string); !ok || !slices.Contains(words, s) {
			return "Value should be one of: " + strings.Join(words, ", ")
		}
		return ""
	}
}

func address(v any) string {
	s, _ := v.(string)
	if _, err := netip.ParseAddr(s); err != nil {
		return "Value should be IPv4 or IPv6 format"
	}
	return ""
}

func each(judge check) check {
	return func(v any) string {
		items, ok := v.([]any)
		if !ok {
			return fmt.Sprintf("Wrong type. Expected '[]', got '%T'", v)
		}
		for _, item := range items {
			if what := judge(item); what != "" {
				return what
			}
		}
		return ""
	}
}

func cidr(v any) string {
	s, _ := v.(string)
	if _, err := netip.ParsePrefix(s); err != nil {
		return "Value should be IPv4 or IPv6 CIDR format"
	}
	return ""
}

// networks are CIDRs in their shortest form, without host bits. (api/common/types.py: CidrType)
type networks []string

func (n *networks) UnmarshalJSON(text []byte) error {
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for i, s := range list {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return err
		}
		list[i] = p.Masked().String()
	}
	*n = list
	return nil
}

func urlPath(v any) string {
	if s, ok := v.(string); !ok || !strings.HasPrefix(s, "/") {
		return "Value should be a valid URL path"
	}
	return ""
}

func anything(any) string { return "" }

// with returns a copy of attrs to which the checks of more are added.
func with(attrs, more map[string]check) map[string]check {
	out := map[string]check{}
	for _, m := range []map[string]check{attrs, more} {
		for name, c := range m {
			out[name] = c
		}
	}
	return out
}
