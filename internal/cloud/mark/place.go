package mark

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Claim is an object's statement about its owner.
type Claim struct {
	// Mark is the owner mark; nil if there is none.
	Mark *kind.Mark
	// Self is the ID of the object that the mark was written on. Project is the object's project, or
	// for Keystone's objects that of the stack in the mark. Both are "" if the object does not say.
	Self, Project string
	// Notes are all reserved keys and their values in the metadata with the mark, because kinds
	// store more than the mark there.
	Notes map[string]string
}

// Place is the attribute in which the objects of a kind have the mark, beside the manifest's text.
// [PlaceIn] makes a Place.
type Place struct {
	// Attribute is its name. Apart is true if the attribute is updated by a separate request to
	// <object>/<attribute>.
	Attribute string
	Apart     bool
	take      func(json.RawMessage) (own any, c Claim, err error)
	put       func(own any, m kind.Mark, id, project string) any
}

// PlaceIn returns the place of a mark in an attribute. take separates people's own text from the
// mark. put adds the mark of the object with that ID, which is "" before the object exists.
func PlaceIn[T any](attribute string, take func(T) (own T, c Claim), put func(own T, m kind.Mark, id, project string) T) Place {
	return Place{Attribute: attribute,
		take: func(text json.RawMessage) (any, Claim, error) {
			var value T
			if err := json.Unmarshal(text, &value); err != nil {
				return nil, Claim{}, err
			}
			own, c := take(value)
			return own, c, nil
		},
		put: func(own any, m kind.Mark, id, project string) any {
			value, _ := own.(T) // zero if there is no own value
			return put(value, m, id, project)
		},
	}
}

// MetadataPlace is the place of a mark in the metadata of an object, which a separate request
// updates.
var MetadataPlace = apart(PlaceIn("metadata",
	func(all map[string]string) (map[string]string, Claim) {
		notes := maps.Clone(all)
		maps.DeleteFunc(notes, func(key, _ string) bool { return !ownertext.ReservedKey(key) })
		return UserMetadata(all), Claim{Mark: InMetadata(all), Self: all[SelfKey], Notes: notes}
	},
	func(own map[string]string, m kind.Mark, id, _ string) map[string]string {
		if m.Owner == "" {
			return UserMetadata(own)
		}
		all := Metadata(m, own)
		if id != "" {
			all[SelfKey] = id
		}
		return all
	}))

// DescriptionPlace is the place of a mark at the end of a description, which must leave room for
// it.
var DescriptionPlace = endOf("description")

// NamePlace is the place of a mark at the end of a name, for objects with no other attribute that
// can be written. The name must leave room for it.
var NamePlace = endOf("name")

func endOf(attribute string) Place {
	return PlaceIn(attribute,
		func(text string) (string, Claim) {
			own, m := InDescription(text)
			return own, Claim{Mark: m}
		},
		func(own string, m kind.Mark, _, _ string) string {
			if m.Owner == "" {
				return own
			}
			text, _ := Description(m, own)
			return text
		})
}

func apart(p Place) Place {
	p.Apart = true
	return p
}

// Name returns the name of an object with the mark: own, or own and the mark if the mark is in the
// name.
func (p Place) Name(own string, m kind.Mark) string {
	if p.Attribute != "name" {
		return own
	}
	name, _ := p.put(own, m, "", "").(string)
	return name
}

// Put is the value of the attribute with the mark m; the zero mark means none. id is the object's
// ID, "" before it exists. The argument own is people's value; it is nil if there is none.
func (p Place) Put(own any, m kind.Mark, id, project string) any { return p.put(own, m, id, project) }

// Take returns an object's attributes without the mark, and the mark. It does not change answer,
// because other clients may share it.
func (p Place) Take(answer table.Attributes) (table.Attributes, Claim, error) {
	text := answer[p.Attribute]
	if p.take == nil || text == nil {
		return answer, Claim{}, nil
	}
	rest := maps.Clone(answer)
	own, claim, err := p.take(text)
	if err == nil {
		rest[p.Attribute], err = json.Marshal(own)
	}
	if err != nil {
		return nil, Claim{}, fmt.Errorf("attribute %s: %w", p.Attribute, err)
	}
	return rest, claim, nil
}
