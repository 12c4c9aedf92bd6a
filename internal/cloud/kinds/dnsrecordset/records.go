package dnsrecordset

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// forms has, for each type, the words that a record consists of. A single word is the whole text, and the last
// word of a CAA record may contain spaces. Designate checks the types that are not in this table.
var forms = map[string][]word{
	"A": {ipv4}, "AAAA": {ipv6}, "CNAME": {host}, "NS": {host}, "PTR": {host},
	"MX": {number, host}, "SRV": {number, number, number, host}, "CAA": {number, text, unquoted},
	"TXT": {quoted}, "SPF": {quoted},
}

// examples has one correct record for each type.
var examples = map[string]string{
	"A": "192.0.2.10", "AAAA": "2001:db8::10", "CNAME": "www.example.org.", "NS": "ns1.example.org.", "PTR": "www.example.org.",
	"MX": "10 mail.example.org.", "SRV": "10 60 5060 sip.example.org.", "CAA": `0 issue "ca.example.org"`, "TXT": "v=spf1 -all", "SPF": "v=spf1 -all",
}

// word converts one word of a record to Designate's spelling. ok is false if the word is invalid.
type word func(string) (spelling string, ok bool)

// spell returns a manifest's record in Designate's spelling. For an invalid record it returns what is wrong and how to
// fix it.
func spell(of, record string) (spelling, wrong, fix string) {
	record = strings.TrimSpace(record)
	form := forms[of]
	if form == nil {
		return record, "", ""
	}
	words := []string{record}
	if len(form) > 1 {
		words = strings.Fields(record)
		if len(words) > len(form) && of == "CAA" {
			words = append(words[:len(form)-1:len(form)-1], strings.Join(words[len(form)-1:], " "))
		}
	}
	if len(words) != len(form) {
		return record, fmt.Sprintf("is not a record of type %s", of), "write it like " + examples[of]
	}
	for i, w := range words {
		var ok bool
		if words[i], ok = form[i](w); !ok {
			if isHost := i == len(form)-1 && strings.HasSuffix(examples[of], ".") && !strings.ContainsAny(w, " \t\n"); isHost {
				return record, "has no final dot", fmt.Sprintf("did you mean %s.?", record)
			}
			return record, fmt.Sprintf("is not a record of type %s", of), "write it like " + examples[of]
		}
	}
	return strings.Join(words, " "), "", ""
}

// canonical returns records in one spelling, so that they can be compared.
func canonical(of string, records []string) []string {
	out := make([]string, len(records))
	for i, r := range records {
		if out[i], _, _ = spell(of, r); slices.Contains([]string{"CNAME", "NS", "PTR", "MX", "SRV", "SSHFP"}, of) {
			out[i] = strings.ToLower(strings.Join(strings.Fields(out[i]), " "))
		}
	}
	return out
}

func ipv4(s string) (string, bool) {
	a, err := netip.ParseAddr(s)
	return a.String(), err == nil && a.Is4()
}

func ipv6(s string) (string, bool) {
	a, err := netip.ParseAddr(s)
	return a.String(), err == nil && a.Is6() && a.Zone() == ""
}

func host(s string) (string, bool) {
	return s, strings.HasSuffix(s, ".") && !strings.ContainsAny(s, " \t\n")
}

func number(s string) (string, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return strconv.FormatUint(n, 10), err == nil
}

func text(s string) (string, bool) { return s, true }

// unquoted removes the quotes from the value of a CAA record: Designate accepts none.
// (designate/objects/fields.py: CaaPropertyField)
func unquoted(s string) (string, bool) {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	return s, s != "" && !strings.Contains(s, `"`)
}

// longestText is the number of bytes, backslashes included, that quoted puts between one pair of quotes. Designate accepts 255
// characters with the quotes.
const longestText = 253

// quoted puts a text into quotes. A long text becomes several quoted parts. A text that begins with a quote is already
// quoted.
func quoted(s string) (string, bool) {
	if strings.HasPrefix(s, `"`) {
		return requoted(s)
	}
	parts, part := []string{}, strings.Builder{}
	for _, r := range s {
		next := string(r)
		if r == '"' || r == '\\' {
			next = `\` + next
		}
		if part.Len()+len(next) > longestText {
			parts = append(parts, part.String())
			part.Reset()
		}
		part.WriteString(next)
	}
	return `"` + strings.Join(append(parts, part.String()), `" "`) + `"`, !strings.ContainsAny(s, "\n\r")
}

// requoted reads texts that are already quoted, and joins them with single spaces.
func requoted(s string) (string, bool) {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimLeft(s, " \t") {
		end := 1
		for ; end < len(s) && s[end] != '"'; end++ {
			if s[end] == '\\' {
				end++
			}
		}
		if s[0] != '"' || end >= len(s) {
			return "", false
		}
		out, s = append(out, s[:end+1]), s[end+1:]
	}
	return strings.Join(out, " "), true
}
