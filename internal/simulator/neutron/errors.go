package neutron

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// render mirrors neutron/pecan_wsgi/hooks/translation.py.
func render(e *oslo.Error) (string, []byte) {
	message := e.Message
	if e.Status == http.StatusMethodNotAllowed {
		message = "The server could not comply with the request since it is either malformed or otherwise incorrect."
	}
	if e.Status == http.StatusInternalServerError {
		e.Kind, message = "HTTPInternalServerError", "Request Failed: internal server error while processing your request."
	}
	b, err := json.Marshal(map[string]any{"NeutronError": map[string]string{"type": e.Kind, "message": message, "detail": ""}})
	if err != nil {
		b = []byte(`{"NeutronError": {}}`)
	}
	return "application/json", b
}

func badRequest(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "HTTPBadRequest", format, args...)
}

func invalidInput(format string, args ...any) *oslo.Error {
	e := oslo.Errorf(http.StatusBadRequest, "InvalidInput", format, args...)
	e.Message = "Invalid input for operation: " + e.Message
	return e
}

// refuse returns the error for a request that a table refuses (neutron_lib/api/attributes.py).
func refuse(why oslo.Refusal, names ...string) *oslo.Error {
	switch why {
	case oslo.UnknownAttribute:
		return badRequest("Unrecognized attribute(s) '%s'", strings.Join(names, ", "))
	case oslo.NotInCreate:
		return badRequest("Attribute '%s' not allowed in POST", names[0])
	case oslo.NotInUpdate:
		return badRequest("Cannot update read-only attribute %s", names[0])
	case oslo.MissingAttribute:
	}
	return badRequest("Failed to parse request. Required attribute '%s' not specified", names[0])
}

// invalid returns the error of a validator for an attribute.
func invalid(attr, format string, args ...any) *oslo.Error {
	e := badRequest(format, args...)
	e.Message = "Invalid input for " + attr + ". Reason: " + e.Message
	return e
}

func conflict(kind, format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusConflict, kind, format, args...)
}

func notFound(kind, format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusNotFound, kind, format, args...)
}

// disallowed mirrors the refusal of neutron/policy.py for an action, or for one attribute of it.
func disallowed(action, attr string) *oslo.Error {
	rule := "rule:" + action
	if attr != "" {
		rule = "(rule:" + action + " and rule:" + action + ":" + attr + ")"
	}
	return oslo.Errorf(http.StatusForbidden, "PolicyNotAuthorized", "%s is disallowed by policy", rule)
}

func oslo400(kind, format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, kind, format, args...)
}
