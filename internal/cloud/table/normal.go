package table

import (
	"net"
	"net/netip"
)

// normal is the one spelling of a text of a format; what is not of that format stays
// as it is.
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

// IP is the shortest spelling of an IP address; what is none stays as it is.
func IP(text string) string {
	if a, err := netip.ParseAddr(text); err == nil {
		return a.String()
	}
	return text
}

// Network is the shortest spelling of an IP network, without host bits; what is none
// stays as it is.
func Network(text string) string {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked().String()
	}
	return text
}
