// Package swift simulates the object store of Zed (Swift 2.30): the containers of an account, with the
// number and the size of their objects and versions.
//
// Only the project itself has access. Temporary URLs, bulk requests and segments are not simulated, and only
// the size of earlier versions is stored.
package swift

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are the differences between clouds.
type Options struct {
	// MaxPage is the maximum length of a page of a list, and the maximum that a request may ask for. Zero
	// means Swift's own 10,000.
	MaxPage int
}

// Swift is the object store. Its methods are called with the cloud's lock held.
type Swift struct {
	opts     Options
	accounts map[string]map[string]*Container // the keys are the project and the name of the container
}

// Container is one container.
type Container struct {
	Name    string
	Policy  string
	Headers map[string]string // all headers that can be written, by canonical name
	Objects map[string]*Object
	Created time.Time
	// Versions are the objects that were put and deleted since versions were enabled, including the newest ones.
	Versions []version
	numbered int
}

type version struct {
	id, name string
	size     int
	current  bool
}

// policies are the storage policies; the first is the default.
var policies = []string{"gold", "silver"}

// New registers the object store.
func New(cloud *oslo.Cloud, opts Options) *Swift {
	s := &Swift{opts: opts, accounts: map[string]map[string]*Container{}}
	svc := &oslo.Service{Name: "swift", Types: []string{"object-store"}, Prefix: "/object-store", Endpoint: "/v1/AUTH_%(project_id)s", Render: render,
		RenderUnauthorized: render}
	cloud.Register(svc)
	svc.Handle("GET /v1/{account}", s.owned(s.list))
	svc.Handle("HEAD /v1/{account}", s.owned(s.headAccount))
	svc.Handle("HEAD /v1/{account}/{container}", s.owned(s.head))
	svc.Handle("PUT /v1/{account}/{container}", s.owned(s.put))
	svc.Handle("POST /v1/{account}/{container}", s.owned(s.post))
	svc.Handle("DELETE /v1/{account}/{container}", s.owned(s.remove))
	svc.Handle("GET /v1/{account}/{container}", s.owned(s.listObjects))
	svc.Handle("GET /v1/{account}/{container}/{object...}", s.owned(s.getObject))
	svc.Handle("HEAD /v1/{account}/{container}/{object...}", s.owned(s.getObject))
	svc.Handle("POST /v1/{account}/{container}/{object...}", s.owned(s.postObject))
	svc.Handle("PUT /v1/{account}/{container}/{object...}", s.owned(s.putObject))
	svc.Handle("DELETE /v1/{account}/{container}/{object...}", s.owned(s.removeObject))
	return s
}

// render encodes errors as swob does. (swift/common/swob.py: RESPONSE_REASONS)
func render(e *oslo.Error) (string, []byte) {
	if e.Kind == "text" {
		return "text/plain", []byte(e.Message)
	}
	return "text/html; charset=UTF-8", fmt.Appendf(nil, "<html><h1>%s</h1><p>%s</p></html>", http.StatusText(e.Status), e.Message)
}

func refused(status int, message string) *oslo.Error {
	return oslo.Errorf(status, "html", "%s", message)
}

// bad returns the error 400 with its reason.
func bad(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "text", format, args...)
}

var errNotFound = refused(http.StatusNotFound, "The resource could not be found.")

// headAccount shows how many containers the account has. In a real cloud, Swift's updater later writes the numbers of objects; here they stay zero.
func (s *Swift) headAccount(c *oslo.Call) (*oslo.Response, error) {
	return oslo.NoContent().With("X-Account-Container-Count", strconv.Itoa(len(s.account(c)))).With("X-Account-Object-Count", "0").With("X-Account-Bytes-Used", "0"), nil
}

// owned returns a handler that only the owner of the account may call. (swift/common/middleware/keystoneauth.py:
// authorize)
func (s *Swift) owned(h oslo.Handler) oslo.Handler {
	return func(c *oslo.Call) (*oslo.Response, error) {
		owner := c.Caller.Admin() || c.Caller.Has("member") || c.Caller.Has("swiftoperator")
		if !owner || c.PathValue("account") != "AUTH_"+c.Caller.ProjectID {
			return nil, refused(http.StatusForbidden, "Access was denied to this resource.")
		}
		for _, part := range []string{c.PathValue("container"), c.PathValue("object")} {
			if !utf8.ValidString(part) || strings.ContainsRune(part, 0) {
				return nil, oslo.Errorf(http.StatusPreconditionFailed, "text", "Invalid UTF8 or contains NULL")
			}
		}
		return h(c)
	}
}

func (s *Swift) account(c *oslo.Call) map[string]*Container {
	project := c.Caller.ProjectID
	if s.accounts[project] == nil {
		s.accounts[project] = map[string]*Container{}
	}
	return s.accounts[project]
}

func (s *Swift) find(c *oslo.Call) (*Container, error) {
	found, ok := s.account(c)[c.PathValue("container")]
	if !ok {
		return nil, errNotFound
	}
	return found, nil
}

// list mirrors swift/account/utils.py: account_listing_response.
func (s *Swift) list(c *oslo.Call) (*oslo.Response, error) {
	limit, err := strconv.Atoi(c.Query().Get("limit"))
	most := 10_000
	if s.opts.MaxPage > 0 {
		most = s.opts.MaxPage
	}
	switch { // swift/common/request_helpers.py: constrain_req_limit
	case err != nil || limit < 0:
		limit = most
	case limit > most:
		return nil, oslo.Errorf(http.StatusPreconditionFailed, "text", "Maximum limit is %d", most)
	}
	out, all := []any{}, s.account(c)
	names := []string{}
	for name := range all {
		if name > c.Query().Get("marker") && strings.HasPrefix(name, c.Query().Get("prefix")) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), limit)] {
		one := all[name]
		// In a real cloud, Swift's updater later writes the numbers of a container into the account. Here they stay
		// zero.
		out = append(out, map[string]any{"name": name, "count": 0, "bytes": 0, "last_modified": oslo.StampMicro(one.Created)})
	}
	return oslo.OK(out), nil
}

// bytes returns the size of the objects. Versions do not count, because they are in a separate container.
func (one *Container) bytes() (sum int) {
	for _, o := range one.Objects {
		sum += len(o.Data)
	}
	return sum
}

// kept returns the size of the versions.
func (one *Container) kept() (sum int) {
	for _, v := range one.Versions {
		sum += v.size
	}
	return sum
}

func (s *Swift) head(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	// In a container with versions, Swift stores a link to the newest version instead of the object. The link has no
	// size.
	size := one.kept()
	for name, o := range one.Objects {
		if !slices.ContainsFunc(one.Versions, func(v version) bool { return v.name == name && v.current }) {
			size += len(o.Data)
		}
	}
	out := oslo.NoContent().With("X-Container-Object-Count", strconv.Itoa(len(one.Objects))).With("X-Container-Bytes-Used", strconv.Itoa(size)).
		With("X-Storage-Policy", one.Policy).With("X-Timestamp", fmt.Sprintf("%.5f", float64(one.Created.UnixMicro())/1e6))
	for name, value := range one.Headers {
		out.With(name, value)
	}
	return out, nil
}

func (s *Swift) remove(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	switch {
	case err != nil:
		return nil, err
	case len(one.Versions) > 0:
		return nil, oslo.Errorf(http.StatusConflict, "text", "Delete all versions before deleting container.")
	case len(one.Objects) > 0:
		return nil, refused(http.StatusConflict, "There was a conflict when trying to complete your request.")
	}
	delete(s.account(c), one.Name)
	return oslo.NoContent(), nil
}
