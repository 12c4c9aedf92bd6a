package kind

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Mark is the claim of ownership that travels on a cloud object: which stack
// made it, for which key, and what was last applied to it. How it is stored
// (tags, metadata, description) is the business of package cloud. It is no
// proof: anyone who can write to an object can write a mark on it, and clouds copy
// marks when they copy objects.
type Mark struct {
	// Owner is the text that [OwnerText] gives for the stack and key.
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
		o, ok := ParseOwner(text)
		return ok && o.Kind == kindName
	})
}

// MaxOwnerText is the length in bytes that an owner text never exceeds: the
// longest tag that every Neutron release accepts
// (neutron_lib/db/constants.py: TAG_SIZE was 60 until 2023). Only a kind with a name of
// more than MaxTagKind bytes, which no tag can mark, may have one that is longer by the
// rest of its name.
const (
	MaxOwnerText = 60
	MaxTagKind   = MaxOwnerText - len(OwnerPrefix) - plainStack - len(":~") - digestLength
	maxKind      = 32
)

// MaxStackName is the length in bytes that a stack's name never exceeds.
const MaxStackName = 40

// Up to plainStack bytes a stack's name stands in owner texts as it is, which
// leaves room for a key. Of a longer one there are the first stackHead bytes and
// a digest, which together are just as long.
const (
	plainStack = 20
	stackHead  = plainStack - 1 - digestLength
)

// OwnerWord begins every text and every metadata key that belongs to a mark,
// OwnerPrefix every owner text.
const (
	OwnerWord   = "stackreeve"
	OwnerPrefix = OwnerWord + ":"
)

// OwnerText is what a mark says of stack and key. Keys too long for a tag are
// replaced by a digest of themselves, so that equal keys give equal texts and
// different keys different ones.
func OwnerText(stack string, key manifest.Key) string {
	begin, path := OwnersOf(stack), key.Name
	if key.Namespace != "" && key.Namespace != "default" {
		path = key.Namespace + "/" + key.Name
	}
	text := begin + key.Kind + "/" + path
	if len(text) <= MaxOwnerText {
		return text
	}
	return begin + key.Kind + "~" + Digest(path)
}

// OwnersOf is what the owner texts of a stack begin with, and those of no other one.
func OwnersOf(stack string) string { return OwnerPrefix + inOwners(stack) + ":" }

// inOwners is how owner texts name a stack: no two names have the same word, and
// a word is its own word.
func inOwners(stack string) string {
	if len(stack) <= plainStack {
		return stack
	}
	return stack[:stackHead] + "~" + Digest(stack)
}

// Owner is the parsed form of an owner text. Namespace and Name are empty when
// only a digest of them was stored. Stack is the word for the stack in owner
// texts, which is not the name of every stack: see [Owner.Of].
type Owner struct{ Stack, Kind, Namespace, Name string }

// Of reports whether the owner text is one of the stack of that name.
func (o Owner) Of(stack string) bool { return o.Stack == inOwners(stack) }

// ParseOwner reads an owner text. ok is false when text is not one that
// [OwnerText] could have given.
func ParseOwner(text string) (o Owner, ok bool) {
	if !ownerText.MatchString(text) { // finding what it is made of would allocate for each object of a cloud
		return Owner{}, false
	}
	stack, rest, _ := strings.Cut(text[len(OwnerPrefix):], ":")
	end := strings.IndexAny(rest, "/~")
	of, path := rest[:end], rest[end+1:]
	if len(text) > MaxOwnerText+max(0, len(of)-MaxTagKind) || len(of) > maxKind {
		return Owner{}, false
	}
	if rest[end] == '~' {
		return Owner{Stack: stack, Kind: of}, true
	}
	o = Owner{Stack: stack, Kind: of, Namespace: "default", Name: path}
	if ns, name, nested := strings.Cut(path, "/"); nested {
		o.Namespace, o.Name = ns, name
	}
	key := manifest.Key{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
	return o, OwnerText(o.Stack, key) == text
}

// ownerText is stackreeve:STACK:KIND/[NAMESPACE/]NAME, or, of a name that would
// not fit, stackreeve:STACK:KIND~DIGEST; STACK is a name, or HEAD~DIGEST.
var ownerText = pattern.Of(`^` + OwnerPrefix + `([-a-z0-9]{1,20}|[-a-z0-9]{7}~[a-z2-7]{12}):([A-Za-z0-9]+)(?:/([^\s:/\[\]]+(?:/[^\s:/\[\]]+)?)|~([a-z2-7]{12}))$`)

// OwnersIn finds the owner texts among the words of text, each once, in order;
// brackets end a word as spaces do.
func OwnersIn(text string) (owners []string) {
	between := func(r rune) bool { return unicode.IsSpace(r) || r == '[' || r == ']' }
	for _, word := range strings.FieldsFunc(text, between) {
		if _, ok := ParseOwner(word); ok && !slices.Contains(owners, word) {
			owners = append(owners, word)
		}
	}
	return owners
}

// Claimed is the mark of an object that bears these owner texts: nil when there
// are none, one with rivals when they differ. said is what it says besides.
func Claimed(owners []string, said Mark) *Mark {
	owners = slices.Compact(slices.Sorted(slices.Values(owners)))
	if len(owners) == 0 {
		return nil
	}
	said.Owner, said.Rivals = owners[0], strings.Join(owners[1:], " ")
	return &said
}

// markForm is anything that a reader of marks may take for a part of one. Some
// clouds compare without regard to case, so it does too.
var markForm = pattern.Of(`(?i)` + OwnerWord + `(-[a-z]+)*:\S`)

// LooksLikeMark reports whether text holds anything that could be read as a part
// of a mark if it came to stand on an object in the cloud.
func LooksLikeMark(text string) bool { return markForm.MatchString(text) }

// ReservedKey reports whether a metadata key is one of a mark's, or one that a
// cloud may take for it: databases ignore case and spaces at the end.
func ReservedKey(key string) bool {
	key = strings.ToLower(strings.TrimSpace(key))
	return key == OwnerWord || strings.HasPrefix(key, OwnerWord+"-")
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

// JoinMarks is the mark of a series of objects of which each has one: of those before, nil for none, and of another one. Where they
// differ, not all of them were written yet. One that says keep is enough.
func JoinMarks(all, of *Mark) *Mark {
	if all == nil {
		m := *of
		return &m
	}
	if all.Applied != of.Applied || all.Keep != of.Keep || all.Detach != of.Detach || all.Loses != of.Loses {
		all.Applied, all.Keep, all.Detach, all.Loses = Unfinished, all.Keep || of.Keep, all.Detach && of.Detach, all.Loses && of.Loses
	}
	return all
}
