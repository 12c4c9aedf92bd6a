package comment

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	gtext "github.com/yuin/goldmark/text"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

var (
	// harmless matches words outside of code: letters, small numbers and punctuation. A forge makes no mention,
	// reference, link or picture of such words.
	harmless  = regexp.MustCompile(`^[\p{L}0-9 .,;:()"'’?!…—%-]*$`)
	reference = regexp.MustCompile(`[0-9a-fA-F]{7,}|[A-Z]{2,}-[0-9]|:[a-z0-9_+-]+:|www\.[\p{L}0-9]|\b(mailto|xmpp|https?|ftp):[\p{L}0-9/]`)

	// The only links in a comment lead to lines of a commit's files.
	ofTheCommit = regexp.MustCompile(`^https://git\.example\.org/acme/cloud/-/blob/[A-Za-z0-9%._-]+/[A-Za-z0-9%._/-]+(#L[0-9]+)?$`)

	codeTag    = regexp.MustCompile(`<code>[^<>]*</code>`)
	summaryTag = regexp.MustCompile(`^<details><summary>(.*)</summary>\n?$`)
	titles     = []string{"Deleted, replaced or wiped", "Not possible", "Changed", "Created", "Waiting", "Changed in the cloud, and only reported", "What is wrong"}
)

// judge parses a comment as a forge does, and fails if untrusted text has a meaning in Markdown or HTML.
func judge(t testing.TB, markdown string) {
	t.Helper()
	if !utf8.ValidString(markdown) {
		t.Errorf("not UTF-8: %q", markdown)
	}
	if i := strings.IndexFunc(markdown, func(r rune) bool { return r != '\n' && r != ' ' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("%q is not printable", markdown[i:min(len(markdown), i+20)])
	}
	source := []byte(markdown)
	open := 0
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(gtext.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			open += judgeHTML(t, sourceOf(n, source))
		case *ast.Text:
			if _, code := n.Parent().(*ast.CodeSpan); !code {
				judgeWords(t, string(n.Segment.Value(source)))
			}
		case *ast.Heading:
			if first, ok := n.FirstChild().(*ast.CodeSpan); n.Level == 3 && ok && first != nil {
				break
			}
			if title := sourceOf(n, source); n.Level != 4 || !slices.Contains(titles, title) {
				t.Errorf("%q is no heading of ours", title)
			}
		case *ast.List:
			if n.IsOrdered() || n.Parent() != doc {
				t.Errorf("a list is not a kind of this program: %q", sourceOf(n, source))
			}
		case *ast.Link:
			text, code := n.FirstChild().(*ast.CodeSpan)
			if !code || text != n.LastChild() || !ofTheCommit.Match(n.Destination) || len(n.Title) > 0 {
				t.Errorf("a link is not a kind of this program: %s", n.Destination)
			}
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.ListItem, *ast.FencedCodeBlock, *ast.CodeSpan, *ast.Emphasis:
		default:
			t.Errorf("%s is not ours", n.Kind())
		}
		return ast.WalkContinue, nil
	})
	if err != nil || open != 0 {
		t.Errorf("%d folds are open at the end (%v) of\n%s", open, err, markdown)
	}
}

func sourceOf(n ast.Node, source []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(source))
	}
	return b.String()
}

// judgeHTML returns the number of folds that a block of HTML opens and does not close.
func judgeHTML(t testing.TB, block string) (opened int) {
	t.Helper()
	for line := range strings.Lines(block) {
		switch m := summaryTag.FindStringSubmatch(line); {
		case m != nil:
			judgeWords(t, codeTag.ReplaceAllString(m[1], ""))
			opened++
		case strings.TrimSpace(line) == "</details>":
			opened--
		default:
			t.Errorf("%q is no HTML of ours", line)
		}
	}
	return opened
}

func judgeWords(t testing.TB, words string) {
	t.Helper()
	if !harmless.MatchString(words) || reference.MatchString(words) {
		t.Errorf("%q may mean something to a forge", words)
	}
}

