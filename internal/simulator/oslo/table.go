package oslo

import (
	"maps"
	"slices"
)

// Access is the group of callers who may write an attribute in requests of one method.
type Access int

// These are the values of Access.
const (
	Never     Access = iota // requests of this method must not contain it
	Anybody                 // every caller who may write the record
	AdminOnly               // the policy requires the role admin
)

// Parser checks a decoded JSON value of an attribute, and converts it.
type Parser = func(name string, v any) (any, *Error)

// Attribute is a row of a Table.
type Attribute struct {
	Name     string
	Create   Access
	Update   Access
	Required bool   // a create without it is refused.
	Default  any    // the value if a create does not contain it.
	Parse    Parser // nil accepts every value.
	Plain    bool   // the value is stored unchanged.
	Filter   bool   // lists may be filtered by it
	Sort     bool   // lists may be sorted by it
}

// Table describes the records of a collection, with a row for each attribute. A row that allows neither Create
// nor Update describes a read-only attribute.
type Table []Attribute

// Refusal is the reason why a table refuses a request.
type Refusal int

// These are the values of Refusal.
const (
	UnknownAttribute Refusal = iota
	NotInCreate
	NotInUpdate
	MissingAttribute
)

// Refuse returns the service's error for a refused request. The names are the attributes that are the reason,
// sorted.
type Refuse func(why Refusal, names ...string) *Error

// Unknown returns the attributes of a body that the table does not have, sorted.
func (t Table) Unknown(body map[string]any) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if !slices.ContainsFunc(t, func(a Attribute) bool { return a.Name == name }) {
			out = append(out, name)
		}
	}
	return out
}

// Create checks the attributes of a create request and adds the defaults. The
// result has a value for every attribute that a create request may contain.
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

// Update checks the attributes of an update request. The result contains only values of the request.
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

// Names returns the names of the rows that accept selects, in the order of the table.
func (t Table) Names(accept func(Attribute) bool) []string {
	var out []string
	for _, a := range t {
		if accept(a) {
			out = append(out, a.Name)
		}
	}
	return out
}

// Plain returns the values of the rows that are stored unchanged.
func (t Table) Plain(v Values) Values {
	out := Values{}
	for _, a := range t {
		if x, there := v[a.Name]; there && a.Plain {
			out[a.Name] = x
		}
	}
	return out
}

// AdminOnly returns the first attribute of a body that the caller must not write, or "". access returns the
// Access of a row for the request's method.
func (t Table) AdminOnly(c *Caller, body map[string]any, access func(Attribute) Access) string {
	for _, a := range t {
		if _, sent := body[a.Name]; sent && access(a) == AdminOnly && !c.Admin() {
			return a.Name
		}
	}
	return ""
}
