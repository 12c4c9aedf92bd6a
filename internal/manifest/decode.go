package manifest

import (
	"cmp"
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/sops"
)

// Decode reads the document into a pointer to a struct such as struct{ Spec NetworkSpec `json:"spec"` }. It skips
// apiVersion, kind, metadata and status. It returns all problems together. If there are problems, the struct contains the
// values that could be read.
func (o *Object) Decode(into any) []Problem {
	d := o.decoder()
	d.head = true
	d.into(o.root(), spot{where: o.Origin}, into)
	return d.problems
}

// Read does the same as Decode for a type that is known only at run time. The value is a pointer to a struct of the Go
// type. For a type that is built at run time, it is [Fields].
func (o *Object) Read(t Type) (value any, problems []Problem) {
	if t.of != nil {
		into := reflect.New(t.of).Interface()
		return into, o.Decode(into)
	}
	d := o.decoder()
	d.head = true
	into := t.value()
	d.value(o.root(), spot{where: o.Origin}, t, into)
	return into.Interface(), d.problems
}

// decoder reads nodes into Go values, according to the rules in struct tags.
type decoder struct {
	origin Origin
	other  otherFiles
	alone  func() string
	key    Key
	head   bool // reports whether to skip the top-level fields that every object has
	// encrypted lists the fields whose values nobody may see. No message shows these values.
	encrypted []string
	problems  []Problem
}

// spot is the position of the decoder in the document.
type spot struct {
	at    *fieldPath
	where Origin
	rules rules
}

// decoder returns a decoder for the object's document.
func (o *Object) decoder() decoder {
	o.root() // sets other
	return decoder{origin: o.Origin, other: o.making().other, key: o.Key, alone: o.making().alone, encrypted: o.making().encrypted}
}

// place returns the place of a node.
func (d *decoder) place(n *yaml.Node) Origin { return d.other.place(n, d.origin.File) }

func (d *decoder) problem(where Origin, field, what, fix string) {
	if d.full() {
		return
	}
	d.problems = append(d.problems, Problem{Origin: where, Key: d.key, Field: field, What: what, Fix: fix})
}

// full reports whether there are already so many problems that nobody would read more.
func (d *decoder) full() bool { return len(d.problems) >= maxProblems }

func (d *decoder) wrong(s spot, what, fix string) {
	if what != "" {
		d.problem(s.where, s.at.String(), what, fix)
	}
}

func (d *decoder) wants(s spot, wanted string, n *yaml.Node, fix string) {
	d.wrong(s, "wants "+wanted+", found "+describe(n, s.rules.secret), fix)
}

// wantsWhole adds the problem that a value has the wrong form. It never shows the value, because a scalar instead of a
// mapping may be the secret that belongs into the mapping.
func (d *decoder) wantsWhole(s spot, wanted string, n *yaml.Node, fix string) {
	d.wrong(s, "wants "+wanted+", found "+describe(n, true), fix)
}

func (d *decoder) placeOf(n *yaml.Node, name string) Origin {
	if key, _ := lookup(n, name); key != nil {
		return d.place(key)
	}
	return d.place(n)
}

func (d *decoder) into(n *yaml.Node, s spot, into any) {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || shapeOf(v.Type()) == unsupported {
		d.wrong(s, fmt.Sprintf("cannot be decoded into a %T", into), "this is a defect of the program")
		return
	}
	d.value(n, s, TypeOf(v.Type()), v.Elem())
}

// value reads one node, unless there are already too many problems. A null does not change the value, because null means
// the same as an absent field.
func (d *decoder) value(n *yaml.Node, s spot, t Type, v reflect.Value) {
	if n == nil || isNull(n) || sops.IsUnknown(n) || d.full() {
		return
	}
	for v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	shape := t.shape()
	if len(d.encrypted) > 0 && (n.Kind == yaml.ScalarNode || shape == anything || shape == jsonText) {
		s.rules.secret = s.rules.secret || Touches(d.encrypted, s.at.String())
	}
	switch {
	case shape == anything:
		d.anything(n, s, v)
	case v.Kind() == reflect.Interface: // inside a type that is built at run time
		into := t.value()
		d.value(n, s, t, into)
		v.Set(into)
	case shape == jsonText:
		d.jsonText(n, s, v)
	case shape == structShape:
		d.structure(n, s, t, v)
	case shape == listShape:
		d.list(n, s, t, v)
	case shape == mapShape:
		d.mapping(n, s, t, v)
	default:
		d.scalar(n, s, v)
	}
}