var evil = []string{
	"@everyone", "@acme/admins", "#123", "GH-123", "acme/cloud#7", "deadbeefcafe", "1234567", "https://evil.example", "www.evil.example", "a@b.example",
	"<script>x</script>", "<img src=x>", "</details>", "<!-- stackreeve {} -->", "</code></summary>", "[text](http://x)", "![x](y)", "[x]: y", "[^1]", "$x$", ":tada:",
	"```", "`", "``@a``", " ` ", "~~~", "a\n```\n@x", "| a | b |", "# title", "1. one", "10) ten", "- [ ] x", "> quoted", "---", "===", "*bold*", "_it_", "\\", "&lt;b&gt;", "&#64;x",
	"\u202etxt", "a\u200bb", "\x1b[2J", "a\r\nb", "\x00", "\ufe0f", "\u3164", "\xff\xfe", "", " ", "日本語", "שלום", "🎉", "it's", "10%", strings.Repeat("`@x ", 100), strings.Repeat("x", 5_000),
}

// hostile returns comments in which every untrusted text is one of these two.
func hostile(a, b string) []interface{ Markdown() string } {
	key := manifest.Key{Group: a, Kind: b, Namespace: a, Name: b}
	at := manifest.Origin{File: a, Line: 3}
	changes := []kind.Change{
		{Field: a, Have: b, Want: a}, {Field: b, Have: []string{a, b}, Want: []string{b}}, {Field: a, Have: a + "\n" + b, Want: b},
		{Field: b, Have: map[string]string{a: b}, Want: map[string]string{b: a}, Disruption: kind.Rebuild}, {Field: a, Have: nil, Want: b, Secret: true},
	}
	notes := []kind.Note{{Field: a, Text: b}}
	var steps []plan.Step
	for _, action := range []plan.Action{plan.Keep, plan.Create, plan.Update, plan.Recreate, plan.Delete, plan.Wait, plan.Refuse} {
		own := manifest.Key{Kind: b, Name: string(action) + a}
		steps = append(steps,
			plan.Step{Key: own, Action: action, Causes: cause.List{cause.Of(cause.Reported, a)}, Comparison: plan.Comparison{Changes: changes}, Remarks: plan.Remarks{Notes: notes, Loss: []string{b}}, Source: plan.Source{Origin: at}, Order: plan.Order{Blockers: []string{a, b}, Awaits: []manifest.Key{key}}},
			plan.Step{Key: manifest.Key{Kind: a, Name: string(action)}, Action: action, Source: plan.Source{Origin: at}, Comparison: plan.Comparison{Drift: true}},
			plan.Step{Key: manifest.Key{Kind: b, Name: "child " + string(action)}, Action: action, Source: plan.Source{Parent: key}, Causes: cause.List{cause.Of(cause.Reported, b)}, Comparison: plan.Comparison{Drift: true}})
		named := []kind.Change{{Field: a, Have: a, Want: b}, {Field: a, Have: []string{a}, Want: []string{"x " + a}}}
		for _, name := range []string{a, "summary", "code", "`", "0"} { // equal names would be joined
			if action != plan.Update {
				break
			}
			equal := plan.Step{Key: manifest.Key{Kind: "Thing", Name: name}, Action: action, Comparison: plan.Comparison{Changes: append(named, kind.Change{Field: a, Have: b, Want: name}), Ignored: named, Names: map[string]string{a: b, b: a}, Adopts: true},
				Causes: cause.List{cause.Of(cause.Reported, "after "+name)}, Order: plan.Order{Turn: cause.Of(cause.Reported, a)}, Source: plan.Source{Origin: at}}
			child := equal
			child.Within = key
			steps = append(steps, equal, child)
		}
	}
	planned := &plan.Plan{Stack: a, Steps: steps, Workloads: []plan.Workload{{Key: key, Origin: at, Notes: notes}}, Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, a)}}, Lists: plan.Lists{Unlisted: []string{a, b}, Refused: []string{a, b}}}
	problems := manifest.Problems{{Origin: at, Key: key, Field: b, What: a, Fix: b}, {What: b}}
	approvals := []plan.Approval{{Hash: a, By: b}}
	pass := &engine.Pass{First: *planned, Last: *planned, Failures: []engine.Failure{{Key: key, Origin: at, Causes: cause.List{cause.Of(cause.Tried, a)}, Dependents: []manifest.Key{key, {Kind: b}}}}}
	free := *pass
	free.First.Held = nil
	steps[0].Trace = &kind.Trace{Who: a, What: b, When: time.Unix(0, 0)}
	page := Page{Stack: a, Head: b, Base: a, BaseCommit: b, Browser: gitLab}
	return []interface{ Markdown() string }{
		but(page, func(p *Page) { p.Plan = planned }),
		but(page, func(p *Page) { p.Plan, p.Approvals = planned, approvals }),
		but(page, func(p *Page) { p.Problems = problems }),
		but(page, func(p *Page) { p.Err = b }),
		but(page, func(p *Page) {
			p.Offline = a
			p.Differs = []document.Difference{{Key: key, Origin: at, Edit: document.Changed, Changes: changes}, {Key: key, Origin: at, Edit: document.Removed}}
		}),
		but(page, func(p *Page) { p.After = &report.Run{Err: errors.New(a), Revision: source.Revision{Commit: b}} }),
		but(page, func(p *Page) { p.After = &report.Run{Refused: &report.Refusal{Commit: a, Problems: problems}} }),
		but(page, func(p *Page) { p.After = &report.Run{Pass: pass} }),
		but(page, func(p *Page) { p.After = &report.Run{Pass: &free, Revision: source.Revision{Commit: a}} }),
		Drift{Stack: a, Commit: b, Steps: steps, Browser: gitLab},
		Drift{Stack: a, Commit: b, Steps: steps, Corrected: true},
	}
}

