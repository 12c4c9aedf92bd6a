package comment

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// balanced checks that every code block and every fold of a part is closed within it.
func balanced(t rapid.TB, part string) {
	t.Helper()
	var open nest
	for _, line := range strings.Split(part, "\n") {
		before := open
		if open = open.after(line); before.fence == "" && strings.TrimSpace(line) == "</details>" && len(before.folds) == 0 {
			t.Fatalf("a fold is closed that was not opened: %q", part)
		}
	}
	if open.depth() > 0 {
		t.Fatalf("left open: %+v, at the end of %q", open, part)
	}
}

func fits(t rapid.TB, parts []string, limit int) {
	t.Helper()
	if len(parts) == 0 || len(parts) > MaxParts {
		t.Fatalf("%d parts", len(parts))
	}
	for i, part := range parts {
		if n := utf8.RuneCountInString(part); n > limit || !utf8.ValidString(part) {
			t.Fatalf("part %d has %d characters, more than %d, or is not UTF-8", i, n, limit)
		}
		balanced(t, part)
	}
}

// bodies generates texts with the elements of comments: lines, folds, code blocks.
func bodies(t *rapid.T) string {
	word := rapid.StringMatching("[a-zA-ZäöüД日 🎉,.`-]{0,120}")
	var b strings.Builder
	b.WriteString("### `prod`: the summary\n\n")
	for range rapid.IntRange(0, 60).Draw(t, "objects") {
		folded := rapid.Bool().Draw(t, "folded")
		if folded {
			b.WriteString("<details><summary><code>Server/" + strings.ReplaceAll(word.Draw(t, "name"), "`", "") + "</code></summary>\n\n")
		} else {
			b.WriteString("- " + word.Draw(t, "line") + "\n\n")
		}
		if rapid.Bool().Draw(t, "code") {
			mark := strings.Repeat("`", rapid.IntRange(3, 6).Draw(t, "mark"))
			b.WriteString(mark + "diff\n")
			for range rapid.IntRange(0, 40).Draw(t, "lines") {
				b.WriteString("+ " + word.Draw(t, "text") + "\n")
			}
			b.WriteString(mark + "\n\n")
		}
		if folded {
			b.WriteString("</details>\n\n")
		}
	}
	return b.String() + "The end.\n"
}

func TestSplitKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, limit := bodies(t), rapid.IntRange(shortest, 6_000).Draw(t, "limit")
		parts := Split(body, limit)
		fits(t, parts, limit)
		if !strings.HasPrefix(parts[0], "### `prod`: the summary\n") {
			t.Fatalf("the first part begins with %.60q", parts[0])
		}
		if !strings.HasSuffix(parts[len(parts)-1], "The end.\n") {
			t.Fatalf("the end is lost: %q", parts[len(parts)-1])
		}
		whole := strings.Join(parts, "")
		missing := strings.Contains(whole, "not shown here")
		for _, line := range strings.Split(body, "\n") {
			if !missing && strings.TrimSpace(line) != "" && !strings.Contains(whole, line) {
				t.Fatalf("%q is lost without a word", line)
			}
		}
		if utf8.RuneCountInString(body) <= limit && (len(parts) != 1 || parts[0] != body) {
			t.Fatal("what fits was cut")
		}
	})
}

// The line end at the end of a text never becomes a separate part, however long the text is.
func TestTheEndMakesNoPart(t *testing.T) {
	for n := range shortest {
		body := strings.Repeat(strings.Repeat("y", 99)+"\n", 10) + strings.Repeat("z\n", n) + "The end.\n"
		if parts := Split(body, shortest); !strings.HasSuffix(parts[len(parts)-1], "The end.\n") {
			t.Fatalf("%d lines: the last part is %q", n, parts[len(parts)-1])
		}
	}
}

// A text of any kind is cut between characters.
func FuzzSplit(f *testing.F) {
	f.Add("```\nx\n```\n<details><summary>a</summary>\n\n</details>\n", 3)
	f.Add("``````\n```\n"+strings.Repeat("y", 3_000), 1)
	f.Add(strings.Repeat("<details><summary>"+strings.Repeat("a", 300)+"</summary>\n\nx\n\n</details>\n\n", 9), 2)
	f.Fuzz(func(t *testing.T, text string, times int) {
		body := strings.Repeat(text+"\n", min(max(times, 1), 50))
		for _, part := range Split(body, 1_000) {
			if !utf8.ValidString(part) {
				t.Errorf("not UTF-8: %q", part)
			}
		}
	})
}

func planOf(n int) plan.Plan {
	p := plan.Plan{Stack: "prod"}
	for i := range n {
		p.Steps = append(p.Steps, plan.Step{
			Key: manifest.Key{Kind: "Server", Name: fmt.Sprintf("web-%04d", i)}, Action: plan.Update, Source: plan.Source{Origin: manifest.Origin{File: "web.yaml", Line: i + 1}},
			Comparison: plan.Comparison{Changes: []kind.Change{{Field: "spec.resource.description", Have: strings.Repeat("old ", 20), Want: strings.Repeat("new ", 20) + strconv.Itoa(i+5000)}}}, // all differ from each other
		})
	}
	return p
}

func TestLongPlansAreCutBetweenObjectsAndCounted(t *testing.T) {
	const limit = 20_000
	long := planOf(1_000)
	parts := Split(Page{Stack: "prod", Head: headCommit, Plan: &long}.Markdown(), limit)
	fits(t, parts, limit)
	if len(parts) != MaxParts {
		t.Fatalf("%d parts", len(parts))
	}
	shown := 0
	for i, part := range parts {
		judge(t, part)
		shown += strings.Count(part, "<details>")
		if strings.Contains(part, "(continued)") {
			t.Errorf("part %d begins within an object that would have fitted", i+1)
		}
		if i > 0 && i < len(parts)-1 && !strings.HasPrefix(part, "*Continued.*\n\n<details>") {
			t.Errorf("part %d begins with %.80q", i+1, part)
		}
	}
	last := parts[len(parts)-1]
	if want := fmt.Sprintf("**%d more objects are not shown here.**", 1_000-shown); !strings.HasPrefix(last, want) {
		t.Errorf("the last part begins with %.80q, want %q", last, want)
	}
	if !strings.Contains(parts[0], "1000 to change") || !strings.Contains(parts[0], "web-0000") || !strings.Contains(last, "web-0999") {
		t.Error("the head or the end is lost")
	}
}

func TestABlockThatIsTooLongIsClosedAndOpenedAgain(t *testing.T) {
	body := "### x\n\n<details><summary>big</summary>\n\n````diff\n" + strings.Repeat("+ ``` line\n", 300) + "````\n\n</details>\n"
	parts := Split(body, 1_500)
	fits(t, parts, 1_500)
	if want := "*Continued.*\n\n<details><summary>big (continued)</summary>\n\n````diff\n+ ``` line\n"; !strings.HasPrefix(parts[1], want) {
		t.Errorf("part 2 begins with %.120q", parts[1])
	}
	if !strings.HasSuffix(parts[0], "+ ``` line\n````\n\n</details>\n") {
		t.Errorf("part 1 ends with %q", parts[0][len(parts[0])-80:])
	}
	total := 0
	for _, part := range parts {
		total += strings.Count(part, "+ ``` line\n")
	}
	if total != 300 {
		t.Errorf("%d of 300 lines are there", total)
	}
}
