// Package ownertext writes and reads the text by which an object in the cloud says whose it is: which stack made it, and for which
// key. It does not know where objects carry it, nor what else a mark says.
package ownertext

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Max is the length in bytes that an owner text never exceeds: the
// longest tag that every Neutron release accepts
// (neutron_lib/db/constants.py: TAG_SIZE was 60 until 2023). Only a kind with a name of
// more than MaxTagKind bytes, which no tag can mark, may have one that is longer by the
// rest of its name.
const (
	Max        = 60
	MaxTagKind = Max - len(Prefix) - plainStack - len(":~") - checksum.ShortLength
	maxKind    = 32
)

// MaxStackName is the length in bytes that a stack's name never exceeds.
const MaxStackName = 40

// Up to plainStack bytes a stack's name stands in owner texts as it is, which
// leaves room for a key. Of a longer one there are the first stackHead bytes and
// a digest, which together are just as long.
const (
	plainStack = 20
	stackHead  = plainStack - 1 - checksum.ShortLength
)

// Word begins every text and every metadata key that belongs to a mark,
// Prefix every owner text.
const (
	Word   = "stackreeve"
	Prefix = Word + ":"
)

// Of is what a mark says of stack and key. Keys too long for a tag are
// replaced by a digest of themselves, so that equal keys give equal texts and
// different keys different ones.
func Of(stack string, key manifest.Key) string {
	begin, path := Begin(stack), key.Name
	if key.Namespace != "" && key.Namespace != "default" {
		path = key.Namespace + "/" + key.Name
	}
	text := begin + key.Kind + "/" + path
	if len(text) <= Max {
		return text
	}
	return begin + key.Kind + "~" + checksum.Short(path)
}

// Begin is what the owner texts of a stack begin with, and those of no other one.
func Begin(stack string) string { return Prefix + inOwners(stack) + ":" }

// inOwners is how owner texts name a stack: no two names have the same word, and
// a word is its own word.
func inOwners(stack string) string {
	if len(stack) <= plainStack {
		return stack
	}
	return stack[:stackHead] + "~" + checksum.Short(stack)
}

// Owner is the parsed form of an owner text. Namespace and Name are empty when
// only a digest of them was stored. Stack is the word for the stack in owner
// texts, which is not the name of every stack: see [Owner.Of].
type Owner struct{ Stack, Kind, Namespace, Name string }

// Of reports whether the owner text is one of the stack of that name.
func (o Owner) Of(stack string) bool { return o.Stack == inOwners(stack) }

// Parse reads an owner text. ok is false when text is not one that
// [Of] could have given.
func Parse(text string) (o Owner, ok bool) {
	if !ownerText.MatchString(text) { // finding what it is made of would allocate for each object of a cloud
		return Owner{}, false
	}
	stack, rest, _ := strings.Cut(text[len(Prefix):], ":")
	end := strings.IndexAny(rest, "/~")
	of, path := rest[:end], rest[end+1:]
	if len(text) > Max+max(0, len(of)-MaxTagKind) || len(of) > maxKind {
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
	return o, Of(o.Stack, key) == text
}

// ownerText is stackreeve:STACK:KIND/[NAMESPACE/]NAME, or, of a name that would
// not fit, stackreeve:STACK:KIND~DIGEST; STACK is a name, or HEAD~DIGEST.
var ownerText = pattern.Of(`^` + Prefix + `([-a-z0-9]{1,20}|[-a-z0-9]{7}~[a-z2-7]{12}):([A-Za-z0-9]+)(?:/([^\s:/\[\]]+(?:/[^\s:/\[\]]+)?)|~([a-z2-7]{12}))$`)

// In finds the owner texts among the words of text, each once, in order;
// brackets end a word as spaces do.
func In(text string) (owners []string) {
	between := func(r rune) bool { return unicode.IsSpace(r) || r == '[' || r == ']' }
	for _, word := range strings.FieldsFunc(text, between) {
		if _, ok := Parse(word); ok && !slices.Contains(owners, word) {
			owners = append(owners, word)
		}
	}
	return owners
}

// markForm is anything that a reader of marks may take for a part of one. Some
// clouds compare without regard to case, so it does too.
var markForm = pattern.Of(`(?i)` + Word + `(-[a-z]+)*:\S`)

// LooksLikeMark reports whether text holds anything that could be read as a part
// of a mark if it came to stand on an object in the cloud.
func LooksLikeMark(text string) bool { return markForm.MatchString(text) }

// ReservedKey reports whether a metadata key is one of a mark's, or one that a
// cloud may take for it: databases ignore case and spaces at the end.
func ReservedKey(key string) bool {
	key = strings.ToLower(strings.TrimSpace(key))
	return key == Word || strings.HasPrefix(key, Word+"-")
}
