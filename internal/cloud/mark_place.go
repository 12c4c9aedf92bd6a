package cloud

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Claim is what an object says of its owner.
type Claim struct {
	// Mark is the owner mark; nil when there is none.
	Mark *kind.Mark
	// Self is the ID of the object that the mark was written on, Project the project
	// that the object is in; "" where it does not say.
	Self, Project string
	// Notes are all reserved entries of the metadata that the mark is in; kinds keep
	// more than the mark there.
	Notes map[string]string
}

// MarkPlace is the attribute in which the objects of a kind bear the mark, beside
// what the manifest says there. Values come from [MarkIn].
type MarkPlace struct {
	attribute string
	apart     bool
	take      func(json.RawMessage) (own any, c Claim, err error)
	put       func(own any, m kind.Mark, id, project string) any
}

// MarkIn is the place of a mark in an attribute. take separates what people wrote
// from the mark, put adds the mark of the object with that ID, which is "" before
// there is one.
func MarkIn[T any](attribute string, take func(T) (own T, c Claim), put func(own T, m kind.Mark, id, project string) T) MarkPlace {
	return MarkPlace{attribute: attribute,
		take: func(text json.RawMessage) (any, Claim, error) {
			var value T
			if err := json.Unmarshal(text, &value); err != nil {
				return nil, Claim{}, err
			}
			own, c := take(value)
			return own, c, nil
		},
		put: func(own any, m kind.Mark, id, project string) any {
			value, _ := own.(T) // zero where nothing is said
			return put(value, m, id, project)
		},
	}
}

// InMetadata is the place of a mark in the metadata of an object, which is
// updated by a request of its own (<object>/metadata).
var InMetadata = apart(MarkIn("metadata",
	func(all map[string]string) (map[string]string, Claim) {
		notes := maps.Clone(all)
		maps.DeleteFunc(notes, func(key, _ string) bool { return !kind.ReservedKey(key) })
		return UserMetadata(all), Claim{Mark: MarkInMetadata(all), Self: all[SelfKey], Notes: notes}
	},
	func(own map[string]string, m kind.Mark, id, _ string) map[string]string {
		all := Metadata(m, own)
		if id != "" {
			all[SelfKey] = id
		}
		return all
	}))

// InDescription is the place of a mark at the end of a description, which must be
// short enough to leave room for it.
var InDescription = MarkIn("description",
	func(text string) (string, Claim) {
		own, m := described(text)
		return own, Claim{Mark: m}
	},
	func(own string, m kind.Mark, _, _ string) string {
		text, _ := describe(own, m)
		return text
	})

func apart(p MarkPlace) MarkPlace {
	p.apart = true
	return p
}

// name is the name of a marked object.
func (p MarkPlace) name(own string, m kind.Mark) string {
	if p.attribute != "name" {
		return own
	}
	name, _ := p.put(own, m, "", "").(string)
	return name
}

// takeFrom takes the mark out of an object's attributes.
func (p MarkPlace) takeFrom(answer table.Attributes) (Claim, error) {
	text := answer[p.attribute]
	if p.take == nil || text == nil {
		return Claim{}, nil
	}
	own, claim, err := p.take(text)
	if err == nil {
		answer[p.attribute], err = json.Marshal(own)
	}
	if err != nil {
		return Claim{}, fmt.Errorf("attribute %s: %w", p.attribute, err)
	}
	return claim, nil
}
