package designate

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// rrdata checks the words of each record type (designate/objects/rrdata_*.py). The
// last word contains the rest of the text.
var rrdata = map[string][]func(string) bool{
	"A": {ipv4}, "AAAA": {ipv6}, "CNAME": {isDomain}, "NS": {isDomain}, "PTR": {isDomain}, "TXT": {quoted}, "SPF": {quoted},
	"MX": {upTo(65535), dotted}, "SRV": {upTo(65535), upTo(65535), upTo(65535), isDomain},
	"SSHFP": {upTo(4), upTo(2), form(`([0-9A-Fa-f]{10,40}|[0-9A-Fa-f]{64})`)},
	"NAPTR": {upTo(65535), upTo(65535), form(`"?[APSUapsu]*"?`), form(`\S+`), form(`\S+`), isDomain},
	"CAA":   {upTo(1), form(`(issue|issuewild|iodef) [^"]+`)},
	"CERT":  {form(`[A-Z]+|[0-9]+`), upTo(65535), form(`[A-Z][A-Z0-9-]+[A-Z0-9]|[0-9]+`), form(`[A-Za-z0-9+/= ]+`)},
	"SOA":   {form(`.*`)},
}

func ipv4(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }

func ipv6(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}

func dotted(s string) bool { return strings.HasSuffix(s, ".") && !strings.Contains(s, " ") }

func form(expression string) func(string) bool {
	return pattern.Of(`^(?:` + expression + `)$`).MatchString
}

func upTo(high int) func(string) bool {
	return func(s string) bool {
		n, err := strconv.Atoi(s)
		return err == nil && n >= 0 && n <= high && strconv.Itoa(n) == s
	}
}

// quoted accepts one word, or texts of at most 255 characters in double quotes.
func quoted(s string) bool {
	if !strings.HasPrefix(s, `"`) && !strings.HasSuffix(s, `"`) {
		return len(s) <= 255 && !strings.ContainsAny(s, " \t\n\r") && !strings.HasSuffix(s, `\`)
	}
	in, ended := strings.CutSuffix(s[1:], `"`)
	if s[0] != '"' || !ended {
		return false
	}
	parts := []string{in}
	if len(s) > 255 {
		parts = strings.Split(in, `" "`)
	}
	for _, p := range parts {
		if len(p) > 253 || strings.Contains(strings.ReplaceAll(p, `\"`, ""), `"`) {
			return false
		}
	}
	return true
}

// validate mirrors designate/objects/recordset.py: validate.
func (r *Recordset) validate() *oslo.Error {
	words, known := rrdata[r.Type]
	if !known {
		return invalid(flaw{[]any{"recordset", "type"}, "'" + r.Type + "' is not a valid record type", "value", []string{r.Type}})
	}
	if r.Type == "NS" && !isDomain(r.Name) || r.Type == "SRV" && (!isDomain(r.Name) || !srvName(r.Name)) {
		return refused(400, "invalid_object", "name is invalid")
	}
	var flaws []flaw
	for i, data := range r.Records {
		if !reads(words, data) {
			flaws = append(flaws, flaw{[]any{"records", i}, "'" + data + "' is not a '" + r.Type + "' Record", "format", []string{r.Type}})
		}
	}
	if len(flaws) > 0 {
		return invalid(flaws...)
	}
	return nil
}

var srvName = form(`(_[A-Za-z0-9_-]{1,63}\.){2}.*`)

func reads(words []func(string) bool, data string) bool {
	parts := strings.SplitN(data, " ", len(words))
	for i, fits := range words {
		if i >= len(parts) || !fits(parts[i]) {
			return false
		}
	}
	return true
}
