package review

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// A command does not count if people do not see it as text of the comment's author.
func TestAttackApprovalsThatNobodySees(t *testing.T) {
	const say = "/stackreeve approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for name, body := range map[string]string{
		"a comment of HTML":              "<!--\n" + say + "\n-->",
		"a comment that is not closed":   "<!--\n" + say,
		"a comment in a line":            "Fine <!--\n" + say + "\n--> with me",
		"an odd end of a comment":        "<!-- --!>\n<!-->\n\n" + say,
		"an attribute":                   "<a title=\"\n" + say + "\n\">x</a>",
		"an attribute of a block":        "<div title=\"\n" + say + "\n\">\n\nx</div>",
		"details":                        "<details>\n\n" + say + "\n\n</details>",
		"details in a line":              "Fine <details><summary>x</summary>\n" + say + "\n</details>",
		"details in a list":              "- <details>\n\n" + say,
		"a summary":                      "<details><summary>\n\n" + say + "\n\n</summary></details>",
		"hidden":                         "<div hidden>\n\n" + say + "\n\n</div>",
		"a style":                        "<style>\n" + say + "\n</style>",
		"a template":                     "<template>\n\n" + say + "\n\n</template>",
		"a select":                       "<select>\n\n" + say + "\n\n</select>",
		"struck out by HTML":             "<del>\n\n" + say + "\n\n</del>",
		"struck out by HTML in a line":   "No <s>\n" + say + "\n</s>",
		"tiny":                           "<sub><sup>\n" + say + "\n</sup></sub>",
		"preformatted":                   "<pre>\n" + say + "\n</pre>",
		"a quotation":                    "> " + say,
		"a lazy quotation":               "> ann said\n" + say,
		"an alert":                       "> [!NOTE]\n> " + say,
		"a fence":                        "```\n" + say + "\n```",
		"a fence of tildes":              "~~~ sh\n" + say + "\n~~~",
		"a fence in a list":              "- ```\n  " + say + "\n  ```",
		"an indented block":              "x\n\n    " + say,
		"a code span":                    "`" + say + "`",
		"a code span over lines":         "use `\n" + say + "\n` to approve",
		"a code span before the hash":    "x `\n" + strings.Replace(say, "approve ", "approve `", 1) + "`\n` y",
		"a link's text":                  "[\n" + say + "\n](https://example.org)",
		"a link's title":                 "[x](y \"\n" + say + "\n\")",
		"an image's text":                "![\n" + say + "\n](https://example.org/x.png)",
		"an image's title":               "![x](y '\n" + say + "\n')",
		"a reference":                    "[x]: https://example.org '\n" + say + "\n'",
		"a footnote":                     "[^1]: see\n" + say,
		"a footnote that is used":        "See[^1].\n\n[^1]: see\n    \n    " + say,
		"a table":                        "| a |\n|---|\n| " + say + " |",
		"a table without bars":           "a | b\n--|--\n" + say,
		"a list":                         "- " + say,
		"a numbered list":                "1. " + say,
		"a paragraph of a list":          "- x\n\n  " + say,
		"a lazy paragraph of a list":     "- x\n" + say,
		"a nested list":                  "- a\n  - b\n    - " + say,
		"a task":                         "- [ ] " + say,
		"a heading":                      "# " + say,
		"an underlined heading":          say + "\n---",
		"emphasis":                       "*not\n" + say + "\nyet*",
		"strong emphasis":                "**no\n" + say + "\nno**",
		"struck out":                     "~~no\n" + say + "\nno~~",
		"front matter":                   "---\nx: y\n\n" + say + "\n\n---",
		"a formula":                      "$$\n" + say + "\n$$",
		"a formula over paragraphs":      "$$\n\n" + say + "\n\n$$",
		"an escape":                      "\\" + say,
		"an entity":                      strings.Replace(say, "/", "&#47;", 1),
		"an entity in the hash":          strings.Replace(say, "0123", "&#48;123", 1),
		"in the middle of a line":        "I will " + say,
		"before more words":              say + " once it is green",
		"before a link":                  say + " [x](y)",
		"after a processing instruction": "<?x\n" + say + "\n?>",
		"a declaration":                  "<!X\n" + say + "\n>",
		"CDATA":                          "<![CDATA[\n" + say + "\n]]>",
		"carriage returns alone":         "> x\r" + say,
		"a form feed":                    "x\f" + say,
	} {
		t.Run(name, func(t *testing.T) {
			for _, cmd := range commands(forge.Comment{Body: body}) {
				if cmd.known() {
					t.Errorf("%q asks for %+v", body, cmd)
				}
			}
		})
	}
}

// A command that everybody sees counts, no matter which text is beside it.
func TestCommandsThatAreSeen(t *testing.T) {
	const say = "/stackreeve approve 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for _, body := range []string{
		say, say + "\n", "Fine with me:\n\n" + say + "\n\nThanks!", "Fine:\n" + say + "\nThanks!", "> quoted\n\n" + say, "- a\n- b\n\nThen:\n\n" + say,
		"```\ncode\n```\n" + say, "# Heading\n" + say, "see [x](y), `z` and *this*\n" + say, "<!-- note -->\n" + say, say + "\r\n", say + "  \nand more",
		"/stackreeve approve `0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef`", say + "\n\n<details>\n\nwhy\n\n</details>",
	} {
		list := commands(forge.Comment{Body: body})
		if len(list) != 1 || list[0].verb != verbApprove || !list[0].known() {
			t.Errorf("%q asks for %+v", body, list)
		}
	}
}
