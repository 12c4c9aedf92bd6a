package table

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// row is one field with its tags.
type row struct {
	path  string   // the path in manifests, below the spec: "ipv6.addressMode".
	index []int    // of the field, step by step through structs and pointers to them.
	attr  string   // in requests; "" if there is none. A field within another one has its name in manifests, unless its tag has a different one.
	read  []string // the path in answers.
	shown []string // the path in status; nil if status does not show it.
	typ   reflect.Type
	ref   string // the kind that it refers to; "" if there is none
	doc   string

	required, named, empty, null, set, pairs, unread, unwritten, hidden bool
	apart                                                               bool // its declaration says that other code handles it
	omitZero, choice, lower, trimmed                                    bool

	extension string // the extension that the attribute needs; "" if there is none

	fallback string // the value if answers do not have it
	byDefault,
	format string
	change kind.Disruption
	ways   []kind.Way // ways in which it can be changed without replacing the object
	below  []row      // rows of a struct, or of a list's structs
}

// rowsOf reads the tags of a struct type once.
func rowsOf(t reflect.Type) []row {
	if known, ok := rowsByType.Load(t); ok {
		return known.([]row)
	}
	known, _ := rowsByType.LoadOrStore(t, level{}.rows(t))
	return known.([]row)
}

var rowsByType sync.Map // reflect.Type to []row

// level is the place of a struct whose tags are read. Its fields are either attributes of one object, or within an attribute.
type level struct {
	within bool   // the fields are within an attribute.
	prefix string // of their paths.
	index  []int  // of the struct.
}

func (l level) rows(t reflect.Type) (rows []row) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(append([]int(nil), l.index...), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			rows = append(rows, level{l.within, l.prefix, at}.rows(f.Type)...)
			continue
		}
		if name == "-" || name == "" || !f.IsExported() {
			continue
		}
		r := l.row(f, name, at)
		r.omitZero = options == "omitempty"
		if r.attr == "inline" {
			from := len(rows)
			rows = append(rows, level{l.within, r.path + ".", at}.rows(r.typ)...)
			for i := range rows[from:] {
				rows[from+i].change = max(rows[from+i].change, r.change)
			}
			continue
		}
		rows = append(rows, r)
	}
	return rows
}

func (l level) row(f reflect.StructField, name string, index []int) row {
	r := row{path: l.prefix + name, index: index, typ: f.Type, doc: f.Tag.Get("doc")}
	if r.typ.Kind() == reflect.Pointer {
		r.typ = r.typ.Elem()
	}
	switch shown := f.Tag.Get("show"); shown {
	case "":
		r.shown = strings.Split(r.path, ".")
	case "-":
	default:
		r.shown = []string{shown}
	}
	r.ref, _, _ = strings.Cut(f.Tag.Get("ref"), ",")
	var options string
	r.attr, options, _ = strings.Cut(f.Tag.Get("api"), ",")
	if r.apart = r.attr == "-"; r.apart {
		r.attr = ""
	}
	if l.within && r.attr == "" {
		r.attr = name
	}
	r.read = []string{r.attr}
	r.rule(f.Tag.Get("rule"))
	var err error
	if r.ways, err = kind.WaysOf(f.Tag); err != nil {
		panic(fmt.Sprintf("table: field %s: %v", f.Name, err)) // see below
	}
	for option := range strings.SplitSeq(options, ",") {
		if err := r.option(option); err != nil {
			panic(fmt.Sprintf("table: field %s: %v", f.Name, err)) // a mistake in the declaration, which any test finds
		}
	}
	element := r.typ
	if element.Kind() == reflect.Slice {
		element = element.Elem()
	}
	if element.Kind() == reflect.Struct && r.attr != "inline" {
		r.below = level{within: true}.rows(element)
	}
	return r
}

func (r *row) option(text string) error {
	name, value, _ := strings.Cut(text, "=")
	switch name {
	case "":
	case "inline":
		r.attr = "inline"
	case "named":
		r.named = true
	case "empty":
		r.empty = true
	case "null":
		r.empty, r.null = true, true
	case "set":
		r.set = true
	case "pairs":
		r.pairs = true
	case "lower":
		r.lower = true
	case "trimmed":
		r.trimmed = true
	case "unread":
		r.unread = true
	case "unwritten":
		r.unwritten = true
	case "hidden":
		r.hidden = true
	case "read":
		r.read = strings.Split(value, ".")
	case "extension":
		r.extension = value
	case "absent":
		r.fallback = value
	default:
		return fmt.Errorf("unknown option %q of api", text)
	}
	return nil
}

// rule reads the rules that matter here; package manifest checks the others.
func (r *row) rule(tag string) {
	for part := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "pattern":
			return // the pattern is the rest of the tag
		case "required":
			r.required = true
		case "immutable":
			r.change = kind.Replace
		case "default":
			r.byDefault = value
		case "format":
			r.format = value
		case "enum":
			r.choice = true
		}
	}
}
