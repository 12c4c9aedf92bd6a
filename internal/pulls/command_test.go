package pulls

import (
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/report/forge"
)

func TestCommands(t *testing.T) {
	for body, want := range map[string][]string{
		"/stackreeve plan":                                    {"plan"},
		"please\r\n/stackreeve plan\r\n":                      {"plan"},
		"/stackreeve approve 0123456789abcdef":                {"approve 0123456789abcdef"},
		"/stackreeve approve `0123456789ABCDEF`":              {"approve 0123456789abcdef"},
		"/stackreeve PLAN\n/stackreeve help":                  {"plan", "help"},
		"/stackreeve":                                         {""},
		"/stackreeve dance":                                   {"dance"},
		"/stackreeveplan":                                     nil,
		"> /stackreeve plan":                                  nil,
		" /stackreeve plan":                                   nil,
		"try /stackreeve plan":                                nil,
		"```\n/stackreeve plan\n```":                          nil,
		"```sh\n/stackreeve plan":                             nil,
		"````\n```\n/stackreeve help\n````\n/stackreeve plan": {"plan"},
		"~~~\n```\n/stackreeve help\n~~~\n/stackreeve plan":   {"plan"},
		"    ```\n/stackreeve plan":                           {"plan"},
		"```\n```sh\n/stackreeve help\n```\n/stackreeve plan": {"plan"}, // a fence ends without a word
		"```a`b```\n/stackreeve plan":                         {"plan"}, // that is no fence
		"<!--\n/stackreeve help\n-->\n/stackreeve plan":       {"plan"},
		"look <!-- here\n/stackreeve help":                    nil,
		"<PRE>\n/stackreeve help\n</pre>\n/stackreeve plan":   {"plan"},
		"<!-- x -->\n/stackreeve plan":                        {"plan"},
	} {
		var got []string
		for _, c := range commands(forge.Comment{Body: body, Author: "ann", ID: 7}) {
			text := c.verb
			if c.hash != "" {
				text += " " + c.hash
			}
			got = append(got, text)
			if c.by != "ann" || c.comment != 7 {
				t.Errorf("%q: %+v does not say who asked where", body, c)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q asks for %q, want %q", body, got, want)
		}
	}
	for _, m := range []string{forge.Marker{Kind: planKind, Stack: "a"}.String(), "<!-- stackreeve cut off"} {
		if got := commands(forge.Comment{Body: m + "\n/stackreeve plan", Mine: true}); got != nil {
			t.Errorf("a comment of ours asks for %+v", got)
		}
	}
	if got := commands(forge.Comment{Body: "/stackreeve plan", Mine: true}); len(got) != 1 {
		t.Errorf("whose account we use asks for %+v", got)
	}
}

func TestWhatIsKnown(t *testing.T) {
	for _, c := range []struct {
		verb, hash string
		want       bool
	}{
		{"plan", "", true},
		{"help", "", true},
		{"approve", "0123456789abcdef", true},
		{"approve", "", false},
		{"approve", "0123456789abcde", false},
		{"approve", "0123456789abcdeg", false},
		{"apply", "", false},
		{"", "", false},
	} {
		if got := (command{verb: c.verb, hash: c.hash}).known(); got != c.want {
			t.Errorf("%s %s: known is %v", c.verb, c.hash, got)
		}
	}
}

func FuzzCommands(f *testing.F) {
	f.Add("```\n/stackreeve approve 0123456789abcdef\n```")
	f.Fuzz(func(t *testing.T, body string) {
		for _, c := range commands(forge.Comment{Body: body}) {
			if c.verb == verbApprove && c.known() && len(c.hash) != hashDigits {
				t.Errorf("%q", c.hash)
			}
			again := commands(forge.Comment{Body: c.String()})
			if c.known() && (len(again) != 1 || again[0].verb != c.verb || c.verb == verbApprove && again[0].hash != c.hash) {
				t.Errorf("%+v becomes %+v", c, again)
			}
		}
	})
}
