package docs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// page is what a page about a kind is made from: what `explain` says, and the
// example of docs/kinds/examples.
type page struct {
	gvk     manifest.GroupVersionKind
	aliases []string
	body    manifest.Type
	doc     string
}

func (p page) name() string { return strings.ToLower(p.gvk.Kind) }

func kindPages() []page {
	var list []page
	for _, k := range all.Kinds(nil, defaults.Defaults{}) {
		i := k.Info
		list = append(list, page{manifest.GroupVersionKind{Group: i.Group, Version: i.Version, Kind: i.Kind}, i.Aliases, k.Body, i.Doc})
	}
	for _, k := range config.Kinds() {
		list = append(list, page{k.GVK, nil, k.Body, k.Doc + " It is in a file of the agent, never of the repository."})
	}
	return list
}

const made = "<!-- Made by `make update` from what `stackreeve explain` says and from docs/kinds/examples. -->\n\n"

// TestKindPages wants the page of each kind, and the list of them, to be what
// the program says of itself. -update writes them.
func TestKindPages(t *testing.T) {
	pages := kindPages()
	want := map[string]string{"README.md": kindList(pages)}
	for _, p := range pages {
		want[p.name()+".md"] = kindPage(t, p)
	}
	for name, text := range want {
		golden(t, filepath.Join("kinds", name), text)
	}
	files, err := filepath.Glob("kinds/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if want[filepath.Base(file)] == "" {
			t.Errorf("%s is of no kind; remove it", file)
		}
	}
}

func golden(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, _ := os.ReadFile(file); string(got) != want {
		t.Errorf("docs/%s is out of date; `make update` writes it", file)
	}
}

func kindList(pages []page) string {
	var b strings.Builder
	b.WriteString("# Kinds\n\n" + made)
	b.WriteString("One page for each kind that a manifest can hold, with every field. `stackreeve explain KIND.FIELD` says the same in a terminal, and\n" +
		"`stackreeve schema` gives JSON Schemas to editors. The examples of all pages together are one repository, which a test applies.\n\n")
	b.WriteString("| kind | group | what it is |\n|---|---|---|\n")
	for _, p := range pages {
		fmt.Fprintf(&b, "| [`%s`](%s.md) | `%s` | %s |\n", p.gvk.Kind, p.name(), p.gvk.APIVersion(), cell(p.doc))
	}
	b.WriteString("\n## Annotations\n\nEvery object takes these in `metadata.annotations`.\n\n| annotation | what it does |\n|---|---|\n")
	annotations := resolve.Annotations()
	for _, name := range slices.Sorted(maps.Keys(annotations)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, cell(annotations[name]))
	}
	return b.String()
}

func kindPage(t *testing.T, p page) string {
	t.Helper()
	example, err := os.ReadFile(filepath.Join("kinds", "examples", p.name()+".yaml"))
	if err != nil {
		t.Errorf("%s has no example: %v", p.gvk.Kind, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s%s\n\n`apiVersion: %s`", p.gvk.Kind, made, p.doc, p.gvk.APIVersion())
	for _, group := range p.aliases {
		if !strings.Contains(group, "/") {
			group += "/" + p.gvk.Version
		}
		fmt.Fprintf(&b, ", or `%s`", group)
	}
	fmt.Fprintf(&b, "\n\n## Example\n\n```yaml\n%s```\n\n## Fields\n\n", example)
	var rows strings.Builder
	writeRows(t, &rows, p.body, "")
	if said := strings.ToLower(rows.String()); strings.Contains(said, "immutable.") || strings.Contains(said, "immutable;") {
		b.WriteString("*Immutable*: a change of the field replaces the object, if that is allowed, unless the field says otherwise ([what a change costs](../changes.md)).\n\n")
	}
	b.WriteString("| field | type | |\n|---|---|---|\n" + rows.String())
	b.WriteString("\n[All kinds](README.md)\n")
	return b.String()
}

// writeRows writes a row for each field below path, in the words of `explain`.
func writeRows(t *testing.T, b *strings.Builder, body manifest.Type, path string) {
	t.Helper()
	text, err := manifest.Explain(body, path)
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(text, "FIELDS:\n")
	if !ok {
		return
	}
	for line := range strings.Lines(list) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), " <")
		if !ok || !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "   ") {
			continue // what is said of the field; it is asked for below
		}
		if path == "" && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			continue
		}
		below := strings.TrimPrefix(path+"."+name, ".")
		typ, required := strings.CutSuffix(rest, "> -required-")
		typ = strings.TrimSuffix(typ, ">")
		said := describe(t, body, below)
		if required {
			said = strings.TrimSpace("Required. " + said)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", below, cell(typ), cell(said))
		writeRows(t, b, body, below)
	}
}

// describe is what explain says of a field itself: its meaning, then its rules.
func describe(t *testing.T, body manifest.Type, path string) string {
	t.Helper()
	text, err := manifest.Explain(body, path)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ = strings.Cut(text, "FIELDS:\n")
	head, doc, _ := strings.Cut(text, "DESCRIPTION:\n")
	_, rules, _ := strings.Cut(head, "\n")
	words := strings.Join(strings.Fields(doc), " ")
	if said := strings.Join(strings.Fields(rules), " "); said != "" {
		words = strings.TrimSpace(words + " " + strings.ToUpper(said[:1]) + said[1:] + ".")
	}
	return words
}

// cell is a text that stays within a cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(text)
}
