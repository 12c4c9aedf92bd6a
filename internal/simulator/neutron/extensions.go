package neutron

import (
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// extensionAliases are the extensions of Zed with ML2 and the router plugin
// whose behaviour is here.
var extensionAliases = []string{"allowed-address-pairs", "agent", "availability_zone", "binding", "empty-string-filtering", "ext-gw-mode",
	"external-net", "extra_dhcp_opt", "extraroute", "filter-validation", "fip-port-details", "ip-substring-filtering", "net-mtu", "net-mtu-writable",
	"network_availability_zone", "pagination", "port-security", "port-security-groups-filtering", "project-id", "provider", "quota_details", "quotas",
	"revision-if-match", "router", "router_availability_zone", "security-group", "security-groups-normalized-cidr", "sorting",
	"standard-attr-description", "standard-attr-revisions", "standard-attr-tag", "standard-attr-timestamp", "stateful-security-group",
	"subnet-service-types"}

func extension(alias string) map[string]any {
	return map[string]any{"name": alias, "alias": alias, "description": alias, "updated": "2022-10-05T10:00:00-00:00", "links": []any{}}
}

func (n *Neutron) extensions() []string {
	if n.opts.TagsOnCreate {
		return append(extensionAliases[:len(extensionAliases):len(extensionAliases)], "tag-creation")
	}
	return extensionAliases
}

func (n *Neutron) listExtensions(*oslo.Call) (*oslo.Response, error) {
	out := []any{}
	for _, alias := range n.extensions() {
		out = append(out, extension(alias))
	}
	return oslo.OK(map[string]any{"extensions": out}), nil
}

func (n *Neutron) showExtension(c *oslo.Call) (*oslo.Response, error) {
	alias := c.PathValue("alias")
	if !slices.Contains(n.extensions(), alias) {
		r := &oslo.Response{Status: http.StatusNotFound, Body: []byte("404 Not Found\n\nThe resource could not be found.\n\n Extension with alias " + alias + " does not exist  ")}
		return r.With("Content-Type", "text/plain; charset=UTF-8"), nil
	}
	return oslo.OK(map[string]any{"extension": extension(alias)}), nil
}
