package kind

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
)

// Mark is the claim of ownership that travels on a cloud object: which stack
// made it, for which key, and what was last applied to it. How it is stored
// (tags, metadata, description) is the business of package cloud. It is no
// proof: anyone who can write to an object can write a mark on it, and clouds copy
// marks when they copy objects.
type Mark struct {
	// Owner is the text that [ownertext.Of] gives for the stack and key.
	Owner string
	// Rivals are the other owner texts that the object bears, separated by
	// spaces. An object with rivals belongs to nobody.
	Rivals string
	// Applied is a digest of the spec and options last applied, or "" while
	// the object is half-made. [Unreadable] stands for a digest that is missing
	// where every request of ours writes one.
	Applied string
	// Keep is true when the object outlives its manifest (on-delete: detach or
	// prune: false were set when it was last applied).
	Keep bool
	// Detach is true when it also loses its mark then (on-delete: detach without
	// prune: false). A mark that says so says Keep, too.
	Detach bool
	// Loses is true when the object may be deleted although data is lost with it that is nowhere else. It is
	// written only with an Applied that is not "".
	Loses bool
	// Refused is what was applied before in vain, in the form of Applied: the group of the object went back from it.
	// "" for nothing.
	Refused string
	// Target is a SHA-256, in hexadecimal digits, over all that the group of the object was to become when the object was made by a
	// step that people had approved of; "" where none had. It is a record, and no part of what the object must bear.
	Target string
}

// SameAs reports whether two marks say the same, but for [Mark.Target].
func (m Mark) SameAs(other Mark) bool {
	m.Target, other.Target = "", ""
	return m == other
}

// Unreadable is what [Mark.Applied] holds when nothing says what was applied, or
// several things do. It is no digest of anything, and no half-made object has it.
const Unreadable = "?"

// Unfinished is what [Mark.Applied] holds while an object is there, and not all of
// its manifest was carried out yet: what is missing was not changed by people.
const Unfinished = "unfinished"

// Owners are all the owner texts that the object bears.
func (m *Mark) Owners() []string {
	if m == nil {
		return nil
	}
	return append([]string{m.Owner}, strings.Fields(m.Rivals)...)
}

// For reports whether an owner text of the mark is for an object of a kind.
func (m *Mark) For(kindName string) bool {
	return slices.ContainsFunc(m.Owners(), func(text string) bool {
		o, ok := ownertext.Parse(text)
		return ok && o.Kind == kindName
	})
}

// Text is the mark for people and approvals.
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
