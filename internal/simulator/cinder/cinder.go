// Package cinder simulates the block storage service of Zed (microversions 3.0 to
// 3.70): volumes, snapshots, backups, types, attachments, quotas.
//
// It knows no servers; Nova attaches and detaches volumes with the methods of
// [Compute]. Volumes have no contents.
package cinder

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/glance"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// Options are the differences between clouds.
type Options struct {
	// BuildDelay is the duration of states such as creating.
	BuildDelay time.Duration
	// MaxPage is osapi_max_limit; zero means 1000.
	MaxPage int
}

// Cinder is the block storage service.
type Cinder struct {
	cloud  *oslo.Cloud
	svc    *oslo.Service
	opts   Options
	images *glance.Glance

	volumes     *oslo.Collection[Volume]
	snapshots   *oslo.Collection[snapshot]
	backups     *oslo.Collection[backup]
	types       *oslo.Collection[volumeType]
	attachments *oslo.Collection[attachment]
	messages    *oslo.Collection[message]
	quotas      oslo.Quotas
	service     string // service_uuid of the only backend
}

// maxMinor is the last microversion of Zed, 3.70.
const maxMinor = 70

// zone is the only availability zone.
const zone = "az-a"

// New registers the block storage service.
func New(cloud *oslo.Cloud, images *glance.Glance, opts Options) *Cinder {
	if opts.MaxPage == 0 {
		opts.MaxPage = 1000
	}
	b := &Cinder{cloud: cloud, opts: opts, images: images, service: cloud.UUID(),
		volumes:     oslo.NewCollection(func(v *Volume) string { return v.ID }),
		snapshots:   oslo.NewCollection(func(s *snapshot) string { return s.ID }),
		backups:     oslo.NewCollection(func(s *backup) string { return s.ID }),
		types:       oslo.NewCollection(func(t *volumeType) string { return t.ID }),
		attachments: oslo.NewCollection(func(a *attachment) string { return a.ID }),
		messages:    oslo.NewCollection(func(m *message) string { return m.ID })}
	b.svc = &oslo.Service{Name: "cinder", Types: []string{"volumev3", "block-storage"}, CatalogNames: map[string]string{"volumev3": "cinderv3"},
		Prefix: "/volume", Endpoint: "/v3/%(project_id)s", Render: render, Decorate: decorate}
	cloud.Register(b.svc)
	b.svc.HandlePublic("GET /{$}", b.versions(http.StatusMultipleChoices))
	b.svc.HandlePublic("GET /v3", b.versions(http.StatusOK))
	b.addVolumes()
	b.addSnapshots()
	b.addBackups()
	b.addTypes()
	b.addAttachments()
	b.addQuotas()
	b.handle("GET", "messages", 3, b.listMessages)
	return b
}

func (b *Cinder) versions(status int) oslo.Handler {
	return func(c *oslo.Call) (*oslo.Response, error) {
		return &oslo.Response{Status: status, Body: map[string]any{"versions": []any{map[string]any{"id": "v3.0", "status": "CURRENT",
			"version": fmt.Sprintf("3.%d", maxMinor), "min_version": "3.0", "updated": "2022-08-31T00:00:00Z",
			"links":       []any{map[string]string{"rel": "describedby", "type": "text/html", "href": "https://docs.openstack.org/"}, map[string]string{"rel": "self", "href": c.Base + "/v3/"}},
			"media-types": []any{map[string]string{"base": "application/json", "type": "application/vnd.openstack.volume+json;version=3"}}}}}}, nil
	}
}

// call is a call with its microversion, 3.<minor>.
type call struct {
	*oslo.Call
	minor int
}

type handler func(*call) (*oslo.Response, error)

// handle adds a route below the project's ID. The token must be for that project.
func (b *Cinder) handle(method, path string, since int, h handler) {
	b.svc.Handle(method+" /v3/{project}/"+path, func(c *oslo.Call) (*oslo.Response, error) {
		minor, err := asked(c.Header)
		if err != nil {
			return nil, err
		}
		if c.PathValue("project") != c.Caller.ProjectID {
			return nil, badRequest("Malformed request url")
		}
		if minor < since {
			return nil, oslo.Errorf(http.StatusNotFound, "VersionNotFound", "The resource could not be found.")
		}
		return h(&call{c, minor})
	})
}

var versionWord = pattern.Of(`^([1-9]\d*)\.([1-9]\d*|0)$`)

func word(h http.Header) string {
	for _, value := range h.Values("OpenStack-API-Version") {
		for _, part := range strings.Split(value, ",") {
			service, version, found := strings.Cut(strings.TrimSpace(part), " ")
			if found && strings.EqualFold(service, "volume") {
				return strings.ToLower(strings.TrimSpace(version))
			}
		}
	}
	return ""
}

// asked mirrors cinder/api/openstack/wsgi.py: Request.set_api_version_request.
func asked(h http.Header) (int, error) {
	version := word(h)
	switch version {
	case "":
		return 0, nil
	case "latest":
		return maxMinor, nil
	}
	m := versionWord.FindStringSubmatch(version)
	if m == nil {
		return 0, badRequest("API Version String %s is of invalid format. Must be of format MajorNum.MinorNum.", version)
	}
	minor, err := strconv.Atoi(m[2])
	if m[1] != "3" || err != nil || minor > maxMinor {
		return 0, oslo.Errorf(http.StatusNotAcceptable, "InvalidGlobalAPIVersion", "Version %s is not supported by the API. Minimum is 3.0 and maximum is 3.%d.", version, maxMinor)
	}
	return minor, nil
}

func decorate(c *oslo.Call, h http.Header) {
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	h["X-Compute-Request-Id"] = h["X-Openstack-Request-Id"]
	version := word(c.Header)
	switch {
	case version == "":
		version = "3.0"
	case version == "latest":
		version = fmt.Sprintf("3.%d", maxMinor)
	case !versionWord.MatchString(version):
		return
	}
	h.Set("OpenStack-API-Version", "volume "+version)
	h.Set("Vary", "OpenStack-API-Version")
}
