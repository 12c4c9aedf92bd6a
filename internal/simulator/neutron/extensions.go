package neutron

import (
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// extensionAliases are the extensions of Zed with ML2 and the router plugin that the simulator implements.
var extensionAliases = []string{"address-group", "address-scope", "allowed-address-pairs", "agent", "availability_zone", "binding", "empty-string-filtering", "ext-gw-mode",
	"external-net", "extra_dhcp_opt", "extraroute", "filter-validation", "expose-port-forwarding-in-fip", "fip-port-details", "floating-ip-port-forwarding", "floating-ip-port-forwarding-description", "ip-substring-filtering", "net-mtu", "net-mtu-writable",
	"network_availability_zone", "pagination", "port-security", "port-security-groups-filtering", "project-id", "provider", "qos", "qos-bw-limit-direction", "qos-fip", "quota_details", "quotas",
	"rbac-address-group", "rbac-address-scope", "rbac-policies", "rbac-security-groups", "rbac-subnetpool", "revision-if-match", "router", "router_availability_zone", "security-group", "security-groups-normalized-cidr", "security-groups-remote-address-group", "sorting",
	"standard-attr-description", "standard-attr-revisions", "standard-attr-tag", "standard-attr-timestamp", "stateful-security-group",
	"subnet-service-types", "subnet_allocation", "trunk"}

func extension(alias string) map[string]any {
	return map[string]any{"name": alias, "alias": alias, "description": alias, "updated": "2022-10-05T10:00:00-00:00", "links": []any{}}
}

// moreAliases are extensions that many clouds lack; port-trusted-vif came after Zed.
var moreAliases = []string{"dns-integration", "dns-domain-ports", "subnet-dns-publish-fixed-ip", "port-trusted-vif", "uplink-status-propagation"}

func (n *Neutron) extensions() []string {
	list := slices.Clone(extensionAliases)
	if n.opts.TagsOnCreate {
		list = append(list, "tag-creation")
	}
	if n.opts.TagsOnPorts {
		list = append(list, "tag-ports-during-bulk-creation")
	}
	if n.opts.More {
		list = append(list, moreAliases...)
	}
	return list
}

// more adds attributes of the extensions moreAliases to a table, if the cloud has these extensions.
func (n *Neutron) more(t *oslo.Table, attributes ...oslo.Attribute) {
	if n.opts.More {
		*t = append(*t, attributes...)
	}
}

// dnsText is a DNS name, which Neutron stores in lower case (neutron-lib api/definitions/dns.py).
func dnsText(name string, update oslo.Access) oslo.Attribute {
	parse := func(name string, v any) (any, *oslo.Error) {
		x, err := text(255)(name, v)
		if s, ok := x.(string); ok {
			x = strings.ToLower(s)
		}
		return x, err
	}
	return oslo.Attribute{Name: name, Plain: true, Filter: true, Create: oslo.Anybody, Update: update, Default: "", Parse: parse}
}

// addressDNS is the DNS name of a floating IP. A Neutron without external DNS does not store it (db/dns_db.py).
func (n *Neutron) addressDNS(name string) oslo.Attribute {
	a := dnsText(name, oslo.Never)
	if parse := a.Parse; n.opts.WithoutExternalDNS {
		a.Parse = func(name string, v any) (any, *oslo.Error) {
			_, err := parse(name, v)
			return "", err
		}
	}
	return a
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
