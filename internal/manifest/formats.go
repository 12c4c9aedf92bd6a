package manifest

import (
	"encoding/base64"
	"net"
	"net/netip"
	"net/url"
	"regexp"
)

// format is a named rule for strings. check says whether a string keeps it and, if not, how to correct it.
type format struct {
	what  string
	check func(string) (fix string, ok bool)
}

// nameRule is what Kubernetes asks of a name.
const nameRule = "use at most 253 lower-case letters, digits, '-' and '.', each part starting and ending with a letter or digit"

var (
	namePattern  = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	labelPattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	uuidPattern  = regexp.MustCompile(`^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`)
)

var formats = map[string]format{
	"name": {"a valid name", func(s string) (string, bool) {
		return nameRule, len(s) <= 253 && namePattern.MatchString(s)
	}},
	"label": {"a valid name", func(s string) (string, bool) {
		return "use at most 63 lower-case letters, digits and '-', starting and ending with a letter or digit",
			len(s) <= 63 && labelPattern.MatchString(s)
	}},
	"cidr": {"a network such as 10.0.0.0/24", checkCIDR},
	"ip": {"an IP address", func(s string) (string, bool) {
		ip, err := netip.ParseAddr(s)
		if p, pErr := netip.ParsePrefix(s); pErr == nil {
			return "did you mean " + p.Addr().String() + "?", false
		}
		return "", err == nil && ip.Zone() == ""
	}},
	"mac": {"a MAC address such as fa:16:3e:00:00:01", func(s string) (string, bool) {
		hw, err := net.ParseMAC(s)
		return "", err == nil && len(hw) == 6
	}},
	"uri": {"a URL such as https://example.org/x", func(s string) (string, bool) {
		u, err := url.Parse(s)
		return "", err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "" || u.Path != "")
	}},
	"uuid": {"a UUID", func(s string) (string, bool) {
		return "", uuidPattern.MatchString(s)
	}},
	"base64": {"base64", func(s string) (string, bool) {
		_, err := base64.StdEncoding.DecodeString(s)
		return "", err == nil
	}},
}

func checkCIDR(s string) (fix string, ok bool) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		if ip, err := netip.ParseAddr(s); err == nil && ip.Zone() == "" {
			return "add the length of the prefix, as in " + netip.PrefixFrom(ip, ip.BitLen()).String(), false
		}
		return "", false
	}
	if p != p.Masked() {
		return "host bits set; did you mean " + p.Masked().String() + "?", false
	}
	return "", true
}
