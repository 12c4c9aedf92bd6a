package mark

import (
	"encoding/json"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Keystone keeps attributes that it does not know, shows them in lists and leaves
// them alone when others are changed. There its objects bear the mark, in one text:
//
//	stackreeve: "stackreeve:prod:User/ada stackreeve-applied:abc… stackreeve-project:4690…"
//
// The project is that of the stack, whose name is unique within one: what bears the
// mark of a namesake in another project is not ours. Domains have no attributes
// besides their own in newer Keystones, and application credentials in none: they
// bear the same text in brackets at the end of their description.

// ExtraKey is the attribute with the mark. Keystone turns colons and hyphens in
// names of attributes into underscores.
const ExtraKey = ownertext.Word

const projectWord = ProjectKey + ":"

// noProject is the project of a mark that names none, which is never the stack's.
const noProject = "-"

// ExtraPlace is the place of a mark in an attribute of its own.
var ExtraPlace = PlaceIn(ExtraKey,
	func(value any) (any, Claim) {
		text, _ := value.(string) // whoever may write it can write anything there
		c, _ := ReadIdentity(text)
		return nil, c
	},
	func(_ any, m kind.Mark, _, project string) any {
		if m.Owner == "" {
			return nil // Keystone keeps the attribute, with nothing in it
		}
		return IdentityText(m, project)
	})

// IdentityDescriptionPlace is the place of the same text in brackets behind a description.
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

// UnmarkExtra is how people take the mark off an object of a collection of Keystone.
func UnmarkExtra(collection, singular string) string {
	return "the mark is the attribute " + ExtraKey + ": PATCH /v3/" + collection + `/<id> with {"` + singular + `": {"` + ExtraKey + `": null}}`
}

// IdentityText is the text of a mark on an object of Keystone.
func IdentityText(m kind.Mark, project string) string {
	return m.Owner + " " + appliedPrefix + appliedText(m) + " " + projectWord + project
}

// Holder is whose something in Keystone is: a stack, by the word that owner texts have for
// it, of a project. The zero value is nobody.
type Holder struct{ Stack, Project string }

// Holder is whose a claim is.
func (c Claim) Holder() Holder {
	if c.Mark == nil {
		return Holder{}
	}
	o, _ := ownertext.Parse(c.Mark.Owner)
	return Holder{o.Stack, c.Project}
}

// HolderOf is whose an object of Keystone is by the attribute that bears its own mark, which
// is one for that kind.
func HolderOf(object map[string]json.RawMessage, kindName string) Holder {
	var text string
	_ = json.Unmarshal(object[ExtraKey], &text) // what is no text is no mark
	c, ok := ReadIdentity(text)
	if !ok {
		return Holder{}
	}
	if o, ok := ownertext.Parse(c.Mark.Owner); !ok || o.Kind != kindName {
		return Holder{}
	}
	return c.Holder()
}

// ReadIdentity reads such a text, and the words behind it: reserved names and
// their values, which are among the notes. ok is false of any other text.
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

// describedInProject is the opposite of what [IdentityDescriptionPlace] puts there. Anyone
// who is named as an owner in front of a mark is a rival.
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
