package table

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Object is an object as a service shows it: Spec in the fields of manifests, with IDs for references,
// More with further attributes of the service.
type Object[Spec, More any] struct {
	Spec Spec
	More More
	// Absent are the attributes of extensions that were missing from the answer.
	Absent []string
}

// Read decodes an answer.
func (o *Object[Spec, More]) Read(answer Attributes) error {
	if err := Read(answer, &o.Spec); err != nil {
		return err
	}
	for _, r := range rowsOf(reflect.TypeFor[Spec]()) {
		if _, shown := answer[r.attr]; r.extension != "" && !shown {
			o.Absent = append(o.Absent, r.attr)
		}
	}
	return Read(answer, &o.More)
}

// Extensions are the extensions that attributes need, by attribute.
func (t *Table[Spec, More]) Extensions() map[string]string {
	out := map[string]string{}
	for _, r := range t.rows {
		if r.extension != "" {
			out[r.attr] = r.extension
		}
	}
	return out
}

// lacks notes a given field for which the cloud has no attribute.
func (t *Table[Spec, More]) lacks(r *row, w typed.Want[Spec], c *kind.Changes) {
	if _, given := r.of(reflect.ValueOf(w.Spec)); given {
		c.Note(t.root+r.path, "the field has no effect: this cloud lacks the extension "+r.extension)
	}
}

// Table has the fields of a kind, in the order of Spec.
type Table[Spec, More any] struct {
	root      string // the path of the fields in manifests: "spec.resource."
	rows      []row
	overrides []Override[Spec, More]
	// elsewhere are attributes that other code writes.
	elsewhere []string
}

// Override is the row of a field whose form differs from its attribute's, or that is compared in a
// special way. If it lacks a function, the field's tags apply.
type Override[Spec, More any] struct {
	Field string // as a path: "gateway"
	// Compare reports the field if it differs from the manifest.
	Compare func(w typed.Want[Spec], have *Object[Spec, More], c *kind.Changes)
	// Closed says why the object, in its present state, cannot be changed in a way that the
	// field's tag `ways:"…"` declares; "" if it can.
	Closed func(w typed.Want[Spec], have *Object[Spec, More], way string) string
	// Loss returns what the object loses in a way with the cost rebuild, if that differs from the field's
	// tag `loss:"…"`; "" if not.
	Loss func(have *Object[Spec, More]) string
	// Write puts the field into the body of a request. For a create request, have is nil, and Write is called
	// even if the field is left out.
	Write func(w typed.Want[Spec], have *Object[Spec, More], body map[string]any)
}

// New returns the table of a kind. It panics on a mistake in the declaration, which any test finds.
func New[Spec, More any](overrides ...Override[Spec, More]) *Table[Spec, More] {
	return newAt(Path(""), overrides)
}

// NewFlat returns the table of a kind whose fields are directly under spec.
func NewFlat[Spec, More any](overrides ...Override[Spec, More]) *Table[Spec, More] {
	return newAt("spec.", overrides)
}

func newAt[Spec, More any](root string, overrides []Override[Spec, More]) *Table[Spec, More] {
	t := &Table[Spec, More]{root: root, rows: rowsOf(reflect.TypeFor[Spec]()), overrides: overrides}
	for _, o := range overrides {
		if !slices.ContainsFunc(t.rows, func(r row) bool { return reaches(r.path, o.Field) }) {
			panic(fmt.Sprintf("table: %T has no field %s", *new(Spec), o.Field))
		}
	}
	return t
}

// LeaveOut leaves attributes out of the bodies of requests, because other code writes them.
func (t *Table[Spec, More]) LeaveOut(attributes ...string) { t.elsewhere = attributes }

// writes reports whether requests contain the field.
func (t *Table[Spec, More]) writes(r *row) bool {
	return r.attr != "" && !r.unwritten && !slices.Contains(t.elsewhere, r.attr)
}

// reaches reports whether path is field, or within it.
func reaches(path, field string) bool {
	return path == field || len(path) > len(field) && path[:len(field)] == field && path[len(field)] == '.'
}

func (t *Table[Spec, More]) overrideOf(path string) *Override[Spec, More] {
	for i := range t.overrides {
		if reaches(path, t.overrides[i].Field) {
			return &t.overrides[i]
		}
	}
	return nil
}

// Name is the object's name in the cloud, from the field whose tag has the option "named"; "" if the kind has no
// such field.
func (t *Table[Spec, More]) Name(w typed.Want[Spec]) string {
	for i := range t.rows {
		if r := &t.rows[i]; r.named {
			name, _ := r.wanted(reflect.ValueOf(w.Spec), w.Key.Name)
			return r.normal(name.String())
		}
	}
	return ""
}

// Compare reports every field that differs from the manifest, in the order of Spec.
func (t *Table[Spec, More]) Compare(w typed.Want[Spec], have *Object[Spec, More], c *kind.Changes) {
	done := map[*Override[Spec, More]]bool{}
	for i := range t.rows {
		r := &t.rows[i]
		override := t.overrideOf(r.path)
		switch {
		case r.extension != "" && slices.Contains(have.Absent, r.attr):
			t.lacks(r, w, c)
		case r.named && r.change == kind.Replace && keepsName(r, w, have):
		case override == nil || override.Compare == nil:
			r.compare(t.root+r.path, w.Ref, reflect.ValueOf(w.Spec), reflect.ValueOf(&have.Spec), w.Key.Name, c)
		case !done[override]:
			done[override] = true
			override.Compare(w, have, c)
		}
	}
}

// Offer adds ways to the changes that would replace the object: the ways that the declarations of their fields name.
func (t *Table[Spec, More]) Offer(w typed.Want[Spec], have *Object[Spec, More], c *kind.Changes) {
	for i := range t.rows {
		r := &t.rows[i]
		if len(r.ways) == 0 || !kind.Has(c.List(), t.root+r.path) {
			continue
		}
		ways := r.ways
		if override := t.overrideOf(r.path); override != nil && (override.Closed != nil || override.Loss != nil) {
			ways = slices.Clone(ways)
			for i := range ways {
				if override.Closed != nil {
					ways[i].Closed = override.Closed(w, have, ways[i].Name)
				}
				if override.Loss != nil {
					ways[i].Loss = cmp.Or(override.Loss(have), ways[i].Loss)
				}
			}
		}
		c.Offer(t.root+r.path, ways)
	}
}

// keepsName reports whether an object has an earlier name of its manifest, and keeps it. That is so if the
// object cannot be renamed and the manifest does not set a name.
func keepsName[Spec, More any](r *row, w typed.Want[Spec], have *Object[Spec, More]) bool {
	_, given := r.of(reflect.ValueOf(w.Spec))
	seen, _ := r.seen(reflect.ValueOf(&have.Spec))
	return !given && w.HadName(seen.String())
}