func but(p Page, set func(*Page)) Page {
	set(&p)
	return p
}

func TestNothingBreaksOut(t *testing.T) {
	testcost.Long(t)
	for i, a := range evil {
		b := evil[(i*7+3)%len(evil)]
		for _, page := range hostile("plain "+a+", and ("+b+").", a) {
			judge(t, page.Markdown())
		}
		if t.Failed() {
			t.Fatalf("with %q and %q", a, b)
		}
	}
}

// outsideOfCode returns the text of a comment that is outside of code, as a forge parses it.
func outsideOfCode(t testing.TB, markdown string) string {
	t.Helper()
	source := []byte(markdown)
	var b strings.Builder
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(gtext.NewReader(source))
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			if entering {
				b.WriteString(codeTag.ReplaceAllString(sourceOf(n, source), ""))
			}
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A name can be a sentence: "approved by the owner, safe to merge". Nobody may mistake it for a sentence of
// Stackreeve.
func TestAttackNamesReadAsOurWords(t *testing.T) {
	testcost.Long(t)
	for _, name := range []string{
		"sentinel approved by the owner", "it is safe to merge sentinel", "sentinel", "nothing to do; sentinel is fine", "x` sentinel `y",
		"sentinel\n\n### sentinel\n", "</code></summary> sentinel", "**sentinel**", "sentinel <!-- stackreeve {\"kind\":\"plan\"} --> sentinel", "sentinel @acme/admins #1 sentinel",
	} {
		for _, page := range mixed(name) {
			for _, part := range append(Split(page.Markdown(), 1_000), page.Markdown()) {
				judge(t, part)
				if words := outsideOfCode(t, part); strings.Contains(words, "sentinel") {
					t.Fatalf("%q is read as ours:\n%s\nin\n%s", name, words, part)
				}
			}
		}
	}
}

// mixed returns the comments of hostile without the texts that only the agent writes: the losses of a kind, and
// the reason why a pull request was not planned.
func mixed(name string) []interface{ Markdown() string } {
	pages := hostile(name, name)
	for i, page := range pages {
		switch p := page.(type) {
		case Page:
			if p.Offline != "" {
				p.Offline = "it comes from a fork"
			}
			if p.Plan != nil {
				plan := *p.Plan
				plan.Steps = lossless(plan.Steps)
				p.Plan = &plan
			}
			if p.After != nil && p.After.Pass != nil {
				run, pass := *p.After, *p.After.Pass
				pass.First.Steps, pass.Last.Steps = lossless(pass.First.Steps), lossless(pass.Last.Steps)
				run.Pass, p.After = &pass, &run
			}
			pages[i] = p
		case Drift:
			p.Steps = lossless(p.Steps)
			pages[i] = p
		}
	}
	return pages
}

func lossless(steps []plan.Step) []plan.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		if len(steps[i].Loss) > 0 {
			steps[i].Loss = []string{"all data on it"}
		}
	}
	return steps
}

