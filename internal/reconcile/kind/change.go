package kind

import (
	"cmp"
	"reflect"
	"slices"
)

// Disruption says what carrying out a change does to users of the object. The constants go from mild to severe.
type Disruption int

// The disruptions, mildest first.
const (
	// InPlace changes the object without an effect on its users.
	InPlace Disruption = iota
	// Reboot restarts a machine; disks and addresses stay.
	Reboot
	// Rebuild wipes the root disk; identity and addresses stay.
	Rebuild
	// Replace deletes the object and makes a new one: new ID, data lost.
	Replace
)

var disruptionText = [...]string{"in place", "reboot", "rebuild: wipes the disk", "replace: deleted and recreated"}

// String is the text that people read in plans.
func (d Disruption) String() string { return disruptionText[d] }

// MarshalText gives the short stable name used in JSON.
func (d Disruption) MarshalText() ([]byte, error) {
	return []byte([...]string{"in-place", "reboot", "rebuild", "replace"}[d]), nil
}

// Change is one field whose value in the cloud differs from the manifest.
type Change struct {
	Field      string     `json:"field"` // path in the manifest, e.g. spec.resource.description
	Have       any        `json:"have"`
	Want       any        `json:"want"`
	Disruption Disruption `json:"disruption"`
	// Secret values are never printed; Have and Want hold fingerprints.
	Secret bool `json:"secret,omitempty"`
	// Loss names the part, such as a disk, that the object no longer has after the change although nothing is deleted. Messages put
	// it after "loses". It is "" if no part is lost.
	Loss string `json:"loss,omitempty"`
	// Destroys is true when the lost data was the object's own and exists nowhere else.
	Destroys bool `json:"-"`
	// Cuts says what no longer works after the change although the object stays, for example "no traffic is allowed any more"; "" if
	// everything still works.
	Cuts string `json:"cuts,omitempty"`
	// LostElements lists, in words, the elements that the change would remove although the object's annotation leaves them to others. A
	// change with LostElements is not carried out.
	LostElements []string `json:"-"`
	// Unfinished is true if the field differs because the cloud itself did not finish its work. Nobody has changed the field.
	Unfinished bool `json:"-"`
	// Way is how the change is carried out, if there is a choice; "" if there is only one way. It is the name of one of Ways, or of
	// an intermediate step that the kind's driver carries out. [Options.Chosen] sets it; the kind's Diff sets an
	// intermediate step, and package decide sets the way of a cure.
	Way string `json:"way,omitempty"`
	// Ways are the ways in which the change can be carried out without replacing the object.
	Ways []Way `json:"-"`
}

// MarkField is the field name under which a stale or missing mark is reported.
const MarkField = "owner mark"

// Changes collects the differences between a spec and the cloud. Its zero value is ready to use. Kinds fill it, for example with
// [Field], [Fixed] and [Set].
type Changes struct {
	list    []Change
	notes   []Note
	foreign []foreignElement
}

// foreignElement is an element of an object that is left to others. It is removed together with any of the objects whose IDs
// the field with lists.
type foreignElement struct {
	words string
	with  []string
}

// Add appends a change unmodified.
func (c *Changes) Add(change Change) { c.list = append(c.list, change) }

// Note records that field is accepted and, on this cloud, not (fully) realised.
func (c *Changes) Note(field, text string) { c.notes = append(c.notes, Note{field, text}) }

// AddForeign records, in words, an element of the object that is left to others. The element is removed when the object is replaced, and
// when one of the cloud's objects with these IDs is removed.
func (c *Changes) AddForeign(element string, with ...string) {
	c.foreign = append(c.foreign, foreignElement{element, with})
}

// Foreign are the elements of the object that are left to others, in words.
func (c *Changes) Foreign() []string {
	return c.foreignWhere(func(foreignElement) bool { return true })
}

// ForeignWith returns the elements left to others that are removed together with the cloud's object of that ID.
func (c *Changes) ForeignWith(id string) []string {
	return c.foreignWhere(func(e foreignElement) bool { return slices.Contains(e.with, id) })
}

func (c *Changes) foreignWhere(is func(foreignElement) bool) (words []string) {
	for _, e := range c.foreign {
		if is(e) {
			words = append(words, e.words)
		}
	}
	return words
}

// List returns the changes in the order they were found.
func (c *Changes) List() []Change { return c.list }

// Notes are the parts of the manifest that this cloud does not (fully) realise.
func (c *Changes) Notes() []Note { return c.notes }

// Has reports whether list has a change of field, or of a field below it.
func Has(list []Change, field string) bool {
	return slices.ContainsFunc(list, func(c Change) bool { return Within(c.Field, field) })
}

// Within reports whether path is the path of field, or of a field below it.
func Within(path, field string) bool {
	if len(path) < len(field) || path[:len(field)] != field {
		return false
	}
	return len(path) == len(field) || path[len(field)] == '.' || path[len(field)] == '['
}

// Field adds a change if a value differs that can be changed in place.
func Field[T any](c *Changes, field string, have, want T) {
	Differs(c, field, have, want, InPlace)
}

// Fixed adds a change if a value differs that can only be changed by replacing the object.
func Fixed[T any](c *Changes, field string, have, want T) {
	Differs(c, field, have, want, Replace)
}

// Differs adds a change with the disruption d if a value differs.
func Differs[T any](c *Changes, field string, have, want T, d Disruption) {
	if !reflect.DeepEqual(have, want) {
		c.Add(Change{Field: field, Have: have, Want: want, Disruption: d})
	}
}

// Set adds a change with the disruption d if two lists differ as sets: order and repetition mean nothing. A nil and an empty list
// are equal.
func Set[T cmp.Ordered](c *Changes, field string, have, want []T, d Disruption) {
	h, w := sortedSet(have), sortedSet(want)
	if !slices.Equal(h, w) {
		c.Add(Change{Field: field, Have: h, Want: w, Disruption: d})
	}
}

func sortedSet[T cmp.Ordered](in []T) []T {
	out := slices.Clone(in)
	slices.Sort(out)
	out = slices.Compact(out)
	if out == nil {
		out = []T{}
	}
	return out
}

// Link adds a change if a reference differs. have is the ID in the cloud, want the target of the manifest's reference. If the target
// does not exist, a reference that only a replacement can change is not reported, because the object may still work. Any other
// reference is reported with a target that becomes known later.
func Link(c *Changes, field, have string, want Ref, d Disruption) {
	switch {
	case want.Name == "":
	case want.ID != "":
		Differs(c, field, have, want.ID, d)
	case d != Replace:
		c.Add(Change{Field: field, Have: have, Want: "known once " + want.Key.String() + " is ready", Disruption: d})
	}
}
