// Package placement simulates the read requests of the placement service of Zed:
// the compute hosts as resource providers, their inventories and usages, and the
// allocations of servers.
//
// Nova provides all data, and this package stores none. Candidates, custom traits and writes are not simulated.
package placement

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/nova"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// maxMinor is the newest microversion of Zed, 1.39.
const maxMinor = 39

// Placement is the placement service.
type Placement struct {
	cloud *oslo.Cloud
	svc   *oslo.Service
	nova  *nova.Nova
}

// New registers the placement service.
func New(cloud *oslo.Cloud, n *nova.Nova) *Placement {
	p := &Placement{cloud: cloud, nova: n}
	p.svc = &oslo.Service{Name: "placement", Types: []string{"placement"}, Prefix: "/placement", Render: render, Decorate: decorate}
	cloud.Register(p.svc)
	p.svc.HandlePublic("GET /{$}", p.versions)
	p.handle("GET /resource_providers", p.list)
	p.handle("GET /resource_providers/{id}", p.show)
	p.handle("GET /resource_providers/{id}/inventories", p.inventories)
	p.handle("GET /resource_providers/{id}/usages", p.usages)
	p.handle("GET /resource_providers/{id}/traits", p.empty("traits"))
	p.handle("GET /resource_providers/{id}/aggregates", p.empty("aggregates"))
	p.handle("GET /usages", p.projectUsages)
	p.handle("GET /resource_classes", p.classes)
	p.handle("GET /traits", func(*oslo.Call) (*oslo.Response, error) { return oslo.OK(map[string]any{"traits": []string{}}), nil })
	p.handle("GET /allocations/{id}", p.allocations)
	return p
}

// render mirrors placement/util.py: json_error_formatter.
func render(e *oslo.Error) (string, []byte) {
	b, err := json.Marshal(map[string]any{"errors": []any{map[string]any{"status": e.Status, "title": http.StatusText(e.Status),
		"detail": fmt.Sprintf("%s\n\n %s  ", explanations[e.Status], e.Message)}}})
	if err != nil {
		b = []byte(`{}`)
	}
	return "application/json", b
}

var explanations = map[int]string{http.StatusForbidden: "Access was denied to this resource.", http.StatusNotFound: "The resource could not be found.",
	http.StatusBadRequest: "The server could not comply with the request since it is either malformed or otherwise incorrect."}

var versionWord = pattern.Of(`^1\.(\d+)$`)

// word returns the microversion in the headers of a call.
func word(h http.Header) string {
	service, version, _ := strings.Cut(h.Get("OpenStack-API-Version"), " ")
	switch {
	case !strings.EqualFold(service, "placement"):
		return "1.0"
	case version == "latest":
		return fmt.Sprintf("1.%d", maxMinor)
	}
	return version
}

func decorate(c *oslo.Call, h http.Header) {
	if v := word(c.Header); versionWord.MatchString(v) {
		h.Set("OpenStack-API-Version", "placement "+v)
	}
	h.Set("Vary", "OpenStack-API-Version")
}

// handle adds a route. In the default policy only admins may read placement.
func (p *Placement) handle(pattern string, h oslo.Handler) {
	p.svc.Handle(pattern, func(c *oslo.Call) (*oslo.Response, error) {
		m := versionWord.FindStringSubmatch(word(c.Header))
		minor := -1
		if m != nil {
			minor, _ = strconv.Atoi(m[1])
		}
		if minor < 0 || minor > maxMinor {
			return nil, oslo.Errorf(http.StatusNotAcceptable, "HTTPNotAcceptable", "Unacceptable version header: %s", word(c.Header))
		}
		if !c.Caller.Admin() && pattern != "GET /usages" {
			return nil, oslo.Errorf(http.StatusForbidden, "HTTPForbidden", "Policy does not allow %s to be performed.", "placement:"+strings.Trim(strings.ReplaceAll(pattern[5:], "/", ":"), ":"))
		}
		return h(c)
	})
}

func (p *Placement) versions(*oslo.Call) (*oslo.Response, error) {
	return oslo.OK(map[string]any{"versions": []any{map[string]any{"id": "v1.0", "max_version": fmt.Sprintf("1.%d", maxMinor), "min_version": "1.0", "status": "CURRENT",
		"links": []any{map[string]string{"rel": "self", "href": ""}}}}}), nil
}