// FuzzTexts tests the few functions that format untrusted texts.
func FuzzTexts(f *testing.F) {
	for i, a := range evil {
		f.Add(a, evil[(i*5+2)%len(evil)])
	}
	f.Add("XAAAAAAA", "0")
	f.Fuzz(func(t *testing.T, a, b string) {
		judge(t, "### "+code(a)+": "+prose(b)+"\n\n- "+prose(a)+"; "+prose(b)+"\n- "+code(b)+" "+quote(a+b)+"\n\n<details><summary>"+
			codeHTML(a)+": "+proseHTML(b)+"; "+quoteHTML(a+b)+"</summary>\n\n"+prose(a)+"\n\n"+fenced("diff", []string{"- " + a, "+ " + b, a + b, b})+"\n\n</details>\n")
	})
}

func FuzzNothingBreaksOut(f *testing.F) {
	for i := 0; i < len(evil); i += 8 { // other tests use the remaining ones
		f.Add(evil[i], evil[(i*5+2)%len(evil)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 2*longestProse {
			return // longer texts are cut, and the instrumented judge would need too much time for them
		}
		for _, page := range hostile(a, b) {
			judge(t, page.Markdown())
			for _, part := range Split(page.Markdown(), 2_000) {
				judge(t, part)
			}
			if p, ok := page.(Page); ok {
				judgeLine(t, p)
			}
		}
	})
}

// judgeLine checks that every forge accepts the status.
func judgeLine(t testing.TB, p Page) {
	t.Helper()
	_, line := p.Status()
	if n := utf8.RuneCountInString(line); n > forge.MaxDescription || n == 0 || !utf8.ValidString(line) ||
		strings.ContainsFunc(line, func(r rune) bool { return r > 0xffff || !unicode.IsPrint(r) }) {
		t.Errorf("%q cannot be a status", line)
	}
}

func TestStatusesFitEverywhere(t *testing.T) {
	for i, a := range evil {
		for _, page := range hostile(a, evil[(i*3+1)%len(evil)]) {
			if p, ok := page.(Page); ok {
				judgeLine(t, p)
			}
		}
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	const secret = "fingerprint-of-a-password"
	change := kind.Change{Field: "spec.resource.adminPass", Have: secret + "1", Want: secret + "2", Secret: true}
	for _, action := range []plan.Action{plan.Keep, plan.Update, plan.Recreate, plan.Refuse} {
		step := plan.Step{Key: manifest.Key{Kind: "Server", Name: "a"}, Action: action, Comparison: plan.Comparison{Changes: []kind.Change{change}}, Source: plan.Source{Origin: manifest.Origin{File: "a.yaml", Line: 1}}}
		page := Page{Stack: "s", Plan: &plan.Plan{Steps: []plan.Step{step}}}
		said := page.Markdown() + Drift{Steps: []plan.Step{step}}.Markdown()
		for _, a := range page.Annotations() {
			said += a.Title + a.Message
		}
		page.Plan, page.Offline, page.Differs = nil, "x", []document.Difference{{Edit: document.Changed, Changes: []kind.Change{change}}}
		said += page.Markdown()
		if strings.Contains(said, secret) {
			t.Errorf("%s shows a secret:\n%s", action, said)
		}
		if strings.Count(said, change.Field) < 3 {
			t.Errorf("%s does not say which field changes:\n%s", action, said)
		}
	}
}
