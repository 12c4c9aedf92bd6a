package nova

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

// Flavor is a size of servers.
type Flavor struct {
	ID          string
	Name        string
	VCPUs       int
	RAM         int // MiB
	Disk        int // GiB
	Ephemeral   int
	Swap        int
	Public      bool
	Description *string
	Specs       map[string]string
	Access      []string // projects that may use it, if it is not public
}

// AddFlavor adds a public flavor.
func (n *Nova) AddFlavor(f Flavor) {
	if f.Specs == nil {
		f.Specs = map[string]string{}
	}
	f.Public = true
	n.flavors.Add(&f)
}

func (n *Nova) addFlavors() {
	n.handle("GET /v2.1/flavors", 1, n.listFlavors(false))
	n.handle("GET /v2.1/flavors/detail", 1, n.listFlavors(true))
	n.handle("GET /v2.1/flavors/{id}", 1, n.showFlavor)
	n.handle("POST /v2.1/flavors", 1, n.createFlavor)
	n.handle("PUT /v2.1/flavors/{id}", 55, n.updateFlavor)
	n.handle("DELETE /v2.1/flavors/{id}", 1, n.deleteFlavor)
	n.handle("GET /v2.1/flavors/{id}/os-extra_specs", 1, n.listSpecs)
	n.handle("POST /v2.1/flavors/{id}/os-extra_specs", 1, n.createSpecs)
	n.handle("GET /v2.1/flavors/{id}/os-extra_specs/{key}", 1, n.showSpec)
	n.handle("PUT /v2.1/flavors/{id}/os-extra_specs/{key}", 1, n.updateSpec)
	n.handle("DELETE /v2.1/flavors/{id}/os-extra_specs/{key}", 1, n.deleteSpec)
	n.handle("GET /v2.1/flavors/{id}/os-flavor-access", 1, n.listAccess)
	n.handle("POST /v2.1/flavors/{id}/action", 1, n.flavorAction)
}

func (f *Flavor) visible(c *oslo.Caller) bool {
	return f.Public || c.Manages() || slices.Contains(f.Access, c.ProjectID)
}

// visibleFlavor finds a flavor that a caller may use.
func (n *Nova) visibleFlavor(c *oslo.Caller, id string) (*Flavor, bool) {
	f, ok := n.flavors.Get(id)
	return f, ok && f.visible(c)
}

func (n *Nova) flavorOf(c *call) (*Flavor, error) {
	f, ok := n.visibleFlavor(c.Caller, c.PathValue("id"))
	if !ok {
		return nil, notFound("Flavor %s could not be found.", c.PathValue("id"))
	}
	return f, nil
}

func (f *Flavor) view(c *call, detail bool) any {
	v := map[string]any{"id": f.ID, "name": f.Name, "links": links(c, "flavors/"+f.ID)}
	if c.minor >= 55 {
		v["description"] = f.Description
	}
	if !detail {
		return v
	}
	maps.Copy(v, map[string]any{"ram": f.RAM, "disk": f.Disk, "vcpus": f.VCPUs, "swap": f.Swap, "OS-FLV-EXT-DATA:ephemeral": f.Ephemeral,
		"OS-FLV-DISABLED:disabled": false, "os-flavor-access:is_public": f.Public, "rxtx_factor": json.RawMessage("1.0")})
	if c.minor < 75 && f.Swap == 0 {
		v["swap"] = ""
	}
	if c.minor >= 61 {
		v["extra_specs"] = f.Specs
	}
	return v
}

func (n *Nova) listFlavors(detail bool) handler {
	return func(c *call) (*oslo.Response, error) {
		limit, err := n.limit(c)
		if err != nil {
			return nil, err
		}
		q := c.Query()
		var bounds [2]int
		for i, key := range []string{"minRam", "minDisk"} {
			if w := q.Get(key); w != "" {
				if bounds[i], err = strconv.Atoi(w); err != nil {
					return nil, badRequest("Invalid %s filter [%s]", key, w)
				}
			}
		}
		public := q.Get("is_public")
		recs := n.flavors.Where(func(f *Flavor) bool {
			if f.RAM < bounds[0] || f.Disk < bounds[1] {
				return false
			}
			switch {
			case !c.Caller.Manages() || public == "":
				return f.Public || slices.Contains(f.Access, c.Caller.ProjectID)
			case strings.EqualFold(public, "none"):
				return true
			}
			return f.Public == oslo.Truthy(public)
		})
		slices.SortFunc(recs, func(a, b *Flavor) int {
			by := strings.Compare(a.ID, b.ID)
			if q.Get("sort_key") == "name" {
				by = strings.Compare(a.Name, b.Name)
			}
			if q.Get("sort_dir") == "desc" {
				by = -by
			}
			return by
		})
		id := func(f *Flavor) string { return f.ID }
		cut, more, err := page(c, recs, limit, id)
		if err != nil {
			return nil, err
		}
		path := "flavors"
		if detail {
			path = "flavors/detail"
		}
		return listOf(c, "flavors", path, cut, more, id, func(f *Flavor) any { return f.view(c, detail) }), nil
	}
}