// field reads the value of a field of a structure.
func (d *decoder) field(n *yaml.Node, s spot, f *field, v reflect.Value) {
	if f.index != nil {
		d.value(n, s, f.typ, v.FieldByIndex(f.index))
		return
	}
	into := f.typ.value()
	d.value(n, s, f.typ, into)
	v.SetMapIndex(reflect.ValueOf(f.name), into)
}

func (d *decoder) structure(n *yaml.Node, s spot, t Type, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.wantsWhole(s, "a mapping", n, "")
		return
	}
	known := t.fields()
	if t.made != nil {
		v.Set(reflect.MakeMapWithSize(v.Type(), len(n.Content)/2))
	}
	if known.err != nil {
		d.wrong(s, known.err.Error(), "this is a defect of the program")
	}
	set, meant := make([]bool, len(known.list)), map[string]bool{}
	var beside []field
	if d.head && s.at == nil {
		beside = frameFields().list
	}
	count := 0
	for _, e := range entries(n) {
		i, ok := known.byName[e.key.Value]
		switch {
		case d.full():
			return
		case d.head && s.at == nil && isHead(e.key.Value):
		case !ok:
			d.problem(d.place(e.key), s.at.field(e.key.Value).String(), "unknown field", unknownField(known, e.key.Value, beside))
			meant[nearest.Name(e.key.Value, known.names)] = true
		case !isNull(e.value):
			f := &known.list[i]
			if !set[i] {
				set[i] = true
				count++
			}
			below := spot{at: s.at.field(f.name), where: d.place(e.key), rules: f.rules}
			below.rules.secret = below.rules.secret || s.rules.secret
			d.field(e.value, below, f, v)
		}
	}
	for i, f := range known.list {
		if f.present && !set[i] {
			v.SetMapIndex(reflect.ValueOf(f.name), reflect.ValueOf(Fields{}))
		}
		if f.rules.required && !set[i] && !meant[f.name] {
			what, fix := d.missing(f)
			d.problem(s.where, s.at.field(f.name).String(), what, fix)
		}
	}
	if s.rules.oneof {
		d.wrong(s, checkOneof(known, set), "")
	}
	what, fix := s.rules.length(count, "fields")
	d.wrong(s, what, fix)
}

// missing describes a required field that the document does not have.
func (d *decoder) missing(f field) (what, fix string) {
	if d.alone == nil {
		return "missing", requiredFix(f)
	}
	return "missing, and no earlier layer has this object", cmp.Or(d.alone(), requiredFix(f))
}

func isHead(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata" || name == "status"
}

func (d *decoder) list(n *yaml.Node, s spot, t Type, v reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.wantsWhole(s, "a list", n, "start each element with \"- \"")
		return
	}
	what, fix := s.rules.length(len(n.Content), "elements")
	d.wrong(s, what, fix)
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	element, elem := s.rules.ofElement(), t.elem()
	seen := map[string]int{}
	for i, item := range n.Content {
		below := spot{at: s.at.item(i), where: d.place(item), rules: element}
		item = follow(item)
		if isNull(item) {
			d.wrong(below, "empty element", "remove it or give it a value")
			continue
		}
		if s.rules.unique && item.Kind == yaml.ScalarNode {
			if first, twice := seen[item.Value]; twice {
				d.wrong(below, fmt.Sprintf("the same as element %d", first), "remove one of the two")
			} else {
				seen[item.Value] = i
			}
		}
		d.value(item, below, elem, v.Index(i))
	}
}

func (d *decoder) mapping(n *yaml.Node, s spot, t Type, v reflect.Value) {
	if n.Kind != yaml.MappingNode {
		d.wantsWhole(s, "a mapping", n, "")
		return
	}
	all := entries(n)
	what, fix := s.rules.length(len(all), "entries")
	d.wrong(s, what, fix)
	v.Set(reflect.MakeMapWithSize(v.Type(), len(all)))
	element, elem := s.rules.ofElement(), t.elem()
	for _, e := range all {
		value := reflect.New(v.Type().Elem()).Elem()
		d.value(e.value, spot{at: s.at.field(e.key.Value), where: d.place(e.key), rules: element}, elem, value)
		v.SetMapIndex(reflect.ValueOf(e.key.Value).Convert(v.Type().Key()), value)
	}
}

func (d *decoder) anything(n *yaml.Node, s spot, v reflect.Value) {
	value, ok := d.free(n, s)
	if !ok {
		return
	}
	if v.Kind() == reflect.Interface {
		v.Set(reflect.ValueOf(value))
		return
	}
	if text, ok := d.encode(value, s); ok {
		v.SetBytes(text)
	}
}

func (d *decoder) refused(s spot, n *yaml.Node, err error) {
	if s.rules.secret {
		d.wrong(s, "not valid", "")
		return
	}
	d.wrong(s, describe(n, false)+" is not valid: "+err.Error(), "")
}
