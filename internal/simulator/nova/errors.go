package nova

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// faultNames mirrors nova/api/openstack/wsgi.py: Fault._fault_names.
var faultNames = map[int]string{400: "badRequest", 401: "unauthorized", 403: "forbidden", 404: "itemNotFound", 405: "badMethod",
	409: "conflictingRequest", 413: "overLimit", 415: "badMediaType", 429: "overLimit", 501: "notImplemented", 503: "serviceUnavailable"}

func render(e *oslo.Error) (string, []byte) {
	var body any
	kind := "application/json; charset=UTF-8"
	if e.Kind == "HTTPNotFound" || e.Kind == "HTTPMethodNotAllowed" {
		// The router answers this itself, and no controller changes it. The router answers 404 and never 405.
		e.Status, e.Message = http.StatusNotFound, "The resource could not be found."
		title := http.StatusText(e.Status)
		body = map[string]string{"message": e.Message + "<br /><br />\n\n\n", "code": fmt.Sprintf("%d %s", e.Status, title), "title": title}
		kind = "application/json"
	} else {
		name := faultNames[e.Status]
		if name == "" {
			name = "computeFault"
		}
		inner := map[string]any{"code": e.Status, "message": e.Message}
		if e.Status == http.StatusInternalServerError {
			inner["message"] = "Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the Nova API log if possible.\n<class '" + e.Kind + "'>"
		}
		body = map[string]any{name: inner}
	}
	b, err := json.Marshal(body)
	if err != nil {
		b = []byte(`{}`)
	}
	return kind, b
}

func badRequest(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "HTTPBadRequest", format, args...)
}

func forbidden(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusForbidden, "HTTPForbidden", format, args...)
}

func notFound(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusNotFound, "NotFound", format, args...)
}

func conflict(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusConflict, "HTTPConflict", format, args...)
}

// disallowed returns the error of a policy that forbids a request.
func disallowed(rule string) *oslo.Error {
	return forbidden("Policy doesn't allow os_compute_api:%s to be performed.", rule)
}

// message returns the text of an error from another service.
func message(err error) string {
	var e *oslo.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// read parses a body and validates it with a schema
// (nova/api/validation/validators.py: _SchemaValidator.validate).
func (c *call) read(s *pyjson.Schema) (*pyjson.Object, error) {
	v, err := pyjson.Parse(c.Body())
	if err != nil {
		return nil, badRequest("Malformed request body")
	}
	if f := s.Check(v); f != nil {
		return nil, refused(f, "field/attribute")
	}
	body, ok := v.(*pyjson.Object)
	if !ok {
		return nil, badRequest("Malformed request body")
	}
	return body, nil
}

func refused(f *pyjson.Failure, what string) *oslo.Error {
	if strings.HasSuffix(f.Message, " is not a 'name'") {
		return badRequest("An invalid 'name' value was provided. The name must be: printable characters. Can not start or end with whitespace.")
	}
	if f.Path == "" {
		return badRequest("%s", f.Message)
	}
	return badRequest("Invalid input for %s %s. Value: %s. %s", what, f.Path, pyjson.Str(f.Instance), f.Message)
}

// wrapped is the schema of a body with one required member.
func wrapped(name string, s *pyjson.Schema) *pyjson.Schema {
	return &pyjson.Schema{Types: []string{"object"}, Props: []pyjson.Prop{{Name: name, Schema: s}}, Required: []string{name}, Closed: true}
}

func links(c *call, path string) []any {
	return []any{map[string]string{"rel": "self", "href": c.Base + "/v2.1/" + path}, map[string]string{"rel": "bookmark", "href": c.Base + "/" + path}}
}

func bookmark(c *call, path string) []any {
	return []any{map[string]string{"rel": "bookmark", "href": c.Base + "/" + path}}
}
