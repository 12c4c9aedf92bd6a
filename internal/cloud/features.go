package cloud

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// features are the known capabilities of a cloud. They are requested on first use and remembered; a
// failed request is not remembered. Clients with the same login share them, if they logged in within
// [loginLasts].
type features struct {
	asking     joint[*error] // requests that are running, by what they ask for
	mu         sync.Mutex    // never held during a request
	extensions map[string]bool
	newest     map[string]string // microversion by catalog type
	lacks      map[string]bool   // capabilities that a failed attempt has shown to be missing
}

// shared returns the capabilities that the client knows. A client that was made without a login shares them with no other.
func (c *Client) shared() *features {
	c.once.Do(func() {
		if c.features == nil {
			c.features = &features{}
		}
	})
	return c.features
}

// Lack records that the cloud does not support the capability what. The client learns this from a
// failed attempt, because no document of the cloud says it.
func (c *Client) Lack(what string) {
	f := c.shared()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lacks == nil {
		f.lacks = map[string]bool{}
	}
	f.lacks[what] = true
}

// Lacks reports whether [Client.Lack] was called for the capability what.
func (c *Client) Lacks(what string) bool {
	f := c.shared()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lacks[what]
}

// HasExtension reports whether Neutron offers an API extension, by its alias.
// (neutron-lib api/definitions)
func (c *Client) HasExtension(ctx context.Context, alias string) (bool, error) {
	f := c.shared()
	err := f.ask(ctx, "extensions", func() bool { return f.extensions != nil }, func() (func(), error) {
		list, err := List[struct {
			Alias string `json:"alias"`
		}](ctx, c, Call{Service: Network, Path: "extensions"}, "extensions")
		extensions := make(map[string]bool, len(list))
		for _, e := range list {
			extensions[e.Alias] = true
		}
		return func() { f.extensions = extensions }, err
	})
	if err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.extensions[alias], nil
}

// ask sends a request for capabilities, unless they are known. Clients that ask at the same time share the request. request returns a function
// that stores the answer.
func (f *features) ask(ctx context.Context, what string, known func() bool, request func() (store func(), err error)) error {
	unknown := func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return !known()
	}
	if !unknown() {
		return nil
	}
	answer := f.asking.do(ctx, what, time.Time{}, 0, func() (*error, audience) {
		var store func()
		var err error
		if unknown() { // another client may have stored the answer in the meantime
			if store, err = request(); err == nil {
				f.mu.Lock()
				store()
				f.mu.Unlock()
			}
		}
		if err != nil {
			return &err, audienceOfFailure(ctx, err)
		}
		return &err, laterCallers
	})
	if answer == nil {
		return ctx.Err()
	}
	return *answer
}

// Offers returns an error unless Neutron offers an API extension; the extension "" always exists.
func (c *Client) Offers(ctx context.Context, alias string) error {
	if alias == "" {
		return nil
	}
	has, err := c.HasExtension(ctx, alias)
	if err == nil && !has {
		err = fmt.Errorf("the network service lacks the extension %s: %w", alias, kind.ErrNoService)
	}
	return err
}

// Microversion is the newest microversion of a service that the cloud has, at most want; "" if the
// service has none.
func (c *Client) Microversion(ctx context.Context, service, want string) (string, error) {
	f := c.shared()
	known := func() bool { _, ok := f.newest[service]; return ok }
	err := f.ask(ctx, service, known, func() (func(), error) {
		newest, err := c.newestMicroversion(ctx, service)
		return func() {
			if f.newest == nil {
				f.newest = map[string]string{}
			}
			f.newest[service] = newest
		}, err
	})
	if err != nil {
		return "", err
	}
	f.mu.Lock()
	newest := f.newest[service]
	f.mu.Unlock()
	if AtLeast(newest, want) {
		return want, nil
	}
	return newest, nil
}

// Require returns want if the cloud has that microversion of the service. Otherwise its error names
// the objects that need it, which the argument what gives.
func (c *Client) Require(ctx context.Context, service, want, what string) (string, error) {
	have, err := c.Microversion(ctx, service, want)
	if err == nil && have != want {
		err = fmt.Errorf("%w: %s need microversion %s of the %s service, this cloud has %s", kind.ErrRejected, what, want, service, have)
	}
	return have, err
}

// AtLeast reports whether the microversion have is want or newer. "" is older than every other.
func AtLeast(have, want string) bool {
	major, minor := versionOf(have)
	wantMajor, wantMinor := versionOf(want)
	return major > wantMajor || major == wantMajor && minor >= wantMinor
}

func versionOf(text string) (major, minor int) {
	before, after, ok := strings.Cut(text, ".")
	major, err := strconv.Atoi(before)
	if minor, err2 := strconv.Atoi(after); ok && err == nil && err2 == nil {
		return major, minor
	}
	return 0, 0
}