func view(h nova.HostInfo) map[string]any {
	path := "/placement/resource_providers/" + h.ID
	var list []any
	for _, rel := range []string{"self", "inventories", "usages", "aggregates", "traits"} {
		href := path
		if rel != "self" {
			href += "/" + rel
		}
		list = append(list, map[string]string{"rel": rel, "href": href})
	}
	return map[string]any{"uuid": h.ID, "name": h.Name, "generation": 1, "parent_provider_uuid": nil, "root_provider_uuid": h.ID, "links": list}
}

func (p *Placement) list(c *oslo.Call) (*oslo.Response, error) {
	q, out := c.Query(), []any{}
	for _, h := range p.nova.Hosts() {
		if (!q.Has("name") || q.Get("name") == h.Name) && (!q.Has("uuid") || q.Get("uuid") == h.ID) {
			out = append(out, view(h))
		}
	}
	return oslo.OK(map[string]any{"resource_providers": out}), nil
}

func (p *Placement) find(c *oslo.Call) (nova.HostInfo, error) {
	for _, h := range p.nova.Hosts() {
		if h.ID == c.PathValue("id") {
			return h, nil
		}
	}
	return nova.HostInfo{}, oslo.Errorf(http.StatusNotFound, "NotFound", "No resource provider with uuid %s found", c.PathValue("id"))
}

func (p *Placement) show(c *oslo.Call) (*oslo.Response, error) {
	h, err := p.find(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(view(h)), nil
}

func (p *Placement) inventories(c *oslo.Call) (*oslo.Response, error) {
	h, err := p.find(c)
	if err != nil {
		return nil, err
	}
	inventory := func(total int, ratio float64) any {
		return map[string]any{"total": total, "reserved": 0, "min_unit": 1, "max_unit": total, "step_size": 1, "allocation_ratio": ratio}
	}
	return oslo.OK(map[string]any{"resource_provider_generation": 1, "inventories": map[string]any{
		"VCPU": inventory(h.VCPUs, 16), "MEMORY_MB": inventory(h.RAM, 1), "DISK_GB": inventory(h.Disk, 1)}}), nil
}

func (p *Placement) usages(c *oslo.Call) (*oslo.Response, error) {
	h, err := p.find(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"resource_provider_generation": 1, "usages": map[string]int{"VCPU": h.UsedVCPU, "MEMORY_MB": h.UsedRAM, "DISK_GB": h.UsedDisk}}), nil
}

func (p *Placement) empty(name string) oslo.Handler {
	return func(c *oslo.Call) (*oslo.Response, error) {
		if _, err := p.find(c); err != nil {
			return nil, err
		}
		return oslo.OK(map[string]any{name: []string{}, "resource_provider_generation": 1}), nil
	}
}

func (p *Placement) projectUsages(c *oslo.Call) (*oslo.Response, error) {
	project := c.Query().Get("project_id")
	switch {
	case project == "":
		return nil, oslo.Errorf(http.StatusBadRequest, "HTTPBadRequest", "Invalid query string parameters: 'project_id' is a required property")
	case project != c.Caller.ProjectID && !c.Caller.Admin():
		return nil, oslo.Errorf(http.StatusForbidden, "HTTPForbidden", "Policy does not allow placement:usages to be performed.")
	}
	vcpus, ram, disk := p.nova.ProjectUsage(project)
	return oslo.OK(map[string]any{"usages": map[string]int{"VCPU": vcpus, "MEMORY_MB": ram, "DISK_GB": disk}}), nil
}

func (p *Placement) classes(*oslo.Call) (*oslo.Response, error) {
	out := []any{}
	for _, name := range []string{"VCPU", "MEMORY_MB", "DISK_GB"} {
		out = append(out, map[string]any{"name": name, "links": []any{map[string]string{"rel": "self", "href": "/placement/resource_classes/" + name}}})
	}
	return oslo.OK(map[string]any{"resource_classes": out}), nil
}

func (p *Placement) allocations(c *oslo.Call) (*oslo.Response, error) {
	out := map[string]any{}
	if host, vcpus, ram, disk, ok := p.nova.Allocation(c.PathValue("id")); ok {
		out[host] = map[string]any{"generation": 1, "resources": map[string]int{"VCPU": vcpus, "MEMORY_MB": ram, "DISK_GB": disk}}
	}
	return oslo.OK(map[string]any{"allocations": out}), nil
}
