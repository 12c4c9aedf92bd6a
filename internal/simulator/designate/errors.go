package designate

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// render mirrors designate/api/middleware.py: FaultWrapperMiddleware, which also encodes the errors of pecan's
// router.
func render(e *oslo.Error) (string, []byte) {
	out := struct {
		Code      int    `json:"code"`
		Type      string `json:"type"`
		Message   string `json:"message,omitempty"`
		Errors    any    `json:"errors,omitempty"`
		RequestID string `json:"request_id"`
	}{e.Status, e.Kind, e.Message, e.Errors, e.RequestID}
	switch {
	case e.Kind == "HTTPNotFound":
		out.Type, out.Message = "not_found", "resource not found"
	case e.Kind == "HTTPMethodNotAllowed":
		out.Type, out.Message = "method_not_allowed", ""
	case e.Kind != strings.ToLower(e.Kind):
		out.Type, out.Message = "unknown", ""
	}
	b, err := json.Marshal(out)
	if err != nil {
		b = []byte(`{}`)
	}
	return "application/json", b
}

// refused is an exception of designate/exceptions.py; kind is its error_type.
func refused(status int, kind, format string, args ...any) *oslo.Error {
	return oslo.Errorf(status, kind, format, args...)
}

func badRequest(format string, args ...any) *oslo.Error {
	return refused(http.StatusBadRequest, "bad_request", format, args...)
}

// valueError is the error of objects/adapters/base.py for a field's ValueError.
func valueError(format string, args ...any) *oslo.Error {
	e := refused(http.StatusBadRequest, "invalid_object", format, args...)
	e.Message = "Provided object is not valid. Got a ValueError error with message " + e.Message
	return e
}

// flaw is an entry of a validation error (objects/validation_error.py).
type flaw struct {
	Path      []any  `json:"path"`
	Message   string `json:"message"`
	Validator string `json:"validator"`
	Value     any    `json:"validator_value"`
}

func invalid(flaws ...flaw) *oslo.Error {
	e := refused(http.StatusBadRequest, "invalid_object", "")
	e.Errors = map[string]any{"errors": flaws}
	return e
}

// refuse returns the function that makes the errors for requests that a resource's table refuses.
func refuse(resource string) oslo.Refuse {
	return func(why oslo.Refusal, names ...string) *oslo.Error {
		if why == oslo.MissingAttribute {
			return invalid(flaw{[]any{"records", 0, names[0]}, "'" + names[0] + "' is a required property", "required", names})
		}
		return refused(http.StatusBadRequest, "invalid_object", "Provided object does not match schema. Keys ['%s'] are not valid for %s", strings.Join(names, "', '"), resource)
	}
}

// body reads the object of a request (designate/api/v2/patches.py: body_dict).
func body(c *oslo.Call, _ string) (map[string]any, *oslo.Error) {
	var in any
	switch {
	case len(c.Body()) == 0:
		return nil, refused(http.StatusBadRequest, "empty_request_body", "Request Body is empty")
	case !c.Decode(&in):
		return nil, refused(http.StatusBadRequest, "invalid_json", "Expecting value: line 1 column 1 (char 0)")
	}
	out, ok := in.(map[string]any)
	if !ok {
		return nil, refused(http.StatusBadRequest, "invalid_object", "Provided object is not valid. Got an AttributeError with message object has no attribute 'items'")
	}
	return out, nil
}

// missing returns the error for an unknown ID in the path.
func missing(wildcard, what string) func(string) *oslo.Error {
	return func(id string) *oslo.Error {
		if !uuidForm.MatchString(strings.ToLower(id)) {
			return refused(http.StatusBadRequest, "invalid_uuid", "Invalid UUID %s: %s", wildcard, id)
		}
		return refused(http.StatusNotFound, strings.ToLower(what)+"_not_found", "Could not find %s", what)
	}
}
