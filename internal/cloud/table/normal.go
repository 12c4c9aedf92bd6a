package table

import (
	"net"
	"net/netip"
	"strings"
)

// normal is a text of the field in the one spelling that services show.
func (r *row) normal(text string) string {
	if r.trimmed {
		text = strings.TrimSpace(text)
	}
	if r.lower {
		text = strings.ToLower(text)
	}
	return normal(r.format, text)
}

// normal is the one spelling of a text of a format. Text that is not of that format is returned
// unchanged.
func normal(format, text string) string {
	switch format {
	case "ip":
		return IP(text)
	case "cidr":
		return Network(text)
	case "mac":
		if hw, err := net.ParseMAC(text); err == nil {
			return hw.String()
		}
	}
	return text
}

// IP is the shortest spelling of an IP address. Other text is returned unchanged.
func IP(text string) string {
	if a, err := netip.ParseAddr(text); err == nil {
		return a.String()
	}
	return text
}

// Network is the shortest spelling of an IP network, without host bits. Other text is returned
// unchanged.
func Network(text string) string {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked().String()
	}
	return text
}
