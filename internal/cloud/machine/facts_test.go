package machine_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
)

const maxUserData = 65535 / 4 * 3

func factsOf(members int) machine.Facts {
	f := machine.Facts{Fact: machine.Fact{Name: "web-1", Ordinal: 1, Address: "10.0.0.11"}, Group: "web", Replicas: members}
	for i := range members {
		f.Peers = append(f.Peers, machine.Fact{Name: "web-" + string(rune('0'+i%10)), Ordinal: i, Address: "10.0.0.1" + string(rune('0'+i%10))})
	}
	return f
}

func TestFacts(t *testing.T) {
	for text, want := range map[string]string{
		"":         "",
		"as it is": "as it is",
		"{{name}} {{ ordinal }} {{address}} {{group}} {{replicas}}":                        "web-1 1 10.0.0.11 web 3",
		"{{#peers}}{{name}}=https://{{address}}:2380{{^last}},{{/last}}{{/peers}}":         "web-0=https://10.0.0.10:2380,web-1=https://10.0.0.11:2380,web-2=https://10.0.0.12:2380",
		"{{#peers}}{{#first}}<{{/first}}{{ordinal}}{{group}}{{#last}}>{{/last}}{{/peers}}": "<0web1web2web>",
		"{{#peers}}{{#first}}{{^last}}a{{/last}}{{/first}}{{/peers}}":                      "a",
		"peers:\n  {{#peers}}\n  - {{name}}\n  {{/peers}}\r\nend\n":                        "peers:\n  - web-0\n  - web-1\n  - web-2\nend\n",
		"{{#peers}}\n{{name}} {{/peers}}":                                                  "web-0 web-1 web-2 ",
		"x {{#peers}}\n{{name}}{{/peers}}":                                                 "x \nweb-0\nweb-1\nweb-2",
		"{{! says nothing }}\nyes":                                                         "yes",
		"{{'{{'}}name}} }}":                                                                "{{name}} }}",
		"#!/bin/sh\necho ${HOME} $(date) %9999999d":                                        "#!/bin/sh\necho ${HOME} $(date) %9999999d",
	} {
		tmpl, err := machine.ParseFacts(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := tmpl.Render(factsOf(3)); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
}

// An error names the line, and quotes no text that may be a secret.
func TestFactsThatMakeNoSense(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb {{hunter2}}":     "line 2: an unknown name; the known names are name, ordinal, address, group, replicas, secrets, certificate, and the section peers",
		"{{}}":                 "line 1: an unknown name",
		"{{{name}}}":           "line 1: an unknown name",
		"{{> hunter2}}":        "line 1: an unknown name",
		"{{& name}}":           "line 1: an unknown name",
		"{{=<% %>=}}":          "line 1: an unknown name",
		"\n{{name":             "line 2: {{ has no matching }}",
		"\n{{#peers}}\n\n":     "line 2: a section is not closed",
		"{{/peers}}":           "line 1: this tag ends a section",
		"{{/}}":                "line 1: this tag ends a section",
		"{{#}}":                "line 1: an unknown section",
		"{{#first}}{{/first}}": "line 1: an unknown section",
		"{{#hunter2}}":         "line 1: an unknown section",
		"{{^peers}}{{/peers}}": "line 1: the section peers is never empty",
		"{{#peers}}\n{{#first}}{{#peers}}{{/peers}}{{/first}}{{/peers}}": "line 2: the section peers contains a section peers",
		"{{#peers}}\n{{#first}}\n{{/peers}}{{/first}}":                   "line 3: this tag ends a section",
		strings.Repeat("x", maxUserData+1):                               "is more than the 49149 bytes",
	} {
		_, err := machine.ParseFacts(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

func TestFactsUsed(t *testing.T) {
	for text, want := range map[string][2]bool{
		"{{name}}":                        {false, false},
		"{{address}}":                     {false, true},
		"{{#peers}}{{name}}{{/peers}}":    {false, false},
		"{{#peers}}{{address}}{{/peers}}": {true, false},
		"{{#peers}}{{#last}}{{address}}{{/last}}{{/peers}}{{address}}": {true, true},
	} {
		tmpl, err := machine.ParseFacts(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{tmpl.PeerAddresses, tmpl.OwnAddress}; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Anybody who opens a pull request can write templates. No template produces more text than Nova
// accepts, or takes long.
func TestAttackFactsBombs(t *testing.T) {
	section := func(body string) string {
		return "{{#peers}}" + strings.Repeat(body, (maxUserData-len("{{#peers}}{{/peers}}"))/len(body)) + "{{/peers}}"
	}
	deep := (maxUserData - len("{{#peers}}{{/peers}}")) / len("{{#last}}{{/last}}")
	for name, text := range map[string]string{
		"long":  section("x"),
		"names": section("{{name}}"),
	} {
		tmpl, err := machine.ParseFacts(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tmpl.Render(factsOf(1000)); err == nil || got != "" || !strings.Contains(err.Error(), "49149 bytes") {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	for name, text := range map[string]string{
		"silent": section("{{#last}}{{/last}}"),
		"deep":   "{{#peers}}" + strings.Repeat("{{#last}}", deep) + strings.Repeat("{{/last}}", deep) + "{{/peers}}",
	} {
		tmpl, err := machine.ParseFacts(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tmpl.Render(factsOf(1000)); err != nil || got != "" {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

func FuzzFacts(f *testing.F) {
	for _, text := range []string{"{{#peers}}{{name}} {{address}}{{^last}},{{/last}}{{/peers}}", "{{name}}\n {{! x }}\n", "{{'{{'}}", "{{#peers}}{{#first}}\n{{/first}}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tmpl, err := machine.ParseFacts(text)
		if err != nil {
			return
		}
		got, err := tmpl.Render(factsOf(20))
		if len(got) > maxUserData || err != nil && got != "" {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if !strings.Contains(text, "{{") && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
