package designate

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// types returns the error that designate/objects/fields.py reports for a problem of a value.
var types oslo.Types = func(p oslo.Problem, name string, v, bound any) *oslo.Error {
	switch p {
	case oslo.NotText:
		return valueError("A string is required in field %s, not %v", name, v)
	case oslo.TooLong:
		return valueError("Value too long for %s", name)
	case oslo.NotNumber:
		return valueError("invalid literal for int() with base 10: '%v'", v)
	case oslo.TooSmall:
		return valueError("Value must be >= %v for field %s", bound, name)
	case oslo.TooLarge:
		return valueError("Value too high for %s", name)
	case oslo.NotListed, oslo.NotList:
	}
	return valueError("Field value %v is invalid", v)
}

// domain parses a name that ends in a dot. The argument what is the name of the value in error messages. With wildcard, the first label
// may be a star.
func domain(what string, wildcard bool) oslo.Parser {
	return checked(types.Text(255), func(s string) string {
		for label := range strings.SplitSeq(s, ".") {
			if len(label) > 63 {
				return "Host " + label + " is too long"
			}
		}
		switch {
		case !strings.HasSuffix(s, "."):
			return what + " " + s + " does not end with a dot"
		case !isDomain(s) && (!wildcard || !isDomain(strings.TrimPrefix(s, "*."))):
			return what + " " + s + " is invalid"
		}
		return ""
	})
}

var email = checked(types.Text(255), func(s string) string {
	switch {
	case strings.Count(s, "@") != 1:
		return s + " is not an email"
	case !isDomain(strings.ReplaceAll(s, "@", ".") + "."):
		return "Email " + s + " is invalid"
	}
	return ""
})

// master parses an address with or without a port. The default port is 53. An IPv6 address has no port.
// (utils.py: split_host_port)
func master(name string, v any) (any, *oslo.Error) {
	x, err := server(name, v)
	s, _ := x.(string)
	if host, port, _ := strings.Cut(s, ":"); port == "53" {
		s = host
	}
	return s, err
}

var server = checked(types.Text(255), func(s string) string {
	host, _, _ := strings.Cut(s, ":")
	if _, err := netip.ParseAddr(s); err != nil && !isDomain(strings.TrimSuffix(host, ".")+".") {
		return s + " is not IP address or host name"
	}
	return ""
})

// checked returns a parser that accepts a value if parse accepts it and judge returns no error text.
func checked(parse oslo.Parser, judge func(string) string) oslo.Parser {
	return func(name string, v any) (any, *oslo.Error) {
		x, err := parse(name, v)
		if err != nil {
			return nil, err
		}
		s, _ := x.(string)
		if wrong := judge(s); wrong != "" {
			return nil, valueError("%s", wrong)
		}
		return s, nil
	}
}

// isDomain mirrors RE_ZONENAME.
func isDomain(s string) bool {
	all, ended := strings.CutSuffix(s, ".")
	for label := range strings.SplitSeq(all, ".") {
		if len(label) > 63 || !isLabel(label) {
			return false
		}
	}
	return ended && len(s) < 255
}

var isLabel = form(`[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?`)

func attributes(_ string, v any) (any, *oslo.Error) {
	in, ok := v.(map[string]any)
	if !ok {
		return nil, valueError("'%v' is not an object", v)
	}
	out := map[string]string{}
	for key, value := range in {
		out[key] = fmt.Sprint(value)
	}
	return out, nil
}
