// Package swift simulates the object store as Zed has it (Swift 2.30): the containers of an
// account, and of their objects how many there are and how large.
//
// It keeps no contents, and knows no listings of objects, access by others than the project,
// temporary URLs, bulk requests and segments.
package swift

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are what differs between clouds.
type Options struct {
	// MaxPage bounds the pages of lists; zero leaves Swift's own 10,000.
	MaxPage int
}

// Swift is the object store. Its methods are called with the cloud's lock held.
type Swift struct {
	opts     Options
	accounts map[string]map[string]*Container // by project and name
}

// Container is one container.
type Container struct {
	Name    string
	Policy  string
	Headers map[string]string // all that can be written, by canonical name
	Objects map[string]int    // sizes by name
	Created time.Time
}

// policies are the storage policies, the default first.
var policies = []string{"gold", "silver"}

// New registers the object store.
func New(cloud *oslo.Cloud, opts Options) *Swift {
	s := &Swift{opts: opts, accounts: map[string]map[string]*Container{}}
	svc := &oslo.Service{Name: "swift", Types: []string{"object-store"}, Prefix: "/object-store", Endpoint: "/v1/AUTH_%(project_id)s", Render: render,
		RenderUnauthorized: render}
	cloud.Register(svc)
	svc.Handle("GET /v1/{account}", s.owned(s.list))
	svc.Handle("HEAD /v1/{account}/{container}", s.owned(s.head))
	svc.Handle("PUT /v1/{account}/{container}", s.owned(s.put))
	svc.Handle("POST /v1/{account}/{container}", s.owned(s.post))
	svc.Handle("DELETE /v1/{account}/{container}", s.owned(s.remove))
	svc.Handle("PUT /v1/{account}/{container}/{object...}", s.owned(s.putObject))
	svc.Handle("DELETE /v1/{account}/{container}/{object...}", s.owned(s.removeObject))
	return s
}

// render words errors as swob does. (swift/common/swob.py: RESPONSE_REASONS)
func render(e *oslo.Error) (string, []byte) {
	if e.Kind == "text" {
		return "text/plain", []byte(e.Message)
	}
	return "text/html; charset=UTF-8", fmt.Appendf(nil, "<html><h1>%s</h1><p>%s</p></html>", http.StatusText(e.Status), e.Message)
}

func refused(status int, message string) *oslo.Error {
	return oslo.Errorf(status, "html", "%s", message)
}

// bad is a refusal that says what is wrong.
func bad(format string, args ...any) *oslo.Error {
	return oslo.Errorf(http.StatusBadRequest, "text", format, args...)
}

var errNotFound = refused(http.StatusNotFound, "The resource could not be found.")

// owned lets those in who own the account. (swift/common/middleware/keystoneauth.py: authorize)
func (s *Swift) owned(h oslo.Handler) oslo.Handler {
	return func(c *oslo.Call) (*oslo.Response, error) {
		owner := c.Caller.Admin() || c.Caller.Has("member") || c.Caller.Has("swiftoperator")
		if !owner || c.PathValue("account") != "AUTH_"+c.Caller.ProjectID {
			return nil, refused(http.StatusForbidden, "Access was denied to this resource.")
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

// list is swift/account/utils.py: account_listing_response.
func (s *Swift) list(c *oslo.Call) (*oslo.Response, error) {
	limit, err := strconv.Atoi(c.Query().Get("limit"))
	most := 10_000
	if s.opts.MaxPage > 0 {
		most = s.opts.MaxPage
	}
	if err != nil || limit <= 0 {
		limit = most
	}
	out, all := []any{}, s.account(c)
	names := []string{}
	for name := range all {
		if name > c.Query().Get("marker") && strings.HasPrefix(name, c.Query().Get("prefix")) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), limit, most)] {
		one := all[name]
		out = append(out, map[string]any{"name": name, "count": len(one.Objects), "bytes": one.bytes(), "last_modified": oslo.StampMicro(one.Created)})
	}
	return oslo.OK(out), nil
}

func (one *Container) bytes() (sum int) {
	for _, size := range one.Objects {
		sum += size
	}
	return sum
}

func (s *Swift) head(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	out := oslo.NoContent().With("X-Container-Object-Count", strconv.Itoa(len(one.Objects))).With("X-Container-Bytes-Used", strconv.Itoa(one.bytes())).
		With("X-Storage-Policy", one.Policy).With("X-Timestamp", fmt.Sprintf("%.5f", float64(one.Created.UnixMicro())/1e6))
	for name, value := range one.Headers {
		out.With(name, value)
	}
	return out, nil
}

func (s *Swift) remove(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	if len(one.Objects) > 0 {
		return nil, refused(http.StatusConflict, "There was a conflict when trying to complete your request.")
	}
	delete(s.account(c), one.Name)
	return oslo.NoContent(), nil
}

func (s *Swift) putObject(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	if limit, err := strconv.Atoi(one.Headers["X-Container-Meta-Quota-Count"]); err == nil && len(one.Objects) >= limit {
		return nil, oslo.Errorf(http.StatusRequestEntityTooLarge, "text", "Upload exceeds quota.")
	}
	one.Objects[c.PathValue("object")] = len(c.Body())
	return oslo.Created(nil), nil
}

func (s *Swift) removeObject(c *oslo.Call) (*oslo.Response, error) {
	one, err := s.find(c)
	if err != nil {
		return nil, err
	}
	if _, ok := one.Objects[c.PathValue("object")]; !ok {
		return nil, errNotFound
	}
	delete(one.Objects, c.PathValue("object"))
	return oslo.NoContent(), nil
}
