package manifest

import (
	"encoding/base64"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// format is a named rule for strings. check returns the mistake, as the end of a sentence about the value, and how to
// correct it. It returns nothing for a valid value.
type format struct {
	what    string
	check   func(string) (wrong, fix string)
	pattern string // for JSON Schema, if a regular expression is the whole rule
	schema  string // JSON Schema's own name for the format
}

// longestName is the maximal length of a name in bytes.
const longestName = 253

// NameRule is the rule of Kubernetes for names.
const NameRule = "use at most 253 lower-case letters, digits, '-' and '.', each part starting and ending with a letter or digit"

const labelRule = "use at most 63 lower-case letters, digits and '-', starting and ending with a letter or digit"

var (
	namePattern  = pattern.Of(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	labelPattern = pattern.Of(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	macPattern   = pattern.Of(`^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$`)
	// A domain has at least two labels. (RFC 1035, and the underscore of RFC 2782)
	domainPattern = pattern.Of(`^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.){2,}$`)
	// A protocol is a name that neutron-lib knows, or a number. (neutron_lib/constants.py: IP_PROTOCOL_MAP)
	protocolNames   = strings.Fields("ah dccp egp esp gre icmp icmpv6 igmp ipip ipv6-encap ipv6-frag ipv6-icmp ipv6-nonxt ipv6-opts ipv6-route ospf pgm rsvp sctp tcp udp udplite vrrp")
	protocolPattern = pattern.Of(`^(` + strings.Join(protocolNames, "|") + `|\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])$`)
	uuidPattern     = pattern.Of(`^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`)
)

var formats = map[string]format{
	"name":       {what: "a name", check: checkName, pattern: namePattern.String()},
	"label":      {what: "a name of at most 63 lower-case letters, digits and '-'", check: checkLabel, pattern: labelPattern.String()},
	"cidr":       {what: "a network such as 10.0.0.0/24", check: checkCIDR},
	"ip":         {what: "an IP address", check: checkIP},
	"mac":        {what: "a MAC address such as fa:16:3e:00:00:01", check: checkMAC, pattern: macPattern.String()},
	"uri":        {what: "a URL such as https://example.org/x", check: checkURI, schema: "uri"},
	"uuid":       {what: "a UUID", check: checkUUID, pattern: uuidPattern.String()},
	"base64":     {what: "base64", check: checkBase64},
	"ipprotocol": {what: "an IP protocol: a text with its number, or its name. The names are " + strings.Join(protocolNames, ", "), check: checkProtocol, pattern: protocolPattern.String()},
	"domain":     {what: "a domain name with a final dot such as example.org.", check: checkDomain, pattern: domainPattern.String()},
}

// IsName reports whether s is a valid name of an object.
func IsName(s string) bool {
	wrong, _ := checkName(s)
	return wrong == ""
}

func checkName(s string) (wrong, fix string) {
	if len(s) > longestName || !namePattern.MatchString(s) {
		return "is not a valid name", NameRule
	}
	return "", ""
}

func checkLabel(s string) (wrong, fix string) {
	if len(s) > 63 || !labelPattern.MatchString(s) {
		return "is not a valid name", labelRule
	}
	return "", ""
}

func checkDomain(s string) (wrong, fix string) {
	switch {
	case len(s) <= 255 && domainPattern.MatchString(s):
		return "", ""
	case len(s) < 255 && domainPattern.MatchString(s+"."):
		return "has no final dot", "did you mean " + s + ".?"
	}
	return "is not a domain name", "write it like example.org."
}

func checkCIDR(s string) (wrong, fix string) {
	p, err := netip.ParsePrefix(s)
	if err == nil {
		if p != p.Masked() {
			return "has host bits set", "did you mean " + p.Masked().String() + "?"
		}
		return "", ""
	}
	if ip, err := netip.ParseAddr(s); err == nil && ip.Zone() == "" {
		return "has no prefix length", "a single address is " + netip.PrefixFrom(ip, ip.BitLen()).String()
	}
	return "is not a network", "write it like 10.0.0.0/24"
}

func checkIP(s string) (wrong, fix string) {
	if p, err := netip.ParsePrefix(s); err == nil {
		return "is not an IP address", "did you mean " + p.Addr().String() + "?"
	}
	if ip, err := netip.ParseAddr(s); err != nil || ip.Zone() != "" {
		return "is not an IP address", ""
	}
	return "", ""
}

func checkProtocol(s string) (wrong, fix string) {
	switch {
	case protocolPattern.MatchString(s):
		return "", ""
	case nearest.Name(s, protocolNames) != "":
		fix = "did you mean " + nearest.Name(s, protocolNames) + "?"
	}
	return "is not one of " + strings.Join(protocolNames, ", ") + ", nor a number up to 255", fix
}

func checkMAC(s string) (wrong, fix string) {
	hw, err := net.ParseMAC(s)
	switch {
	case err != nil || len(hw) != 6:
		return "is not a MAC address", "write it like fa:16:3e:00:00:01"
	case !macPattern.MatchString(s):
		return "is not how OpenStack writes a MAC address", "did you mean " + hw.String() + "?"
	}
	return "", ""
}

func checkURI(s string) (wrong, fix string) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "" {
		return "is not a URL", "write it like https://example.org/x"
	}
	return "", ""
}

func checkUUID(s string) (wrong, fix string) {
	if !uuidPattern.MatchString(s) {
		return "is not a UUID", ""
	}
	return "", ""
}

func checkBase64(s string) (wrong, fix string) {
	if _, err := base64.StdEncoding.DecodeString(s); err != nil {
		return "is not base64", "encode the value, as base64 -w0 does"
	}
	return "", ""
}
