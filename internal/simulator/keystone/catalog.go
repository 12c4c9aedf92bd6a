package keystone

import (
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

type catalogService struct {
	ID, Type, Name string
	endpoints      [3]string // IDs of the endpoints public, internal, admin
	service        *oslo.Service
}

var interfaces = [3]string{"public", "internal", "admin"}

// entries returns the catalog. The first call makes it and gives each service its IDs, because services register
// after Keystone.
func (k *Keystone) entries() []catalogService {
	if k.catalog != nil {
		return k.catalog
	}
	for _, s := range k.cloud.Services() {
		for _, kind := range s.Types {
			e := catalogService{ID: k.cloud.HexID(), Type: kind, Name: s.Name, service: s}
			if name := s.CatalogNames[kind]; name != "" {
				e.Name = name
			}
			for i := range e.endpoints {
				e.endpoints[i] = k.cloud.HexID()
			}
			k.catalog = append(k.catalog, e)
		}
	}
	return k.catalog
}

func (e catalogService) url(c *oslo.Call, projectID string) string {
	return c.Host + e.service.Prefix + strings.ReplaceAll(e.service.Endpoint, "%(project_id)s", projectID)
}

func (k *Keystone) endpoints(c *oslo.Call, projectID string) []any {
	var out []any
	for _, e := range k.entries() {
		var list []any
		for i, id := range e.endpoints {
			list = append(list, map[string]any{"id": id, "interface": interfaces[i], "region_id": Region, "region": Region, "url": e.url(c, projectID)})
		}
		out = append(out, map[string]any{"endpoints": list, "id": e.ID, "type": e.Type, "name": e.Name})
	}
	return out
}

func (k *Keystone) showCatalog(c *oslo.Call) (*oslo.Response, error) {
	if c.Caller.ProjectID == "" {
		return nil, forbidden("get_auth_catalog")
	}
	return oslo.OK(map[string]any{"catalog": k.endpoints(c, c.Caller.ProjectID), "links": map[string]any{"next": nil, "previous": nil, "self": c.Base + "/v3/auth/catalog"}}), nil
}

func (k *Keystone) versionDoc(c *oslo.Call) map[string]any {
	return map[string]any{
		"id": "v3.14", "status": "stable", "updated": "2020-04-07T00:00:00Z",
		"links":       []any{map[string]string{"rel": "self", "href": c.Base + "/v3/"}},
		"media-types": []any{map[string]string{"base": "application/json", "type": "application/vnd.openstack.identity-v3+json"}},
	}
}

func (k *Keystone) versions(c *oslo.Call) (*oslo.Response, error) {
	body := map[string]any{"versions": map[string]any{"values": []any{k.versionDoc(c)}}}
	r := &oslo.Response{Status: http.StatusMultipleChoices, Body: body}
	return r.With("Location", c.Base+"/v3/"), nil
}

func (k *Keystone) version(c *oslo.Call) (*oslo.Response, error) {
	return oslo.OK(map[string]any{"version": k.versionDoc(c)}), nil
}

func region(c *oslo.Call) map[string]any {
	return map[string]any{"id": Region, "description": "", "parent_region_id": nil, "links": self(c, "regions/"+Region)}
}

func (k *Keystone) listRegions(c *oslo.Call) (*oslo.Response, error) {
	return list(c, "regions", []any{region(c)}), nil
}

func (k *Keystone) showRegion(c *oslo.Call) (*oslo.Response, error) {
	if c.PathValue("id") != Region {
		return nil, notFound("region", c.PathValue("id"))
	}
	return oslo.OK(map[string]any{"region": region(c)}), nil
}
