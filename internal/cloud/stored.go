package cloud

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// StoredSecret is a secret in Barbican, without its payload. (Barbican API reference, Secrets)
type StoredSecret struct {
	Ref          string            `json:"secret_ref"`
	Name         string            `json:"name"`
	Status       string            `json:"status"`
	Updated      string            `json:"updated"`
	ContentTypes map[string]string `json:"content_types"` // of the payload; without any, there is no payload
}

// ID is the last part of the secret's address.
func (s StoredSecret) ID() string { return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:] }

// StoredSecretByID returns the secret with an ID. The error is kind.ErrGone if there is none.
func (c *Client) StoredSecretByID(ctx context.Context, id string) (s StoredSecret, err error) {
	err = c.Do(ctx, Call{Service: KeyManager, Method: http.MethodGet, Path: "secrets/" + url.PathEscape(id), Into: &s})
	return s, err
}

// StoredSecretsByName returns the first secrets with a name: enough to know whether there are several.
func (c *Client) StoredSecretsByName(ctx context.Context, name string) ([]StoredSecret, error) {
	var list struct {
		Secrets []StoredSecret `json:"secrets"`
	}
	err := c.Do(ctx, Call{Service: KeyManager, Method: http.MethodGet, Path: "secrets?" + url.Values{"name": {name}, "limit": {"2"}}.Encode(), Into: &list})
	return list.Secrets, err
}

var errPayload = errors.New("the payload is too large")

// Payload reads the payload of a secret, of at most limit bytes.
func (c *Client) Payload(ctx context.Context, s StoredSecret, limit int) ([]byte, error) {
	of := s.ContentTypes["default"]
	if of == "" {
		return nil, fmt.Errorf("%w: the secret has no payload", kind.ErrGone)
	}
	text := &shortBuffer{most: limit}
	err := c.Do(ctx, Call{Service: KeyManager, Method: http.MethodGet, Path: "secrets/" + url.PathEscape(s.ID()) + "/payload", Plain: text, Headers: map[string]string{"Accept": of}, Secret: true})
	return text.Bytes(), err
}

// shortBuffer is a buffer with a limit.
type shortBuffer struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer.
func (b *shortBuffer) Write(text []byte) (int, error) {
	if b.Len()+len(text) > b.most {
		return 0, errPayload
	}
	return b.Buffer.Write(text)
}
