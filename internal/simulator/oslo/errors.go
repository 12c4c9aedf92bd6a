package oslo

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Error is a refusal. Kind is the name of the upstream exception. Neutron shows it to
// clients, the other services do not. Each service renders the error in its own form.
type Error struct {
	Status  int
	Kind    string
	Message string
	Header  http.Header
	// Errors, if set, are further details. Some services show them.
	Errors any
	// RequestID is the ID of the refused request. It is set before a service
	// renders the error.
	RequestID string
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Kind, e.Message) }

// Errorf returns a refusal.
func Errorf(status int, kind, format string, args ...any) *Error {
	return &Error{Status: status, Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// unauthorized is the answer of keystonemiddleware/auth_token/__init__.py. It
// protects every service but Keystone and Glance.
func unauthorized(host string) *Error {
	e := Errorf(http.StatusUnauthorized, "Unauthorized", "The request you have made requires authentication.")
	e.Header = http.Header{"Www-Authenticate": {fmt.Sprintf("Keystone uri=%q", host+"/identity")}}
	return e
}

// RenderKeystone is the error body of Keystone and of keystonemiddleware.
func RenderKeystone(e *Error) (string, []byte) {
	title := http.StatusText(e.Status)
	return RenderJSON(map[string]any{"error": map[string]any{"code": e.Status, "message": e.Message, "title": title}})
}

// RenderJSON is an error body that is an object.
func RenderJSON(v any) (string, []byte) {
	b, err := json.Marshal(v)
	if err != nil {
		b = []byte(`{}`)
	}
	return "application/json", b
}
