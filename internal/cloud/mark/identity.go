package mark

import (
	"encoding/json"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Keystone stores attributes that it does not know, shows them in lists, and does not change them
// when others are changed. Its objects have the mark in such an attribute, in one text:
//
//	stackreeve: "stackreeve:prod:User/ada stackreeve-applied:abc… stackreeve-project:4690…"
//
// The project is that of the stack, whose name is unique within one project. A mark of a stack with
// the same name in another project is not ours. Domains have no additional attributes in newer
// Keystones, and application credentials never have any. They have the same text in brackets at the
// end of their description.

// ExtraKey is the attribute with the mark. Keystone turns colons and hyphens in names of attributes
// into underscores.
const ExtraKey = ownertext.Word

const projectWord = ProjectKey + ":"

// noProject is the project of a mark that names none. It is never the stack's project.
const noProject = "-"

// ExtraPlace is the place of a mark in the additional attribute [ExtraKey].
var ExtraPlace = PlaceIn(ExtraKey,
	func(value any) (any, Claim) {
		text, _ := value.(string) // anyone who may write it can write any value
		c, _ := ReadIdentity(text)
		return nil, c
	},
	func(_ any, m kind.Mark, _, project string) any {
		if m.Owner == "" {
			return nil // Keystone keeps the attribute, with an empty value
		}
		return IdentityText(m, project)
	})

// IdentityDescriptionPlace is the place of the same text, in brackets at the end of a description.
var IdentityDescriptionPlace = PlaceIn("description",
	func(text string) (string, Claim) {
		own, c := describedInProject(text)
		return own, c
	},
	func(own string, m kind.Mark, _, project string) string {
		switch {
		case m.Owner == "":
			return own
		case own != "":
			own += " "
		}
		return own + "[" + IdentityText(m, project) + "]"
	})

// UnmarkExtra is the command with which people remove the mark from an object of a Keystone
// collection.
func UnmarkExtra(collection, singular string) string {
	return "the mark is the attribute " + ExtraKey + ": PATCH /v3/" + collection + `/<id> with {"` + singular + `": {"` + ExtraKey + `": null}}`
}

// IdentityText is the text of a mark on an object of Keystone.
func IdentityText(m kind.Mark, project string) string {
	return m.Owner + " " + appliedPrefix + appliedText(m) + " " + projectWord + project
}

// Holder identifies the owner of an object: a stack, by its word in owner texts, and for objects of
// Keystone its project. The zero value means that the object has no owner.
type Holder struct{ Stack, Project string }

// Holder is the owner that a claim names.
func (c Claim) Holder() Holder {
	if c.Mark == nil {
		return Holder{}
	}
	o, _ := ownertext.Parse(c.Mark.Owner)
	return Holder{o.Stack, c.Project}
}

// HolderOf returns the owner of a Keystone object from its attribute [ExtraKey]. A mark for another
// kind does not count.
func HolderOf(object map[string]json.RawMessage, kindName string) Holder {
	var text string
	_ = json.Unmarshal(object[ExtraKey], &text) // a value that is no text is no mark
	c, ok := ReadIdentity(text)
	if !ok {
		return Holder{}
	}
	if o, ok := ownertext.Parse(c.Mark.Owner); !ok || o.Kind != kindName {
		return Holder{}
	}
	return c.Holder()
}

// ReadIdentity reads a text of [IdentityText], and further words: reserved names with values, which
// are returned in the notes. ok is false for any other text.
func ReadIdentity(text string) (c Claim, ok bool) {
	words := strings.Split(text, " ")
	if _, isOwner := ownertext.Parse(words[0]); !isOwner {
		return Claim{}, false
	}
	c = Claim{Project: noProject, Notes: map[string]string{}}
	for _, word := range words[1:] {
		name, value, isNote := strings.Cut(word, ":")
		if _, twice := c.Notes[name]; !isNote || twice || !ownertext.ReservedKey(name) {
			return Claim{}, false
		}
		c.Notes[name] = value
	}
	c.Mark = Claimed([]string{words[0]}, ReadApplied(c.Notes[AppliedKey]))
	if project := c.Notes[strings.TrimSuffix(projectWord, ":")]; project != "" {
		c.Project = project
	}
	return c, true
}

// describedInProject reads the description that [IdentityDescriptionPlace] writes. If the text
// before the mark names another owner, that owner is a rival.
func describedInProject(text string) (own string, c Claim) {
	begin := strings.LastIndexByte(text, '[')
	inside, closed := strings.CutSuffix(text, "]")
	if begin < 0 || !closed {
		return text, Claim{}
	}
	own, apart := strings.CutSuffix(text[:begin], " ")
	c, ok := ReadIdentity(inside[begin+1:])
	if !ok || begin > 0 && !apart {
		return text, Claim{}
	}
	c.Mark = Claimed(append(ownertext.In(own), c.Mark.Owner), *c.Mark)
	return own, c
}
