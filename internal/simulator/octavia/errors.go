package octavia

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// render encodes errors as WSME does, and errors of the router as pecan does.
func render(e *oslo.Error) (string, []byte) {
	body := map[string]any{"faultcode": "Client", "faultstring": e.Message, "debuginfo": nil}
	if e.Status >= http.StatusInternalServerError {
		body["faultcode"] = "Server"
	}
	if e.Kind == "HTTPNotFound" || e.Kind == "HTTPMethodNotAllowed" {
		body = map[string]any{"code": e.Status, "title": http.StatusText(e.Status), "description": ""}
	}
	out, err := json.Marshal(body)
	if err != nil {
		out = []byte(`{}`)
	}
	return "application/json", out
}

// These are the exceptions of octavia/common/exceptions.py.

func notFound(what, id string) *oslo.Error {
	return oslo.Errorf(http.StatusNotFound, "NotFound", "%s %s not found.", what, id)
}

func missing(what, id string) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "InvalidSubresource", "%s %s not found.", what, id)
}

func forbidden() *oslo.Error {
	return oslo.Errorf(http.StatusForbidden, "PolicyForbidden", "Policy does not allow this request to be performed.")
}

func immutable(what, id string) *oslo.Error {
	return oslo.Errorf(http.StatusConflict, "ImmutableObject", "%s %s is immutable and cannot be updated.", what, id)
}

func badState(lb *LoadBalancer) *oslo.Error {
	return oslo.Errorf(http.StatusConflict, "LBPendingStateError", "Invalid state %s of loadbalancer resource %s", lb.Provisioning, lb.ID)
}

func invalid(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "ValidationException", "Validation failure: "+format, args...)
}

func conflict(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusConflict, "Conflict", format, args...)
}

func badRequest(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "BadRequest", format, args...)
}

func itoa(n int) string { return strconv.Itoa(n) }
