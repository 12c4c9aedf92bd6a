package kind

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Mark is the note on a cloud object that says which stack created the object, for which key, and what was last applied to it.
// Package mark decides how it is stored (tags, metadata, description). A mark proves nothing, because everybody who can write to an
// object can write a mark on it, and clouds copy marks when they copy objects.
type Mark struct {
	// Owner is the text that [ownertext.Of] gives for the stack and key.
	Owner string
	// Rivals are the other owner texts that the object has, separated by
	// spaces. An object with rivals belongs to nobody.
	Rivals string
	// Applied is a digest of the spec and options last applied, or [HalfMade], [Unfinished] or [Unreadable].
	Applied string
	// Keep is true if the object stays in the cloud after its manifest is removed (on-delete: detach or prune: false were set when
	// it was last applied).
	Keep bool
	// Detach is true if the object also loses its mark when its manifest is removed (on-delete: detach without prune: false). A
	// mark with Detach has Keep, too.
	Detach bool
	// Loses is true when the object may be deleted although data that exists nowhere else is lost with it. It is written only with
	// an Applied that is not [HalfMade].
	Loses bool
	// Refused is an earlier Applied that the group of the object rolled back because it failed; "" if there is none.
	Refused string
	// Target is a SHA-256, in hexadecimal digits, over the whole target state of the object's group. It is written when a step that
	// people approved creates the object; "" without approval. It is only a record. Comparisons of marks leave it out.
	Target string
}

// SameAs reports whether two marks are equal, apart from [Mark.Target].
func (m Mark) SameAs(other Mark) bool {
	m.Target, other.Target = "", ""
	return m == other
}

// HalfMade is the value of [Mark.Applied] while an object exists and further requests of its creation are missing.
const HalfMade = ""

// Unreadable is the value of [Mark.Applied] if the object has no digest of the applied manifest, or several, although each request of
// the agent writes one. It is no digest of anything. A half-made object has it if its mark is in tags.
const Unreadable = "?"

// Unfinished is the value of [Mark.Applied] while an object exists but its manifest is only partly carried out. So a difference
// does not mean that a person changed the object.
const Unfinished = "unfinished"

// Owners are all the owner texts that the object has.
func (m *Mark) Owners() []string {
	if m == nil {
		return nil
	}
	return append([]string{m.Owner}, strings.Fields(m.Rivals)...)
}

// For reports whether an owner text of the mark names an object of a kind.
func (m *Mark) For(kindName string) bool {
	return slices.ContainsFunc(m.Owners(), func(text string) bool {
		o, ok := ownertext.Parse(text)
		return ok && o.Kind == kindName
	})
}

// Text returns the mark as plans show it and as approvals include it.
func (m Mark) Text() string {
	text := m.Owner + " " + m.Applied
	switch {
	case m.Detach:
		text += " detach"
	case m.Keep:
		text += " keep"
	case m.Loses:
		text += " loses"
	}
	return text
}
