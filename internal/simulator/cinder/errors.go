package cinder

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// faultNames mirrors cinder/api/openstack/wsgi.py: Fault._fault_names.
var faultNames = map[int]string{400: "badRequest", 401: "unauthorized", 403: "forbidden", 404: "itemNotFound", 405: "badMethod",
	409: "conflictingRequest", 413: "overLimit", 415: "badMediaType", 501: "notImplemented", 503: "serviceUnavailable"}

func render(e *oslo.Error) (string, []byte) {
	var body any
	if e.Kind == "HTTPNotFound" || e.Kind == "HTTPMethodNotAllowed" {
		// The router answers this itself, and no controller changes it. The router answers 404 and never 405.
		e.Status, e.Message = http.StatusNotFound, "The resource could not be found."
		title := http.StatusText(e.Status)
		body = map[string]string{"message": e.Message + "<br /><br />\n\n\n", "code": fmt.Sprintf("%d %s", e.Status, title), "title": title}
	} else {
		name := faultNames[e.Status]
		if name == "" {
			name = "computeFault"
		}
		inner := map[string]any{"code": e.Status, "message": e.Message}
		switch e.Status {
		case http.StatusInternalServerError:
			inner["message"] = "The server has either erred or is incapable of performing the requested operation."
		case http.StatusRequestEntityTooLarge:
			inner["retryAfter"] = "0"
			e.Header = http.Header{"Retry-After": {"0"}}
		}
		body = map[string]any{name: inner}
	}
	b, err := json.Marshal(body)
	if err != nil {
		b = []byte(`{}`)
	}
	return "application/json", b
}

func badRequest(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "HTTPBadRequest", format, args...)
}

func notFound(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusNotFound, "NotFound", format, args...)
}

func overLimit(kind, format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusRequestEntityTooLarge, kind, kind+": "+format, args...)
}

func disallowed(rule string) *oslo.Error {
	return oslo.Errorf(http.StatusForbidden, "PolicyNotAuthorized", "Policy doesn't allow %s to be performed.", rule)
}

// read parses a body and validates it with a schema (cinder/api/validation/validators.py).
func (c *call) read(s *pyjson.Schema) (*pyjson.Object, error) {
	v, err := pyjson.Parse(c.Body())
	body, ok := v.(*pyjson.Object)
	if err != nil || !ok {
		return nil, badRequest("The server could not comply with the request since it is either malformed or otherwise incorrect.")
	}
	if f := s.Check(v); f != nil {
		if f.Path == "" {
			return nil, badRequest("%s", f.Message)
		}
		return nil, badRequest("Invalid input for field/attribute %s. Value: %s. %s", f.Path, pyjson.Str(f.Instance), f.Message)
	}
	return body, nil
}

func wrapped(name string, s *pyjson.Schema) *pyjson.Schema {
	return &pyjson.Schema{Types: []string{"object"}, Props: []pyjson.Prop{{Name: name, Schema: s}}, Required: []string{name}}
}

// checkText mirrors cinder/utils.py: check_string_length, for names and descriptions.
func checkText(o *pyjson.Object, names ...string) error {
	for _, name := range names {
		if n := len([]rune(o.Text(name))); n > 255 {
			return badRequest("Invalid input received: %s has %d characters, more than 255.", name, n)
		}
	}
	return nil
}

func textOrNil(o *pyjson.Object, name string) *string {
	if v, ok := o.Get(name); ok && v != nil {
		s := pyjson.Str(v)
		return &s
	}
	return nil
}

// stripped returns a name or description as Cinder stores it: without white space at both ends.
// (api/openstack/wsgi.py: validate_name_and_description)
func stripped(o *pyjson.Object, name string) *string {
	text := textOrNil(o, name)
	if text != nil {
		*text = strings.TrimSpace(*text)
	}
	return text
}

var metadataSchema = &pyjson.Schema{Types: []string{"object"}, Closed: true, Patterns: []pyjson.Prop{{Name: `^[a-zA-Z0-9-_:. /]{1,255}$`,
	Schema: &pyjson.Schema{Types: []string{"string"}, MaxLength: 255}}}}

var optionalMetadata = pyjson.OrNull(metadataSchema)

func texts(o *pyjson.Object) map[string]string {
	out := map[string]string{}
	for _, key := range o.Keys() {
		out[key] = o.Text(key)
	}
	return out
}
