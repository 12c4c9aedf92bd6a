package report

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// DifferencesDoc is what differs between the manifests of two stacks, for programs.
type DifferencesDoc struct {
	APIVersion  string          `json:"apiVersion"`
	Kind        string          `json:"kind"`
	Stacks      [2]string       `json:"stacks"`
	Differences []DifferenceDoc `json:"differences"`
}

// DifferenceDoc is one object that differs. Edit is "added" if only the second stack has it, and "removed" if only the
// first one has.
type DifferenceDoc struct {
	Key     string     `json:"key"`
	Edit    string     `json:"edit"`
	Fields  []FieldDoc `json:"fields,omitempty"`
	Before  *SideDoc   `json:"before,omitempty"`
	After   *SideDoc   `json:"after,omitempty"`
	Renamed string     `json:"renamed,omitempty"` // the key in the first stack, if a value in the name differs
}

// FieldDoc is one field that differs.
type FieldDoc struct {
	Field  string   `json:"field"`
	Secret bool     `json:"secret,omitempty"`
	Before *SideDoc `json:"before,omitempty"`
	After  *SideDoc `json:"after,omitempty"`
}

// SideDoc is the value of one stack, and its place.
type SideDoc struct {
	Value  any       `json:"value,omitempty"`
	Origin OriginDoc `json:"origin"`
}

// Differences returns the document for what differs between two stacks.
func Differences(stacks [2]string, list []document.Difference) DifferencesDoc {
	doc := DifferencesDoc{APIVersion: "stackreeve.dev/v1alpha1", Kind: "Differences", Stacks: stacks, Differences: []DifferenceDoc{}}
	for _, d := range list {
		one := DifferenceDoc{Key: d.Key.String(), Edit: string(d.Edit)}
		one.Before, one.After = side(d.Before, "", nil), side(d.After, "", nil)
		if d.Before != nil && d.Before.Key != d.Key {
			one.Renamed = d.Before.Key.String()
		}
		for _, c := range d.Changes {
			field := FieldDoc{Field: c.Field, Secret: c.Secret}
			if c.Have != nil {
				field.Before = side(d.Before, c.Field, c.Have)
			}
			if c.Want != nil {
				field.After = side(d.After, c.Field, c.Want)
			}
			one.Fields = append(one.Fields, field)
		}
		doc.Differences = append(doc.Differences, one)
	}
	return doc
}

// side returns a value with its place; nil if there is no object.
func side(d *kind.Desired, field string, value any) *SideDoc {
	if d == nil {
		return nil
	}
	at := d.Origin
	if d.Object != nil && field != "" {
		at = d.Object.Where(field)
		d.Object.Release()
	}
	return &SideDoc{value, OriginDoc{at.File, at.Line}}
}

// Text writes the differences for people.
func (d DifferencesDoc) Text(w io.Writer) {
	signs := map[string]string{string(document.Added): "+", string(document.Removed): "-", string(document.Changed): "~"}
	for _, one := range d.Differences {
		name := one.Key
		if one.Renamed != "" {
			name = one.Renamed + " -> " + name
		}
		fmt.Fprintf(w, "%s %s", signs[one.Edit], printable.Line(name))
		if len(one.Fields) == 0 {
			for _, s := range []*SideDoc{one.Before, one.After} {
				if s != nil {
					fmt.Fprintf(w, "  %s", s.Origin.place())
				}
			}
		}
		fmt.Fprintln(w)
		for _, f := range one.Fields {
			fmt.Fprintf(w, "    %s: %s -> %s\n", printable.Line(f.Field), f.Before.text(), f.After.text())
		}
	}
	differ := "1 object differs"
	if n := len(d.Differences); n != 1 {
		differ = fmt.Sprintf("%d objects differ", n)
	}
	fmt.Fprintf(w, "%s between the stacks %s and %s.\n", differ, d.Stacks[0], d.Stacks[1])
}

func (o OriginDoc) place() string { return manifest.Origin{File: o.File, Line: o.Line}.String() }

func (s *SideDoc) text() string {
	if s == nil {
		return "nothing"
	}
	text, err := json.Marshal(s.Value)
	if err != nil {
		return "?"
	}
	return printable.Line(string(text)) + " (" + s.Origin.place() + ")"
}
