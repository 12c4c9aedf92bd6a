package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

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
	address := call.Path
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		address = s.ServiceURL(call.Path)
	}
	resp, err := s.ProviderClient.Request(context.WithValue(ctx, serviceName{}, call.Service), call.Method, address, opts)
	if err != nil {
		call.Secret = call.Secret || carries(redact.From(ctx), call.Body)
		if call.Secret && !errors.As(err, new(gophercloud.ErrUnexpectedResponseCode)) {
			err = quiet(err)
		}
		return fmt.Errorf("%s: %w", call.Service, classify(err, c.quoted(ctx, call)))
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

// maxPages bounds how many pages of one collection are read, so that a server
// whose links run in a circle ends in an error.
const maxPages = 10_000

// List reads a whole collection: every page of it, or an error. field is the
// name of the list in the answer, e.g. "networks".
func List[T any](ctx context.Context, c *Client, call Call, field string) ([]T, error) {
	var all []T
	call.Method = http.MethodGet
	for range maxPages {
		var page map[string]json.RawMessage
		call.Into = &page
		if err := c.Do(ctx, call); err != nil {
			return nil, err
		}
		raw, ok := page[field]
		if !ok {
			return nil, fmt.Errorf("%s: GET /%s: the answer has no %q", call.Service, call.Path, field)
		}
		var items []T
		if err := json.Unmarshal(raw, &items); err != nil {
			return nil, fmt.Errorf("%s: GET /%s: %w", call.Service, call.Path, err)
		}
		all = append(all, items...)
		next, err := c.nextPage(call.Service, page, field)
		if err != nil || next == "" {
			return all, err
		}
		call.Path = next
	}
	return nil, fmt.Errorf("%s: GET /%s: more than %d pages", call.Service, call.Path, maxPages)
}

// nextPage finds the address of the next page: Neutron, Nova, Cinder and
// Octavia give links, Glance a path.
func (c *Client) nextPage(service string, page map[string]json.RawMessage, field string) (string, error) {
	var path string
	if json.Unmarshal(page["next"], &path) == nil && path != "" {
		s, err := c.service(service)
		if err != nil {
			return "", err
		}
		root, _, _ := strings.Cut(s.ServiceURL(), "/v2/")
		return root + path, nil
	}
	var links []struct {
		Rel  string `json:"rel"`
		Href string `json:"href"`
	}
	if raw, ok := page[field+"_links"]; ok {
		if err := json.Unmarshal(raw, &links); err != nil {
			return "", fmt.Errorf("%s: links of %s: %w", service, field, err)
		}
	}
	for _, link := range links {
		if link.Rel == "next" {
			return link.Href, nil
		}
	}
	return "", nil
}
