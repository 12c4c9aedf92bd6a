// Package barbican simulates the key manager of Zed: secrets, and the containers that
// refer to several of them.
//
// It encrypts nothing. Orders, access lists, consumers, user metadata and transport keys
// are not simulated.
package barbican

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are the differences between clouds.
type Options struct {
	// MaxPage is the maximum length of a page of a list. Zero means Barbican's default of
	// 10 records, or as many as a request asks for, up to 100.
	MaxPage int
}

// Barbican is the key manager. Its methods are called with the cloud's lock held.
type Barbican struct {
	cloud      *oslo.Cloud
	opts       Options
	quotas     oslo.Quotas
	secrets    *oslo.Collection[Secret]
	containers *oslo.Collection[Container]
}

// New registers the key manager.
func New(cloud *oslo.Cloud, opts Options) *Barbican {
	b := &Barbican{cloud: cloud, opts: opts, quotas: oslo.Quotas{Defaults: map[string]int{"secrets": -1, "orders": -1, "containers": -1, "consumers": -1, "cas": -1}},
		secrets:    oslo.NewCollection(func(s *Secret) string { return s.ID }),
		containers: oslo.NewCollection(func(c *Container) string { return c.ID })}
	svc := &oslo.Service{Name: "barbican", Types: []string{"key-manager"}, Prefix: "/key-manager", Render: render}
	cloud.Register(svc)
	svc.HandlePublic("GET /{$}", versions)
	b.addSecrets(svc)
	b.addContainers(svc)
	svc.Handle("GET /v1/quotas", func(c *oslo.Call) (*oslo.Response, error) {
		return oslo.OK(map[string]any{"quotas": b.quotas.Of(c.Caller.ProjectID)}), nil
	})
	return b
}

// SetQuota sets the limit of a project for a resource ("secrets", "containers"); -1 means no limit.
func (b *Barbican) SetQuota(project, name string, limit int) { b.quotas.Set(project, name, limit) }

func versions(c *oslo.Call) (*oslo.Response, error) {
	return &oslo.Response{Status: http.StatusMultipleChoices, Body: map[string]any{"versions": map[string]any{"values": []any{map[string]any{
		"id": "v1", "status": "stable", "links": []any{map[string]string{"rel": "self", "href": c.Base + "/v1/"}}}}}}}, nil
}

// render mirrors barbican/api/hooks.py: JSONErrorHook.
func render(e *oslo.Error) (string, []byte) {
	return oslo.RenderJSON(map[string]any{"code": e.Status, "title": http.StatusText(e.Status), "description": e.Message})
}

func refused(status int, format string, args ...any) *oslo.Error {
	return oslo.Errorf(status, "HTTPError", format, args...)
}

// invalid mirrors barbican/common/exception.py: InvalidObject.
func invalid(schema, reason, property string) *oslo.Error {
	return refused(http.StatusBadRequest, "Provided object does not match schema '%s': %s. Invalid property: '%s'", schema, reason, property)
}

// allowed returns an error unless the caller has one of the roles
// (barbican/common/policies).
func allowed(c *oslo.Call, what string, roles ...string) *oslo.Error {
	for _, role := range append(roles, "admin") {
		if c.Caller.Has(role) {
			return nil
		}
	}
	return refused(http.StatusForbidden, "%s attempt not allowed - please review your user/project privileges", what)
}

// body reads the object of a request.
func body(c *oslo.Call, schema string) (map[string]any, *oslo.Error) {
	var in any
	if !c.Decode(&in) {
		return nil, refused(http.StatusBadRequest, "Malformed JSON")
	}
	out, ok := in.(map[string]any)
	if !ok {
		return nil, invalid(schema, "is not of type 'object'", "None")
	}
	return out, nil
}

// page returns the part of a list that a request asks for: the records from index from to index to. total is the
// number of records. links refer to the other parts (barbican/common/hrefs.py: add_nav_hrefs).
func (b *Barbican) page(c *oslo.Call, collection string, total int) (from, to int, links map[string]any) {
	limit, _ := strconv.Atoi(c.Query().Get("limit"))
	if limit <= 0 {
		limit = 10
	}
	if limit = min(limit, 100); b.opts.MaxPage > 0 {
		limit = min(limit, b.opts.MaxPage)
	}
	from, _ = strconv.Atoi(c.Query().Get("offset"))
	from = min(max(from, 0), total)
	to, links = min(from+limit, total), map[string]any{"total": total}
	at := func(offset int) string {
		return c.Base + "/v1/" + collection + "?limit=" + strconv.Itoa(limit) + "&offset=" + strconv.Itoa(offset)
	}
	if from > 0 {
		links["previous"] = at(max(0, from-limit))
	}
	if to < total {
		links["next"] = at(from + limit)
	}
	return from, to, links
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func lastOf(address string) string { return address[strings.LastIndexByte(address, '/')+1:] }
