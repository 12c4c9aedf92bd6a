package neutron

import (
	"slices"
	"sort"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// access says who may write an attribute in a request.
type access int

const (
	never     access = iota // not allowed in this kind of request
	anybody                 // whoever may write the resource
	adminOnly               // policy wants an admin
)

// attribute mirrors one entry of an attribute map in neutron_lib/api/definitions.
type attribute struct {
	name      string
	post      access
	put       access
	required  bool // a POST without it is refused
	byDefault any  // of a POST without it
	parse     func(name string, v any) (any, *oslo.Error)
}

// values are the attributes of one request after validation and conversion. A
// POST has all of them, a PUT those that were sent.
type values map[string]any

func (v values) has(name string) bool { _, ok := v[name]; return ok }

func (v values) text(name string) string { s, _ := v[name].(string); return s }

func (v values) flag(name string) bool { b, _ := v[name].(bool); return b }

func (v values) number(name string) int { i, _ := v[name].(int); return i }

// textPtr is nil for a null.
func (v values) textPtr(name string) *string {
	if s, ok := v[name].(string); ok {
		return &s
	}
	return nil
}

// take copies an attribute that was sent.
func take[T any](v values, name string, to *T) {
	if x, ok := v[name].(T); ok {
		*to = x
	}
}

// takePtr copies an attribute that was sent and may be null.
func takePtr[T any](v values, name string, to **T) {
	x, sent := v[name]
	if !sent {
		return
	}
	if t, ok := x.(T); ok {
		*to = &t
	} else {
		*to = nil
	}
}

// verify is neutron_lib/api/attributes.py: verify_attributes.
func verify(attrs []attribute, body map[string]any) *oslo.Error {
	var unknown []string
	for name := range body {
		if !slices.ContainsFunc(attrs, func(a attribute) bool { return a.name == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sort.Strings(unknown)
	return badRequest("Unrecognized attribute(s) '%s'", strings.Join(unknown, ", "))
}

// fill validates a POST's attributes and adds defaults
// (neutron_lib/api/attributes.py: fill_post_defaults, convert_values).
func fill(attrs []attribute, body map[string]any) (values, *oslo.Error) {
	for _, a := range attrs {
		_, sent := body[a.name]
		if a.post == never && sent {
			return nil, badRequest("Attribute '%s' not allowed in POST", a.name)
		}
		if a.required && !sent {
			return nil, badRequest("Failed to parse request. Required attribute '%s' not specified", a.name)
		}
	}
	v := values{}
	for _, a := range attrs {
		raw, sent := body[a.name]
		if !sent {
			if a.post != never {
				v[a.name] = a.byDefault
			}
			continue
		}
		x, err := a.parse(a.name, raw)
		if err != nil {
			return nil, err
		}
		v[a.name] = x
		v["?"+a.name] = true
	}
	return v, nil
}

// sent tells a value of the request from a default.
func (v values) sent(name string) bool { return v.has("?" + name) }

// change validates a PUT's attributes.
func change(attrs []attribute, body map[string]any) (values, *oslo.Error) {
	for _, a := range attrs {
		if _, sent := body[a.name]; sent && a.put == never {
			return nil, badRequest("Cannot update read-only attribute %s", a.name)
		}
	}
	v := values{}
	for _, a := range attrs {
		raw, sent := body[a.name]
		if !sent {
			continue
		}
		x, err := a.parse(a.name, raw)
		if err != nil {
			return nil, err
		}
		v[a.name] = x
		v["?"+a.name] = true
	}
	return v, nil
}

// permit refuses attributes that only an admin may write.
func permit(attrs []attribute, c *oslo.Caller, action string, body map[string]any, which func(attribute) access) *oslo.Error {
	if c.Admin() {
		return nil
	}
	for _, a := range attrs {
		if _, sent := body[a.name]; sent && which(a) == adminOnly {
			return disallowed(action, a.name)
		}
	}
	return nil
}
