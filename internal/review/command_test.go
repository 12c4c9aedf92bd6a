package review

import (
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func TestCommands(t *testing.T) {
	for body, want := range map[string][]string{
		"/stackreeve plan":               {"plan"},
		"please\r\n/stackreeve plan\r\n": {"plan"},
		"/stackreeve approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef":   {"approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
		"/stackreeve approve `0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF`": {"approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
		"/stackreeve PLAN\n/stackreeve help":                                                     {"plan", "help"},
		"/stackreeve":                                                                            {""},
		"/stackreeve dance":                                                                      {""},
		"/stackreeveplan":                                                                        nil,
		"> /stackreeve plan":                                                                     nil,
		" /stackreeve plan":                                                                      nil,
		"try /stackreeve plan":                                                                   nil,
		"```\n/stackreeve plan\n```":                                                             nil,
		"```sh\n/stackreeve plan":                                                                nil,
		"````\n```\n/stackreeve help\n````\n/stackreeve plan":                                    {"plan"},
		"~~~\n```\n/stackreeve help\n~~~\n/stackreeve plan":                                      {"plan"},
		"    ```\n/stackreeve plan":                                                              {"plan"},
		"```\n```sh\n/stackreeve help\n```\n/stackreeve plan":                                    {"plan"}, // a fence can end only on a line without a word
		"```a`b```\n/stackreeve plan":                                                            {"plan"}, // this is no fence
		"<!--\n/stackreeve help\n-->\n/stackreeve plan":                                          {"plan"},
		"look <!-- here\n/stackreeve help":                                                       nil,
		"<PRE>\n/stackreeve help\n</pre>\n/stackreeve plan":                                      nil, // HTML can hide the rest
		"<!-- x -->\n/stackreeve plan":                                                           {"plan"},
	} {
		var got []string
		for _, c := range commands(forge.Comment{Body: body, Author: "ann", ID: 7}) {
			text := c.verb
			if c.hash != "" {
				text += " " + c.hash
			}
			got = append(got, text)
			if c.by.Login != "ann" || c.comment != 7 {
				t.Errorf("%q: %+v does not say who asked where", body, c)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q asks for %q, want %q", body, got, want)
		}
	}
	for _, m := range []string{memory.Marker{Kind: memory.PlanComment, Stack: "a"}.String(), "<!-- stackreeve cut off"} {
		if got := commands(forge.Comment{Body: m + "\n/stackreeve plan", Mine: true}); got != nil {
			t.Errorf("a comment of ours asks for %+v", got)
		}
	}
	if got := commands(forge.Comment{Body: "/stackreeve plan", Mine: true}); len(got) != 1 {
		t.Errorf("whose account we use asks for %+v", got)
	}
}

func TestWhatIsKnown(t *testing.T) {
	for line, want := range map[string]bool{
		"/stackreeve plan": true,
		"/stackreeve plan 0123456789abcdef0123456789abcdef01234567": true,
		"/stackreeve plan 0123456":                                  false,
		"/stackreeve plan it":                                       false,
		"/stackreeve help":                                          true,
		"/stackreeve help me":                                       false,
		"/stackreeve approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef": true,
		"/stackreeve approve":                                                                     false,
		"/stackreeve approve 0123456789abcdef":                                                    false,
		"/stackreeve approve 0123456789abcdef0123456789abcde":                                     false,
		"/stackreeve approve 0123456789abcdef0123456789abcdeg":                                    false,
		"/stackreeve approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef no": false,
		"/stackreeve apply":                                                                       false,
		"/stackreeve":                                                                             false,
	} {
		if got := parse(line).known(); got != want {
			t.Errorf("%s: known is %v", line, got)
		}
	}
}

func FuzzCommands(f *testing.F) {
	f.Add("```\n/stackreeve approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n```")
	f.Add("<details>\n\n/stackreeve plan\n")
	f.Add("- a\n\n  /stackreeve plan\n\n/stackreeve help")
	f.Fuzz(func(t *testing.T, body string) {
		for _, c := range commands(forge.Comment{Body: body}) {
			if c.verb == verbApprove && c.known() && len(c.hash) != plan.HashDigits {
				t.Errorf("%q", c.hash)
			}
			if !c.known() {
				continue
			}
			// The command is a line of the comment as any editor shows it.
			if !strings.Contains(strings.ToLower(body), strings.TrimRight(prefix+" "+c.verb, " ")) && !strings.Contains(body, "\t") && !strings.Contains(body, "  ") {
				t.Errorf("%+v is not said in %q", c, body)
			}
		}
	})
}
