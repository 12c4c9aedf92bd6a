package oslo

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Error is a refusal. Kind is the upstream exception's name (Neutron shows it
// to clients, the others do not); each service renders it in its own shape.
type Error struct {
	Status  int
	Kind    string
	Message string
	Header  http.Header
	// Errors, if set, are further details of services that show some.
	Errors any
	// RequestID is the refused request's; it is there when a service renders.
	RequestID string
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Kind, e.Message) }

// Errorf makes a refusal.
func Errorf(status int, kind, format string, args ...any) *Error {
	return &Error{Status: status, Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// unauthorized is what keystonemiddleware/auth_token/__init__.py answers in
// front of every service but Keystone and Glance.
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