func (n *Nova) showFlavor(c *call) (*oslo.Response, error) {
	f, err := n.flavorOf(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"flavor": f.view(c, true)}), nil
}

var count = &pyjson.Schema{Types: []string{"integer", "string"}, Pattern: "^[0-9]*$", Minimum: pyjson.Int64(0), Maximum: pyjson.Int64(1<<31 - 1)}

var positive = &pyjson.Schema{Types: []string{"integer", "string"}, Pattern: "^[0-9]*$", MinLength: 1, Minimum: pyjson.Int64(1), Maximum: pyjson.Int64(1<<31 - 1)}

// flavorSchema mirrors nova/api/openstack/compute/schemas/flavor_manage.py.
func flavorSchema(minor int) *pyjson.Schema {
	props := []pyjson.Prop{{Name: "name", Schema: pyjson.Name}, {Name: "id", Schema: &pyjson.Schema{Types: []string{"string", "number", "null"}, MaxLength: 255}},
		{Name: "ram", Schema: positive}, {Name: "vcpus", Schema: positive}, {Name: "disk", Schema: count}, {Name: "OS-FLV-EXT-DATA:ephemeral", Schema: count},
		{Name: "swap", Schema: count}, {Name: "rxtx_factor", Schema: &pyjson.Schema{Types: []string{"number", "string"}}}, {Name: "os-flavor-access:is_public", Schema: pyjson.Boolean}}
	if minor >= 55 {
		props = append(props, pyjson.Prop{Name: "description", Schema: pyjson.OrNull(pyjson.String(0, 65535))})
	}
	return wrapped("flavor", &pyjson.Schema{Types: []string{"object"}, Props: props, Required: []string{"name", "ram", "vcpus", "disk"}, Closed: true})
}

func (n *Nova) createFlavor(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("os-flavor-manage:create")
	}
	body, err := c.read(flavorSchema(c.minor))
	if err != nil {
		return nil, err
	}
	in := body.Object("flavor")
	number := func(key string) int { v, _ := strconv.Atoi(in.Text(key)); return v }
	f := &Flavor{ID: in.Text("id"), Name: strings.TrimSpace(in.Text("name")), VCPUs: number("vcpus"), RAM: number("ram"), Disk: number("disk"),
		Ephemeral: number("OS-FLV-EXT-DATA:ephemeral"), Swap: number("swap"), Public: true, Specs: map[string]string{}}
	if v, ok := in.Get("os-flavor-access:is_public"); ok {
		f.Public = pyjson.Truthy(v)
	}
	if v, ok := in.Get("description"); ok && v != nil {
		text := in.Text("description")
		f.Description = &text
	}
	if f.ID == "" || f.ID == "auto" {
		f.ID = n.cloud.UUID()
	}
	if _, used := n.flavors.Get(f.ID); used {
		return nil, conflict("Flavor with ID %s already exists.", f.ID)
	}
	for other := range n.flavors.All() {
		if other.Name == f.Name {
			return nil, conflict("Flavor with name %s already exists.", f.Name)
		}
	}
	n.flavors.Add(f)
	return oslo.OK(map[string]any{"flavor": f.view(c, true)}), nil
}

func (n *Nova) updateFlavor(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("os-flavor-manage:update")
	}
	body, err := c.read(wrapped("flavor", &pyjson.Schema{Types: []string{"object"}, Required: []string{"description"}, Closed: true,
		Props: []pyjson.Prop{{Name: "description", Schema: pyjson.OrNull(pyjson.String(0, 65535))}}}))
	if err != nil {
		return nil, err
	}
	f, err := n.flavorOf(c)
	if err != nil {
		return nil, err
	}
	f.Description = nil
	if v, _ := body.Object("flavor").Get("description"); v != nil {
		text := pyjson.Str(v)
		f.Description = &text
	}
	return oslo.OK(map[string]any{"flavor": f.view(c, true)}), nil
}

func (n *Nova) deleteFlavor(c *call) (*oslo.Response, error) {
	if !c.Caller.Manages() {
		return nil, disallowed("os-flavor-manage:delete")
	}
	if !n.flavors.Remove(c.PathValue("id")) {
		return nil, notFound("Flavor %s could not be found.", c.PathValue("id"))
	}
	return oslo.Accepted(nil), nil
}
