package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// entry is what a plan says of one object, or of several of which it says the
// same.
type entry struct {
	symbol string
	kind   string
	name   string
	names  []string // when there are several
	text   string   // what happens, and why
	turn   string   // whom it comes after
	origin manifest.Origin
	lines  []string // more about it
	parts  []entry  // what it stands for
	bare   bool     // nothing happens to the object itself
}

// together joins entries that differ in nothing but the names of their objects, the
// joined one where the first of them was.
func together(list []entry, all bool) (out []entry) {
	for _, same := range Alike(list, entry.sign) {
		if len(same) > 1 {
			same = []entry{join(same, all)}
		}
		out = append(out, same...)
	}
	return out
}

// sign is all that is read of an entry, with a placeholder for its name; "" when
// the placeholder stands in it anyway.
func (e entry) sign() string {
	text := e.body()
	if Named(text) {
		return ""
	}
	return strings.Join([]string{e.symbol, e.kind, Standing(text, e.name)}, "\n")
}

// body is what is read of an entry besides its name and its place.
func (e entry) body() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", e.text, strings.Join(e.lines, "\n"))
	for _, part := range e.parts {
		fmt.Fprintf(&b, "%s %s %s %s\n%s\n", part.symbol, part.kind, part.name, strings.Join(part.names, " "), part.body())
	}
	return b.String()
}

// join is one entry for several with one sign.
func join(same []entry, all bool) entry {
	e := same[0]
	names := make([]string, len(same))
	literal := true // nothing in them depends on the name
	for i, one := range same {
		names[i] = one.name
		literal = literal && one.body() == e.body()
		e.turn = cmp.Or(one.turn, e.turn) // the first one's may be another
		if one.origin.File != e.origin.File {
			e.origin = manifest.Origin{}
		}
	}
	e.origin.Line = 0
	if !literal {
		e = e.standing(e.name)
	}
	e.names = Ranges(names)
	if !all {
		e.names = fewNames(e.names)
	}
	e.name = fmt.Sprintf("%d %ss", len(same), e.kind)
	return e
}

// standing is the entry with the placeholder for a name, but for its own.
func (e entry) standing(name string) entry {
	e.text, e.lines, e.parts = Standing(e.text, name), slices.Clone(e.lines), slices.Clone(e.parts)
	for i := range e.lines {
		e.lines[i] = Standing(e.lines[i], name)
	}
	for i, part := range e.parts {
		part.name, part.names = Standing(part.name, name), slices.Clone(part.names)
		for j := range part.names {
			part.names[j] = Standing(part.names[j], name)
		}
		e.parts[i] = part.standing(name)
	}
	return e
}

// height is how many lines the entry takes.
func (e entry) height() int {
	n := 1 + len(e.lines)
	for _, part := range e.parts {
		n += part.height()
	}
	return n
}

func (e entry) write(t Text, indent string) {
	title := Clean(e.kind + "/" + e.name)
	if e.names != nil {
		title = Clean(e.name + ": " + strings.Join(e.names, ", "))
	}
	line := indent + e.symbol + " " + title
	if e.bare {
		line = indent + t.bold(title)
	}
	for i, text := range []string{strings.Join(slices.DeleteFunc([]string{e.text, e.turn}, func(s string) bool { return s == "" }), "; "), place(e.origin)} {
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

// place is where an object is written.
func place(o manifest.Origin) string {
	if o.File != "" && o.Line == 0 {
		return Clean(o.File)
	}
	return Clean(o.String())
}
