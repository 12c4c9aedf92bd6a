package barbican

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Secret is a secret. The API shows it without its payload.
type Secret struct {
	ID, ProjectID, CreatorID string
	Created                  time.Time
	Expires                  *time.Time
	ContentType              string // "" while there is no payload
	Payload                  []byte

	shown map[string]any // name, secret_type, algorithm, bit_length, mode
}

func (b *Barbican) addSecrets(svc *oslo.Service) {
	svc.Handle("GET /v1/secrets", b.listSecrets)
	svc.Handle("POST /v1/secrets", b.createSecret)
	one := func(pattern, what string, roles []string, h func(*oslo.Call, *Secret) (*oslo.Response, error)) {
		svc.Handle(pattern, func(c *oslo.Call) (*oslo.Response, error) {
			s, ok := b.secrets.Get(c.PathValue("id"))
			if !ok || s.expired(c.Now) {
				return nil, refused(http.StatusNotFound, "Secret not found.")
			}
			if err := allowed(c, what, roles...); err != nil || s.ProjectID != c.Caller.ProjectID {
				return nil, refused(http.StatusForbidden, "%s attempt not allowed - please review your user/project privileges", what)
			}
			return h(c, s)
		})
	}
	readers, writers := []string{"creator", "observer"}, []string{"creator"}
	one("GET /v1/secrets/{id}", "Secret retrieval", readers, func(c *oslo.Call, s *Secret) (*oslo.Response, error) { return oslo.OK(s.view(c)), nil })
	one("GET /v1/secrets/{id}/payload", "Secret payload retrieval", readers, payload)
	one("PUT /v1/secrets/{id}", "Secret update", writers, store)
	one("DELETE /v1/secrets/{id}", "Secret deletion", writers, func(_ *oslo.Call, s *Secret) (*oslo.Response, error) {
		b.secrets.Remove(s.ID)
		return oslo.NoContent(), nil
	})
}

func (s *Secret) expired(now time.Time) bool { return s.Expires != nil && !s.Expires.After(now) }

func (s *Secret) view(c *oslo.Call) map[string]any {
	out := map[string]any{"secret_ref": c.Base + "/v1/secrets/" + s.ID, "status": "ACTIVE", "creator_id": s.CreatorID,
		"created": stamp(s.Created), "updated": stamp(s.Created), "expiration": nil}
	for name, value := range s.shown {
		out[name] = value
	}
	if s.Expires != nil {
		out["expiration"] = stamp(*s.Expires)
	}
	if s.ContentType != "" {
		out["content_types"] = map[string]string{"default": s.ContentType}
	}
	return out
}

func (b *Barbican) listSecrets(c *oslo.Call) (*oslo.Response, error) {
	if err := allowed(c, "Secret(s) retrieval", "creator", "observer"); err != nil {
		return nil, err
	}
	name := c.Query().Get("name")
	found := b.secrets.Where(func(s *Secret) bool {
		return s.ProjectID == c.Caller.ProjectID && !s.expired(c.Now) && (name == "" || s.shown["name"] == name)
	})
	order(found, c.Query().Get("sort"))
	from, to, answer := b.page(c, "secrets", len(found))
	views := []any{}
	for _, s := range found[from:to] {
		views = append(views, s.view(c))
	}
	answer["secrets"] = views
	return oslo.OK(answer), nil
}

// order sorts secrets by created or updated, which are equal here, if a request asks for that. Keys that are not known are ignored, as other keys of
// the sort filter are not simulated (barbican/model/repositories.py: _build_sort_filter_query).
func order(secrets []*Secret, sort string) {
	key, direction, _ := strings.Cut(sort, ":")
	if key != "created" && key != "updated" {
		return
	}
	slices.SortStableFunc(secrets, func(a, b *Secret) int {
		if direction == "desc" {
			a, b = b, a
		}
		return a.Created.Compare(b.Created)
	})
}

// table mirrors barbican/common/validators.py: NewSecretValidator. Other attributes are ignored.
var table = oslo.Table{
	{Name: "name", Create: oslo.Anybody, Parse: oslo.OrNull(types.Text(255))},
	{Name: "algorithm", Create: oslo.Anybody, Parse: types.Text(255)},
	{Name: "mode", Create: oslo.Anybody, Parse: types.Text(255)},
	{Name: "bit_length", Create: oslo.Anybody, Parse: types.Int(1, 32767)},
	{Name: "expiration", Create: oslo.Anybody, Parse: types.Text(255)},
	{Name: "payload", Create: oslo.Anybody, Parse: types.Text(20000)},
	{Name: "secret_type", Create: oslo.Anybody, Default: "opaque", Parse: types.OneOf("symmetric", "passphrase", "private", "public", "certificate", "opaque")},
	{Name: "payload_content_type", Create: oslo.Anybody, Parse: oslo.OrNull(types.Text(255))},
	{Name: "payload_content_encoding", Create: oslo.Anybody, Parse: types.OneOf("base64")},
}

var types oslo.Types = func(p oslo.Problem, name string, v, bound any) *oslo.Error {
	reason := map[oslo.Problem]string{oslo.NotText: "is not of type 'string'", oslo.TooLong: "is too long", oslo.NotNumber: "is not of type 'integer'",
		oslo.TooSmall: "is less than the minimum of 1", oslo.TooLarge: "is greater than the maximum of 32767", oslo.NotListed: "is not one of those allowed"}[p]
	if name == "payload" && p == oslo.TooLong {
		return refused(http.StatusRequestEntityTooLarge, "Provided information too large to process")
	}
	if _ = bound; name != "payload" { // an error does not repeat the payload
		reason = fmt.Sprint(v, " ", reason)
	}
	return invalid("Secret", reason, name)
}

