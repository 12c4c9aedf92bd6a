package keystone

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// service and endpoint are records of the catalog that administrators have made. Lists
// contain them together with the simulated services; tokens do not contain them.
type service struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Enabled bool   `json:"enabled"`

	extra extras // contains the name and the description
}

type endpoint struct {
	ID        string  `json:"id"`
	Interface string  `json:"interface"`
	RegionID  *string `json:"region_id"`
	Region    *string `json:"region"`
	ServiceID string  `json:"service_id"`
	URL       string  `json:"url"`
	Enabled   bool    `json:"enabled"`

	extra extras
}

func (k *Keystone) addServices() {
	kept := oslo.Attribute{Name: "type", Create: oslo.Anybody, Update: oslo.Anybody, Required: true, Filter: true, Parse: types.Text(255)}
	r := &records[service]{k: k, name: "service", store: k.services, id: func(s *service) string { return s.ID }, extra: func(s *service) *extras { return &s.extra },
		table: oslo.Table{kept, enabled},
		check: func(*service, *service, oslo.Values) error { return nil },
		removing: func(s *service) error {
			for _, e := range k.ends.Where(func(e *endpoint) bool { return e.ServiceID == s.ID }) {
				k.ends.Remove(e.ID)
			}
			return nil
		}}
	r.builtin = func(c *oslo.Call) (items []any) {
		for _, e := range k.entries() {
			items = append(items, map[string]any{"id": e.ID, "type": e.Type, "name": e.Name, "enabled": true, "links": self(c, "services/"+e.ID)})
		}
		return items
	}
	r.serve()
}

func (k *Keystone) addEndpoints() {
	text := func(name string, required bool) oslo.Attribute {
		return oslo.Attribute{Name: name, Create: oslo.Anybody, Update: oslo.Anybody, Required: required, Filter: true, Parse: oslo.OrNull(types.Text(225))}
	}
	interfaced := text("interface", true)
	interfaced.Parse = types.OneOf(interfaces[:]...)
	r := &records[endpoint]{k: k, name: "endpoint", store: k.ends, id: func(e *endpoint) string { return e.ID }, extra: func(e *endpoint) *extras { return &e.extra },
		table: oslo.Table{interfaced, text("service_id", true), text("url", true), text("region_id", false), enabled},
		check: func(e, _ *endpoint, _ oslo.Values) error {
			e.Region = e.RegionID
			known := func(s catalogService) bool { return s.ID == e.ServiceID }
			if _, ok := k.services.Get(e.ServiceID); !ok && !slices.ContainsFunc(k.entries(), known) {
				return oslo.Errorf(400, "ValidationError", "Could not find service: %s.", e.ServiceID)
			}
			if e.RegionID != nil && *e.RegionID != Region {
				return oslo.Errorf(400, "ValidationError", "Could not find region: %s.", *e.RegionID)
			}
			return nil
		},
		removing: func(*endpoint) error { return nil }}
	r.builtin = func(c *oslo.Call) (items []any) {
		for _, e := range k.entries() {
			for i, id := range e.endpoints {
				items = append(items, map[string]any{"id": id, "interface": interfaces[i], "region_id": Region, "region": Region, "service_id": e.ID,
					"url": c.Host + e.service.Prefix + e.service.Endpoint, "enabled": true, "links": self(c, "endpoints/"+id)})
			}
		}
		return items
	}
	r.serve()
}
