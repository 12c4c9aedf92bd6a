package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Call is one request to a service.
type Call struct {
	Service string // catalog type
	Method  string
	Path    string // below the service's endpoint, e.g. "networks/3f…"
	// Body is sent as JSON; nil sends none.
	Body any
	// Into receives the JSON answer; nil discards it.
	Into any
	// Microversion is asked for where the service has them; "" for the base.
	Microversion string
	// Headers are sent besides.
	Headers map[string]string
	// Secret says that the request carries user data or another secret: then
	// nothing of the server's words is repeated when it refuses. It need not be
	// set where a secret of the stack is in Body.
	Secret bool
}

// Do makes a request. Its error is classified (see [Classify]).
func (c *Client) Do(ctx context.Context, call Call) error {
	s, err := c.service(call.Service)
	if err != nil {
		return err
	}
	opts := &gophercloud.RequestOpts{
		JSONBody: call.Body, OkCodes: []int{200, 201, 202, 204}, MoreHeaders: map[string]string{}, KeepResponseBody: true,
	}
	for k, v := range call.Headers {
		opts.MoreHeaders[k] = v
	}
	if call.Microversion != "" {
		opts.MoreHeaders["OpenStack-API-Version"] = call.Service + " " + call.Microversion
		if call.Service == Compute {
			opts.MoreHeaders["X-OpenStack-Nova-API-Version"] = call.Microversion
		}
		if call.Service == BlockStorage {
			opts.MoreHeaders["OpenStack-API-Version"] = "volume " + call.Microversion
		}
	}
	address, err := ownAddress(s, call)
	if err != nil {
		return fmt.Errorf("%s: %w", call.Service, err)
	}
	resp, err := s.ProviderClient.Request(context.WithValue(ctx, serviceName{}, call.Service), call.Method, address, opts)
	if err != nil {
		call.Secret = call.Secret || carries(redact.From(ctx), call.Body)
		if call.Secret && !errors.As(err, new(gophercloud.ErrUnexpectedResponseCode)) {
			err = quiet(err)
		}
		return fmt.Errorf("%s: %w", call.Service, c.conceal(classify(err, c.quoted(ctx, call))))
	}
	defer func() { _ = resp.Body.Close() }() // what matters is what was read
	if err := read(resp, call); err != nil {
		call.Secret = call.Secret || carries(redact.From(ctx), call.Body)
		return unread(call, err)
	}
	return nil
}

func read(resp *http.Response, call Call) error {
	if call.Into == nil || resp.StatusCode == http.StatusNoContent {
		_, err := io.Copy(io.Discard, resp.Body)
		return err
	}
	return json.NewDecoder(resp.Body).Decode(call.Into)
}

// List reads a whole collection: every page of it, or an error. field is the
// name of the list in the answer, e.g. "networks".
func List[T any](ctx context.Context, c *Client, call Call, field string) ([]T, error) {
	return list[T](ctx, c, call, field, new(reading))
}

func list[T any](ctx context.Context, c *Client, call Call, field string, r *reading) ([]T, error) {
	var all []T
	call.Method = http.MethodGet
	first := call.Path
	wrong := func(err error) error { return fmt.Errorf("%s: GET /%s: %w", call.Service, first, err) }
	for {
		if err := r.turn(call.Path); err != nil {
			return nil, wrong(err)
		}
		var page map[string]json.RawMessage
		call.Into = &page
		if err := c.Do(ctx, call); err != nil {
			return nil, err
		}
		if err := r.add(page); err != nil {
			return nil, wrong(err)
		}
		raw, ok := page[field]
		if !ok {
			return nil, wrong(fmt.Errorf("the answer has no %q", field))
		}
		var items []T
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, wrong(err)
		}
		all = append(all, items...)
		more, err := follow(page, field)
		switch {
		case err != nil:
			return nil, wrong(err)
		case more.next == "" && more.total >= 0 && more.total != len(all):
			return nil, wrong(fmt.Errorf("%d of %d came", len(all), more.total))
		case more.next == "":
			return all, nil
		}
		if call.Path, err = c.nextPage(call.Service, more.next); err != nil {
			return nil, wrong(err)
		}
	}
}

// nextPage is the address of the next page.
func (c *Client) nextPage(service, next string) (string, error) {
	s, err := c.service(service)
	if err != nil {
		return "", err
	}
	address, err := absolute(s.ResourceBaseURL(), next)
	return address, private.Hide("its next page is not on the service", err)
}
