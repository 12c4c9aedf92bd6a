// Package manila simulates the shared file system service as in Zed (microversions 2.0 to 2.73): share networks,
// each with one subnet, and the limits of projects.
//
// It has no shares, share servers, types or security services. [Manila.Occupy] sets whether a share network is
// in use. Like Manila itself, it does not check in Neutron whether the network and the subnet of a share network
// exist.
package manila

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are the differences between clouds.
type Options struct {
	// MaxPage is osapi_max_limit; zero means 1000.
	MaxPage int
}

// Manila is the shared file system service. Its methods are called with the cloud's lock held.
type Manila struct {
	cloud    *oslo.Cloud
	opts     Options
	svc      *oslo.Service
	quotas   oslo.Quotas
	networks *oslo.Collection[shareNetwork]
}

// maxMinor is the last microversion of Zed, 2.73.
const maxMinor = 73

const versionHeader = "X-OpenStack-Manila-API-Version"

// New registers the shared file system service.
func New(cloud *oslo.Cloud, opts Options) *Manila {
	if opts.MaxPage == 0 {
		opts.MaxPage = 1000
	}
	m := &Manila{cloud: cloud, opts: opts, networks: oslo.NewCollection(func(n *shareNetwork) string { return n.ID }),
		quotas: oslo.Quotas{Defaults: map[string]int{"shares": 50, "snapshots": 50, "gigabytes": 1000, "snapshot_gigabytes": 1000, "share_networks": -1}}}
	m.svc = &oslo.Service{Name: "manila", Types: []string{"sharev2", "shared-file-system"}, CatalogNames: map[string]string{"sharev2": "manilav2"},
		Prefix: "/share", Endpoint: "/v2", Render: render, Decorate: decorate}
	cloud.Register(m.svc)
	m.svc.HandlePublic("GET /{$}", versions(http.StatusMultipleChoices))
	m.svc.HandlePublic("GET /v2", versions(http.StatusOK))
	m.addNetworks()
	m.addQuotas()
	return m
}

func versions(status int) oslo.Handler {
	return func(c *oslo.Call) (*oslo.Response, error) {
		list := []any{}
		for _, v := range [][4]string{{"v1.0", "DEPRECATED", "", ""}, {"v2.0", "CURRENT", fmt.Sprintf("2.%d", maxMinor), "2.0"}} {
			if status == http.StatusOK && v[0] == "v1.0" {
				continue
			}
			list = append(list, map[string]any{"id": v[0], "status": v[1], "version": v[2], "min_version": v[3], "updated": "2015-08-27T11:33:21Z",
				"links":       []any{map[string]string{"rel": "describedby", "type": "text/html", "href": "http://docs.openstack.org/"}, map[string]string{"rel": "self", "href": c.Base + "/" + v[0][:2] + "/"}},
				"media-types": []any{map[string]string{"base": "application/json", "type": "application/vnd.openstack.share+json;version=1"}}})
		}
		return &oslo.Response{Status: status, Body: map[string]any{"versions": list}}, nil
	}
}

// call is a call with its microversion, 2.<minor>.
type call struct {
	*oslo.Call
	minor int
}

// handle adds a route. Its path contains no project ID. Manila accepts such paths from 2.60 on.
func (m *Manila) handle(method, path string, h func(*call) (*oslo.Response, error)) {
	m.svc.Handle(method+" /v2/"+path, func(c *oslo.Call) (*oslo.Response, error) {
		minor, err := asked(c.Header.Get(versionHeader))
		if err != nil {
			return nil, err
		}
		return h(&call{c, minor})
	})
}

var versionWord = pattern.Of(`^(\d+)\.(\d+)$`)

// asked mirrors manila/api/openstack/wsgi.py: Request.set_api_version_request. The messages contain
// unfilled placeholders, as Manila's do.
func asked(version string) (int, error) {
	if version == "" {
		return 0, nil
	}
	parts := versionWord.FindStringSubmatch(version)
	if parts == nil {
		return 0, badRequest("API Version String %%(version)s is of invalid format. Must be of format MajorNum.MinorNum.")
	}
	minor, err := strconv.Atoi(parts[2])
	if parts[1] != "2" || err != nil || minor > maxMinor {
		return 0, oslo.Errorf(http.StatusNotAcceptable, "InvalidGlobalAPIVersion", "Version %%(req_ver)s is not supported by the API. Minimum is %%(min_ver)s and maximum is %%(max_ver)s.")
	}
	return minor, nil
}

func decorate(c *oslo.Call, h http.Header) {
	version := c.Header.Get(versionHeader)
	if version == "" {
		version = "2.0"
	}
	h.Set(versionHeader, version)
	h.Set("Vary", versionHeader)
	h["X-Compute-Request-Id"] = h["X-Openstack-Request-Id"]
}

// faultNames mirrors manila/api/openstack/wsgi.py: Fault._fault_names.
var faultNames = map[int]string{400: "badRequest", 401: "unauthorized", 403: "forbidden", 404: "itemNotFound", 405: "badMethod",
	409: "conflictingRequest", 413: "overLimit", 415: "badMediaType", 501: "notImplemented", 503: "serviceUnavailable"}

func render(e *oslo.Error) (string, []byte) {
	if e.Kind == "HTTPNotFound" || e.Kind == "HTTPMethodNotAllowed" { // the router's own answer
		e.Status = http.StatusNotFound
		return "text/plain; charset=UTF-8", []byte("404 Not Found\n\nThe resource could not be found.\n\n   ")
	}
	name := faultNames[e.Status]
	if name == "" {
		name = "computeFault"
	}
	inner := map[string]any{"code": e.Status, "message": e.Message}
	if e.Status == http.StatusRequestEntityTooLarge {
		inner["retryAfter"] = "0"
		e.Header = http.Header{"Retry-After": {"0"}}
	}
	body, err := json.Marshal(map[string]any{name: inner})
	if err != nil {
		body = []byte(`{}`)
	}
	return "application/json", body
}

func refused(status int, format string, args ...any) *oslo.Error {
	return oslo.Errorf(status, "Fault", format, args...)
}

func badRequest(format string, args ...any) *oslo.Error {
	return refused(http.StatusBadRequest, format, args...)
}
