package oslo

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Error is an error answer. Kind is the name of the upstream exception. Only Neutron shows it to clients. Each
// service renders the error in its own form.
type Error struct {
	Status  int
	Kind    string
	Message string
	Header  http.Header
	// Errors, if set, contains further details. Some services show them.
	Errors any
	// RequestID is the ID of the refused request. It is set before a service
	// renders the error.
	RequestID string
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Kind, e.Message) }

// Errorf returns an Error.
func Errorf(status int, kind, format string, args ...any) *Error {
	return &Error{Status: status, Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// unauthorized returns the answer of keystonemiddleware/auth_token/__init__.py, which protects every service
// except Keystone and Glance.
func unauthorized(host string) *Error {
	e := Errorf(http.StatusUnauthorized, "Unauthorized", "The request you have made requires authentication.")
	e.Header = http.Header{"Www-Authenticate": {fmt.Sprintf("Keystone uri=%q", host+"/identity")}}
	return e
}

// RenderKeystone returns the error body of Keystone and of keystonemiddleware.
func RenderKeystone(e *Error) (string, []byte) {
	title := http.StatusText(e.Status)
	return RenderJSON(map[string]any{"error": map[string]any{"code": e.Status, "message": e.Message, "title": title}})
}

// RenderJSON returns an error body that is a JSON object.
func RenderJSON(v any) (string, []byte) {
	b, err := json.Marshal(v)
	if err != nil {
		b = []byte(`{}`)
	}
	return "application/json", b
}
