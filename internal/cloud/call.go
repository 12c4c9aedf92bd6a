package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/stackreeve/stackreeve/internal/redact"
)

// Call is one request to a service.
//
// Writes do not use gophercloud's typed requests, only its service client:
//   - networks.CreateOpts and similar types have no tags. Newer Neutrons accept tags in the
//     request that creates an object, and tags carry the owner mark.
//   - Updates send only the attributes that changed, zero values included. Typed options leave
//     zero values out, or send all attributes.
//   - Options and results describe one release. Kinds send the attributes of the cloud's own
//     microversion or extensions.
type Call struct {
	Service string // catalog type
	Method  string
	Path    string // below the service's endpoint, e.g. "networks/3f…"; or a complete address from an answer
	// Body is sent as JSON; nil sends none.
	Body any
	// Stream is sent in place of Body, unchanged and only once. If the login has expired, the request fails and is not repeated with a new token. Use
	// [WithLongest] to set how long sending it may take.
	Stream io.ReadCloser
	// Into receives the JSON answer; nil discards it.
	Into any
	// Plain receives the answer unchanged, in place of Into.
	Plain io.Writer
	// Microversion is requested from services that have microversions; "" for the base.
	Microversion string
	// Headers are additional headers.
	Headers map[string]string
	// Secret says that the request carries user data or another secret. Then no part of the server's message is shown when it refuses. It need not
	// be set if Body contains a secret of the stack.
	Secret bool
}

// Do sends a request. Its error has a class (see [classify]).
func (c *Client) Do(ctx context.Context, call Call) error {
	_, err := c.do(ctx, call)
	return err
}

// Head reads the headers of an answer, for services that describe an object in headers. Its errors are those of Do; the answer to a HEAD has no
// message.
func (c *Client) Head(ctx context.Context, service, path string) (http.Header, error) {
	return c.do(ctx, Call{Service: service, Method: http.MethodHead, Path: path})
}

// Part reads the bytes of the content at a path between from and to, both included. Any other answer is an error, and is not read to
// its end.
func (c *Client) Part(ctx context.Context, call Call, from, to int64) ([]byte, error) {
	var part bytes.Buffer
	headers := map[string]string{}
	maps.Copy(headers, call.Headers)
	headers["Range"] = fmt.Sprintf("bytes=%d-%d", from, to)
	call.Method, call.Headers, call.Plain = http.MethodGet, headers, &part
	h, err := c.do(context.WithValue(ctx, bytesRead{}, to-from+1), call)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(h.Get("Content-Range"), fmt.Sprintf("bytes %d-%d/", from, to)) || int64(part.Len()) != to-from+1 {
		return nil, fmt.Errorf("%s: the answer is not the requested part of the object", call.Service)
	}
	return part.Bytes(), nil
}

func (c *Client) do(ctx context.Context, call Call) (http.Header, error) {
	s, err := c.service(call.Service, call.Microversion)
	if err != nil {
		return nil, err
	}
	address, err := ownAddress(s, call)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", call.Service, err)
	}
	if call.Service == Identity && call.Method == http.MethodPatch {
		c.patching.Lock() // Keystone writes all additional attributes of an object together; of two simultaneous updates one would be lost
		defer c.patching.Unlock()
	}
	options := &gophercloud.RequestOpts{JSONBody: call.Body, OkCodes: []int{200, 201, 202, 204, 206}, MoreHeaders: maps.Clone(call.Headers), KeepResponseBody: true}
	within := context.WithValue(ctx, serviceName{}, call.Service)
	if call.Stream != nil {
		options.RawBody = call.Stream
	}
	resp, err := s.Request(within, call.Method, address, options)
	if err != nil {
		return nil, c.failed(ctx, call, err)
	}
	defer func() { _ = resp.Body.Close() }() // only the bytes that were read matter
	if err := read(resp, call); err != nil {
		call.Secret = call.Secret || carries(redact.From(ctx), call.Body)
		return nil, unread(call, err)
	}
	return resp.Header, nil
}

// failed is the error of a request that was refused, or that got no answer.
func (c *Client) failed(ctx context.Context, call Call, err error) error {
	call.Secret = call.Secret || carries(redact.From(ctx), call.Body)
	if call.Secret && !errors.As(err, new(gophercloud.ErrUnexpectedResponseCode)) {
		err = withoutAnswerText(err)
	}
	row, unknown := serviceOfType(call.Service)
	if unknown != nil {
		return unknown
	}
	return fmt.Errorf("%s: %w", call.Service, c.conceal(classify(err, row, c.quoted(ctx, call))))
}

func read(resp *http.Response, call Call) error {
	if call.Plain != nil {
		_, err := io.Copy(call.Plain, resp.Body)
		return err
	}
	if call.Into == nil || resp.StatusCode == http.StatusNoContent {
		_, err := io.Copy(io.Discard, resp.Body)
		return err
	}
	return json.NewDecoder(resp.Body).Decode(call.Into)
}
