package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// Describe writes everything that is known about the objects that the filter selects.
func (t StatusText) Describe(v StatusView, f StatusFilter) {
	var b strings.Builder
	t.header(&b, v)
	for _, o := range f.Select(v.Objects) {
		b.WriteString("\n")
		t.describe(&b, v, o)
	}
	_, _ = io.WriteString(t.W, b.String()) // one write, so that other output does not interrupt it
}

func (t StatusText) describe(b *strings.Builder, v StatusView, o status.Object) {
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %s %s\n", t.dim(fmt.Sprintf("%-12s", label+":")), text)
		}
	}
	s := o.Status
	b.WriteString(t.bold(nameOf(o)) + "\n")
	line("state", t.paint(colorOfState(s.State), stateText(s)))
	line("message", Clean(s.Message))
	for _, c := range s.Conditions[:2] { // the condition Ready repeats the text of Available
		line(strings.ToLower(c.Type), Clean(fmt.Sprintf("%s (%s): %s", c.Status, c.Reason, c.Message)))
	}
	line("id", Clean(s.ID))
	line("addresses", Clean(strings.Join(s.Addresses, ", ")))
	if s.Origin != nil {
		line("manifest", Clean(fmt.Sprintf("%s:%d", s.Origin.File, s.Origin.Line)))
	}
	if c := s.LastChange; c != nil {
		line("last change", Clean(fmt.Sprintf("%s by %s, %s: %s", Short(c.Commit), c.Author, c.Time, c.Subject)))
	}
	if owner, ok := ownerOf(o); ok {
		_, name, _ := strings.Cut(owner.Name, "/")
		line("parent", Clean(owner.Kind+"/"+name))
	}
	for _, part := range partsOf(v.Objects, o) {
		line("child", Clean(nameOf(part))+"  "+t.paint(colorOfState(part.Status.State), stateText(part.Status)))
	}
	t.changes(b, "differs", s.Changes)
	t.changes(b, "left alone", s.LeftAlone)
	for _, n := range s.Notes {
		line("note", Clean(n.Field+": "+n.Text))
	}
	tree(b, "spec", o.Spec)
	tree(b, "live", s.Resource)
}

// changes writes fields with their current and wanted values.
func (t StatusText) changes(b *strings.Builder, label string, list []kind.Change) {
	for _, c := range list {
		fmt.Fprintf(b, "  %s %s\n", t.dim(fmt.Sprintf("%-12s", label+":")), fieldText(c))
	}
}

// fieldText returns the current and the wanted value of a field.
func fieldText(c kind.Change) string {
	if c.Secret {
		return Clean(c.Field) + ": differs (secret, not shown)"
	}
	var words Text
	have, ok1 := words.itemsOf(c.Have, nil)
	want, ok2 := words.itemsOf(c.Want, nil)
	if list := Compared(have, want); ok1 && ok2 && list.Sum() != "" {
		return Clean(c.Field) + ": " + list.words()
	}
	text := func(v any) string {
		encoded, err := json.Marshal(v)
		if v == nil || err != nil {
			return "(none)"
		}
		return Clean(string(encoded))
	}
	return Clean(c.Field) + ": " + text(c.Have) + " -> " + text(c.Want)
}

// tree writes a value as indented YAML.
func tree(b *strings.Builder, label string, value any) {
	if value == nil {
		return
	}
	var text bytes.Buffer
	if YAML(&text, value) != nil {
		return
	}
	fmt.Fprintf(b, "  %s:\n", label)
	for line := range strings.Lines(text.String()) {
		b.WriteString("    " + line)
	}
}

func partsOf(list []status.Object, o status.Object) (parts []status.Object) {
	for _, part := range list {
		if owner, ok := ownerOf(part); ok && owner == selfOf(o) {
			parts = append(parts, part)
		}
	}
	return parts
}
