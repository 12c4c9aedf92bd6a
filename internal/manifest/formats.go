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
	what    string
	check   func(string) (fix string, ok bool)
	pattern string // for JSON Schema, when a regular expression says it all
	schema  string // JSON Schema's own name for the format
}

// nameRule is what Kubernetes asks of a name.
const nameRule = "use at most 253 lower-case letters, digits, '-' and '.', each part starting and ending with a letter or digit"

const labelRule = "use at most 63 lower-case letters, digits and '-', starting and ending with a letter or digit"

var (
	namePattern  = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	labelPattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	macPattern   = regexp.MustCompile(`^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$`)
	uuidPattern  = regexp.MustCompile(`^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`)
)

var formats = map[string]format{
	"name":   {what: "a valid name", check: checkName, pattern: namePattern.String()},
	"label":  {what: "a valid name", check: checkLabel, pattern: labelPattern.String()},
	"cidr":   {what: "a network such as 10.0.0.0/24", check: checkCIDR},
	"ip":     {what: "an IP address", check: checkIP},
	"mac":    {what: "a MAC address such as fa:16:3e:00:00:01", check: checkMAC, pattern: macPattern.String()},
	"uri":    {what: "a URL such as https://example.org/x", check: checkURI, schema: "uri"},
	"uuid":   {what: "a UUID", check: matches(uuidPattern), pattern: uuidPattern.String()},
	"base64": {what: "base64", check: checkBase64},
}

func matches(pattern *regexp.Regexp) func(string) (string, bool) {
	return func(s string) (string, bool) { return "", pattern.MatchString(s) }
}

func checkName(s string) (fix string, ok bool) {
	return nameRule, len(s) <= 253 && namePattern.MatchString(s)
}

func checkLabel(s string) (fix string, ok bool) {
	return labelRule, len(s) <= 63 && labelPattern.MatchString(s)
}

func checkIP(s string) (fix string, ok bool) {
	if p, err := netip.ParsePrefix(s); err == nil {
		return "did you mean " + p.Addr().String() + "?", false
	}
	ip, err := netip.ParseAddr(s)
	return "", err == nil && ip.Zone() == ""
}

func checkMAC(s string) (fix string, ok bool) {
	hw, err := net.ParseMAC(s)
	if err != nil || len(hw) != 6 {
		return "", false
	}
	return "did you mean " + hw.String() + "?", macPattern.MatchString(s)
}

func checkURI(s string) (fix string, ok bool) {
	u, err := url.Parse(s)
	return "", err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "" || u.Path != "")
}

func checkBase64(s string) (fix string, ok bool) {
	_, err := base64.StdEncoding.DecodeString(s)
	return "", err == nil
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