func (b *Barbican) createSecret(c *oslo.Call) (*oslo.Response, error) {
	if err := allowed(c, "Secret creation", "creator"); err != nil {
		return nil, err
	}
	in, err := body(c, "Secret")
	if err != nil {
		return nil, err
	}
	for _, name := range table.Unknown(in) {
		delete(in, name)
	}
	v, err := table.Create(in, func(oslo.Refusal, ...string) *oslo.Error { return nil })
	if err != nil {
		return nil, err
	}
	s := &Secret{ID: b.cloud.UUID(), ProjectID: c.Caller.ProjectID, CreatorID: c.Caller.UserID, Created: c.Now, shown: map[string]any{}}
	for _, name := range []string{"name", "secret_type", "algorithm", "bit_length", "mode"} {
		s.shown[name] = v[name]
		if text, ok := v[name].(string); ok {
			s.shown[name] = strings.TrimSpace(text) // api/__init__.py: strip_whitespace
		}
	}
	if err := s.expire(v, c.Now); err != nil {
		return nil, err
	}
	if err := s.fill(v); err != nil {
		return nil, err
	}
	own := b.secrets.Where(func(o *Secret) bool { return o.ProjectID == s.ProjectID })
	if b.quotas.Exceeded(s.ProjectID, "secrets", len(own)+1) {
		return nil, refused(http.StatusForbidden, "Creation not allowed because a quota has been reached")
	}
	b.secrets.Add(s)
	address := c.Base + "/v1/secrets/" + s.ID
	return oslo.Created(map[string]any{"secret_ref": address}).With("Location", address), nil
}

func (s *Secret) expire(v oslo.Values, now time.Time) *oslo.Error {
	text, _ := v["expiration"].(string)
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return invalid("Secret", "Invalid date for 'expiration'", "expiration")
	}
	if !at.After(now) {
		return invalid("Secret", "'expiration' is before current time", "expiration")
	}
	s.Expires = &at
	return nil
}

var binary = []string{"application/octet-stream", "application/pkcs8"}

// fill sets the payload from a create request.
func (s *Secret) fill(v oslo.Values) *oslo.Error {
	text, given := v["payload"].(string)
	kind, typed := v["payload_content_type"].(string)
	encoding, _ := v["payload_content_encoding"].(string)
	isBinary := slices.Contains(binary, kind)
	switch {
	case !given && typed:
		return invalid("Secret", "payload must be provided when payload_content_type is specified", "payload")
	case !given:
		return nil
	case !typed:
		return invalid("Secret", "If 'payload' is supplied, 'payload_content_type' must also be supplied.", "payload_content_type")
	case !isBinary && kind != "text/plain":
		return invalid("Secret", "payload_content_type is not one of those supported", "payload_content_type")
	case isBinary != (encoding == "base64"):
		return invalid("Secret", "payload_content_encoding is not one of those supported", "payload_content_encoding")
	case strings.TrimSpace(text) == "":
		return invalid("Secret", "If 'payload' specified, must be non empty", "payload")
	}
	s.ContentType, s.Payload = kind, []byte(strings.TrimSpace(text))
	if isBinary {
		var err error
		if s.Payload, err = base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err != nil {
			return invalid("Secret", "Invalid payload for payload_content_encoding", "payload")
		}
	}
	return nil
}

// store sets the payload of a secret that has none.
func store(c *oslo.Call, s *Secret) (*oslo.Response, error) {
	kind := c.Header.Get("Content-Type")
	switch {
	case kind != "text/plain" && kind != binary[0]:
		return nil, refused(http.StatusUnsupportedMediaType, "Unexpected content type. Expected content types are: ['application/octet-stream', 'text/plain']")
	case s.ContentType != "":
		return nil, refused(http.StatusConflict, "Secret already has data, cannot modify it.")
	case len(c.Body()) == 0:
		return nil, refused(http.StatusBadRequest, "No data supplied to process.")
	}
	s.ContentType, s.Payload = kind, slices.Clone(c.Body())
	return oslo.NoContent(), nil
}

func payload(_ *oslo.Call, s *Secret) (*oslo.Response, error) {
	if s.ContentType == "" {
		return nil, refused(http.StatusNotFound, "Not Found. Sorry but your secret has no payload.")
	}
	return (&oslo.Response{Status: http.StatusOK, Body: slices.Clone(s.Payload)}).With("Content-Type", s.ContentType), nil
}

// Holds reports whether a project has a secret with a payload, or a container, at an address.
// The host in the address does not matter. An ID alone is no address.
func (b *Barbican) Holds(project, address string) bool {
	parts := strings.Split(address, "/")
	if len(parts) < 2 {
		return false
	}
	switch id := parts[len(parts)-1]; parts[len(parts)-2] {
	case "secrets":
		s, ok := b.secrets.Get(id)
		return ok && s.ProjectID == project && s.ContentType != "" && !s.expired(b.cloud.Now())
	case "containers":
		o, ok := b.containers.Get(id)
		return ok && o.ProjectID == project
	}
	return false
}
