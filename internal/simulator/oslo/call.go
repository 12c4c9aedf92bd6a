package oslo

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Caller is the user and the project of a token.
type Caller struct {
	Token       string
	UserID      string
	UserName    string
	ProjectID   string // empty for an unscoped token
	ProjectName string
	Roles       []string
	// Credential is the application credential that the token came from, if any.
	Credential string
}

// Admin reports whether the caller has the role admin. In Zed's default policies it covers all projects.
func (c *Caller) Admin() bool { return c.Has("admin") }

// Manager is a role that may manage objects of the whole cloud: projects and users, flavors, volume
// types, quotas. It has no further rights. A cloud can define such a role in its own policy.
const Manager = "identity_admin"

// Manages reports whether the caller may manage objects of the whole cloud.
func (c *Caller) Manages() bool { return c.Admin() || c.Has(Manager) }

// Has reports whether the caller has a role.
func (c *Caller) Has(role string) bool { return slices.Contains(c.Roles, role) }

// Call is one request that has reached its handler.
type Call struct {
	*http.Request          // its path has no prefix of the service
	Caller        *Caller  // nil on public routes without a valid token
	Host          string   // scheme and authority that the client used: "http://127.0.0.1:1234".
	Base          string   // Host with the prefix of the service.
	Original      *url.URL // the URL that the client sent
	Now           time.Time

	body []byte
}

// Body is the complete request body.
func (c *Call) Body() []byte { return c.body }

// Decode reads the body as JSON into v, as the function Decode does.
func (c *Call) Decode(v any) bool { return Decode(c.body, v) }

// Decode reads JSON into v and reports whether that succeeded. Numbers in interfaces become json.Number.
func Decode(raw []byte, v any) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v) == nil
}

// Query is the parsed query.
func (c *Call) Query() url.Values { return c.URL.Query() }

// Response is an answer. A nil Body sends no body. A Body of type []byte is sent unchanged, and every other Body
// as JSON.
type Response struct {
	Status int
	Header http.Header
	Body   any
}

// OK answers 200 with a body.
func OK(body any) *Response { return &Response{Status: http.StatusOK, Body: body} }

// Created answers 201 with a body.
func Created(body any) *Response { return &Response{Status: http.StatusCreated, Body: body} }

// Accepted answers 202 with a body, which may be nil.
func Accepted(body any) *Response { return &Response{Status: http.StatusAccepted, Body: body} }

// NoContent answers 204.
func NoContent() *Response { return &Response{Status: http.StatusNoContent} }

// With adds a header to the answer.
func (r *Response) With(name, value string) *Response {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(name, value)
	return r
}

func (r *Response) encode() ([]byte, string, error) {
	switch b := r.Body.(type) {
	case nil:
		return nil, "", nil
	case []byte:
		return b, r.Header.Get("Content-Type"), nil
	default:
		out, err := marshal(b)
		return out, "application/json", err
	}
}

// marshal encodes without HTML escapes, as Python's json does.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Stamp prints a time as most services do: 2026-11-21T10:36:27Z.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// StampMicro prints a time as Keystone and Cinder do, with microseconds.
func StampMicro(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000") }

// Truthy converts a boolean in a query string. OpenStack accepts several spellings.
func Truthy(s string) bool {
	switch strings.ToLower(s) {
	case "1", "t", "true", "on", "y", "yes":
		return true
	}
	return false
}
