package oslo

import (
	"maps"
	"slices"
)

// Access says who may write an attribute in requests of one method.
type Access int

// The accesses.
const (
	Never     Access = iota // requests of this method may not name it
	Anybody                 // every caller who may write the record
	AdminOnly               // policy asks for the role admin
)

// Parser checks and converts the value of an attribute as JSON decodes it.
type Parser = func(name string, v any) (any, *Error)

// Attribute is a row of a Table.
type Attribute struct {
	Name     string
	Create   Access
	Update   Access
	Required bool   // a create without it is refused
	Default  any    // of a create that does not name it
	Parse    Parser // nil takes every value
	Plain    bool   // a write stores the value as it is
	Filter   bool   // lists may be filtered by it
	Sort     bool   // lists may be sorted by it
}

// Table describes what requests may say about the records of a collection, an
// attribute a row. Rows without access are there to be read only.
type Table []Attribute

// Refusal is why a table refuses a request.
type Refusal int

// The refusals.
const (
	UnknownAttribute Refusal = iota
	NotInCreate
	NotInUpdate
	MissingAttribute
)

// Refuse words a table's refusal as the service does; the names are sorted.
type Refuse func(why Refusal, names ...string) *Error

// Unknown names the attributes of a body that the table does not have, sorted.
func (t Table) Unknown(body map[string]any) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if !slices.ContainsFunc(t, func(a Attribute) bool { return a.Name == name }) {
			out = append(out, name)
		}
	}
	return out
}

// Create checks the attributes of a create and adds defaults: the values are
// all that may be in one.
func (t Table) Create(body map[string]any, refuse Refuse) (Values, *Error) {
	if unknown := t.Unknown(body); len(unknown) > 0 {
		return nil, refuse(UnknownAttribute, unknown...)
	}
	for _, a := range t {
		_, sent := body[a.Name]
		if a.Create == Never && sent {
			return nil, refuse(NotInCreate, a.Name)
		}
		if a.Required && !sent {
			return nil, refuse(MissingAttribute, a.Name)
		}
	}
	v, err := t.parse(body)
	if err != nil {
		return nil, err
	}
	for _, a := range t {
		if a.Create != Never && !v.Has(a.Name) {
			v[a.Name] = a.Default
		}
	}
	return v, nil
}

// Update checks the attributes of an update: the values are those that were sent.
func (t Table) Update(body map[string]any, refuse Refuse) (Values, *Error) {
	if unknown := t.Unknown(body); len(unknown) > 0 {
		return nil, refuse(UnknownAttribute, unknown...)
	}
	for _, a := range t {
		if _, sent := body[a.Name]; sent && a.Update == Never {
			return nil, refuse(NotInUpdate, a.Name)
		}
	}
	return t.parse(body)
}

func (t Table) parse(body map[string]any) (Values, *Error) {
	v := Values{}
	for _, a := range t {
		x, sent := body[a.Name]
		if !sent {
			continue
		}
		if a.Parse != nil {
			var err *Error
			if x, err = a.Parse(a.Name, x); err != nil {
				return nil, err
			}
		}
		v[a.Name], v["?"+a.Name] = x, true
	}
	return v, nil
}

// Names are those of the rows that are accepted, in their order.
func (t Table) Names(accept func(Attribute) bool) []string {
	var out []string
	for _, a := range t {
		if accept(a) {
			out = append(out, a.Name)
		}
	}
	return out
}

// Plain are the values of rows that are stored as they are.
func (t Table) Plain(v Values) Values {
	out := Values{}
	for _, a := range t {
		if x, there := v[a.Name]; there && a.Plain {
			out[a.Name] = x
		}
	}
	return out
}

// AdminOnly is the first attribute of a body that the caller may not write,
// empty if there is none. The access is that of the request's method.
func (t Table) AdminOnly(c *Caller, body map[string]any, access func(Attribute) Access) string {
	for _, a := range t {
		if _, sent := body[a.Name]; sent && access(a) == AdminOnly && !c.Admin() {
			return a.Name
		}
	}
	return ""
}
