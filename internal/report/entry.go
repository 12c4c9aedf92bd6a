package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// entry is the text of a plan about one object, or about several with the same text.
type entry struct {
	does   string // see [Block]
	symbol string
	kind   string
	name   string
	former string       // its former name; "" if there is none
	names  []string     // all names, if it is about several objects
	text   string       // the effect and its reason.
	after  []string     // the objects that must be deleted first.
	costs  string       // the interruptions and losses.
	turn   string       // the objects for which it waits.
	by     []kind.Trace // who changed the objects in the cloud (for drift)
	gone   bool         // reports whether they deleted the objects
	origin manifest.Origin
	lines  []string // further lines about the object
	parts  []entry  // the entries of the objects that it expands to
	bare   bool     // nothing happens to the object itself
}

// together joins entries that differ only in the names of their objects. The joined entry has the place of the first one.
func together(list []entry, all bool) (out []entry) {
	for _, same := range Alike(list, entry.sign) {
		if len(same) > 1 {
			same = []entry{join(same, all)}
		}
		out = append(out, same...)
	}
	return out
}

// sign is the text of an entry, with a placeholder instead of its name. It is "" if the text contains the words of the placeholder.
func (e entry) sign() string {
	text := e.body()
	if Named(text) {
		return ""
	}
	return strings.Join([]string{e.symbol, e.kind, WithPlaceholders(text, e.name, e.former)}, "\n")
}

// body is the text of an entry, without its name and its place.
func (e entry) body() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n%s\n", e.text, strings.Join(e.after, "\n"), e.costs, strings.Join(e.lines, "\n"))
	for _, part := range e.parts {
		fmt.Fprintf(&b, "%s %s %s %s\n%s\n", part.symbol, part.kind, part.name, strings.Join(part.names, " "), part.body())
	}
	return b.String()
}

// join returns one entry that represents several with the same sign.
func join(same []entry, all bool) entry {
	e := same[0]
	names := make([]string, len(same))
	literal := true // no text depends on the name
	for i, one := range same {
		names[i] = one.name
		literal = literal && one.body() == e.body()
		e.turn = cmp.Or(one.turn, e.turn) // the first entry may wait for nothing
		if i > 0 {
			e.by = append(e.by, one.by...)
		}
		if one.origin.File != e.origin.File {
			e.origin = manifest.Origin{}
		}
	}
	e.origin.Line = 0
	if !literal {
		e = e.withPlaceholder(e.name)
	}
	e.names = Ranges(names)
	if !all {
		e.names = fewNames(e.names)
	}
	e.name = fmt.Sprintf("%d %ss", len(same), e.kind)
	return e
}

// withPlaceholder replaces a name in the entry by the placeholder, except in the entry's own name.
func (e entry) withPlaceholder(name string) entry {
	put := func(text string) string { return WithoutPlaceholders(WithPlaceholders(text, name, e.former)) }
	e.text, e.costs, e.parts = put(e.text), put(e.costs), slices.Clone(e.parts)
	e.after, e.lines = each(e.after, put), each(e.lines, put)
	for i, part := range e.parts {
		part.name, part.names = WithoutPlaceholders(WithPlaceholder(part.name, name)), slices.Clone(part.names)
		for j := range part.names {
			part.names[j] = WithoutPlaceholders(WithPlaceholder(part.names[j], name))
		}
		e.parts[i] = part.withPlaceholder(name)
	}
	return e
}

// each returns the texts after f has converted them.
func each(texts []string, f func(string) string) (out []string) {
	for _, text := range texts {
		out = append(out, f(text))
	}
	return out
}

// traced says who changed one object, or several.
func traced(by []kind.Trace, gone bool) string {
	done := map[bool]string{true: "deleted in the cloud", false: "changed in the cloud"}[gone]
	if len(by) == 0 {
		return ""
	}
	var last kind.Trace
	var who []string
	for _, t := range by {
		if t.When.After(last.When) {
			last.When = t.When
		}
		if t.Who != "" && !slices.Contains(who, t.Who) {
			who = append(who, t.Who)
		}
	}
	if slices.IndexFunc(by, func(t kind.Trace) bool { return t != by[0] }) < 0 {
		return by[0].Text(done)
	}
	last.Who = some(who)
	return last.Text(done + ", last")
}

// height is the number of lines of the entry.
func (e entry) height() int {
	n := 1 + len(e.lines)
	for _, part := range e.parts {
		n += part.height()
	}
	return n
}

// title returns the name of the object, or the names of all objects.
func (e entry) title() string {
	if e.names != nil {
		return Clean(e.name + ": " + strings.Join(e.names, ", "))
	}
	return Clean(e.kind + "/" + e.name)
}

// effectText returns the effect and the reason.
func (e entry) effectText() string {
	after := ""
	if len(e.after) > 0 {
		after = After(e.after, some)
	}
	return strings.Join(slices.DeleteFunc([]string{Clean(traced(e.by, e.gone)), e.text, after, e.costs, e.turn}, func(s string) bool { return s == "" }), "; ")
}

func (e entry) write(t Text, indent string) {
	title := e.title()
	line := indent + e.symbol + " " + title
	if e.bare {
		line = indent + t.bold(title)
	}
	for i, text := range []string{e.effectText(), place(e.origin)} {
		switch {
		case text == "" && !(i == 1 && e.bare):
		case i == 1:
			line += "  " + t.dim(text)
		default:
			line += "  " + text
		}
	}
	fmt.Fprintln(t.W, line)
	below := indent + "    "
	if e.bare {
		below = indent + "  "
	}
	for _, line := range e.lines {
		fmt.Fprintln(t.W, below+line)
	}
	for _, part := range e.parts {
		part.write(t, indent+"  ")
	}
}

// place returns the file and line of an object's manifest.
func place(o manifest.Origin) string {
	if o.File != "" && o.Line == 0 {
		return Clean(o.File)
	}
	return Clean(o.String())
}
