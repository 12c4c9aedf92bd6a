// Package ownertext writes and reads the text with which an object in the cloud names its owner: the stack that made it, and its key. The
// package does not know where objects store that text, nor the other parts of a mark.
package ownertext

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Max is the maximum length of an owner text in bytes. It is the longest tag that every Neutron release accepts
// (neutron_lib/db/constants.py: TAG_SIZE was 60 until 2023). There is one exception: if the name of a kind has more than
// MaxTagKind bytes, no tag can hold the owner text. Then the text may be longer than Max by as many bytes as the name is longer than MaxTagKind.
const (
	Max        = 60
	MaxTagKind = Max - len(Prefix) - plainStack - len(":~") - checksum.ShortLength
	maxKind    = 32
)

// MaxStackName is the maximum length of a stack's name in bytes.
const MaxStackName = 40

// If a stack's name has at most plainStack bytes, owner texts contain it unchanged, which leaves room for a key. For a longer name, they
// contain its first stackHead bytes and a digest, which together have the same length.
const (
	plainStack = 20
	stackHead  = plainStack - 1 - checksum.ShortLength
)

// Every text and every metadata key of a mark begins with Word. Every owner text begins with Prefix.
const (
	Word   = "stackreeve"
	Prefix = Word + ":"
)

// Of returns the owner text for a stack and a key. If the key is too long for a tag, the text contains a digest of it instead. Equal keys
// give equal texts, and different keys give different texts.
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

// Begin returns the beginning of a stack's owner texts. The owner texts of other stacks begin differently.
func Begin(stack string) string { return Prefix + inOwners(stack) + ":" }

// BeginOf returns the beginning of an owner text, which is equal for all owner texts of a stack (see [Begin]); "" if the text has none.
func BeginOf(text string) string {
	if !strings.HasPrefix(text, Prefix) {
		return ""
	}
	return text[:len(Prefix)+strings.IndexByte(text[len(Prefix):], ':')+1]
}

// inOwners returns the word for a stack in owner texts. Different names have different words. For a word that inOwners has returned, it returns the same word.
func inOwners(stack string) string {
	if len(stack) <= plainStack {
		return stack
	}
	return stack[:stackHead] + "~" + checksum.Short(stack)
}

// Owner is the parsed form of an owner text. Namespace and Name are empty if the text contains only a digest of them. Stack is the word for
// the stack in owner texts. It differs from the stack's name if that is long: see [Owner.Of].
type Owner struct{ Stack, Kind, Namespace, Name string }

// Of reports whether the owner text belongs to the stack with that name.
func (o Owner) Of(stack string) bool { return o.Stack == inOwners(stack) }

// Parse reads an owner text. ok is false if [Of] cannot have returned the text.
func Parse(text string) (o Owner, ok bool) {
	if !ownerText.MatchString(text) { // submatches would allocate memory for each object of a cloud
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

// ownerText matches stackreeve:STACK:KIND/[NAMESPACE/]NAME. If the name would not fit, it matches stackreeve:STACK:KIND~DIGEST. STACK is a
// name, or HEAD~DIGEST.
var ownerText = pattern.Of(`^` + Prefix + `([-a-z0-9]{1,20}|[-a-z0-9]{7}~[a-z2-7]{12}):([A-Za-z0-9]+)(?:/([^\s:/\[\]]+(?:/[^\s:/\[\]]+)?)|~([a-z2-7]{12}))$`)

// In finds the owner texts among the words of text, each once, in their order. Brackets end a word, like spaces.
func In(text string) (owners []string) {
	between := func(r rune) bool { return unicode.IsSpace(r) || r == '[' || r == ']' }
	for _, word := range strings.FieldsFunc(text, between) {
		if _, ok := Parse(word); ok && !slices.Contains(owners, word) {
			owners = append(owners, word)
		}
	}
	return owners
}

// markForm matches every text that a reader of marks may take for a part of a mark. It ignores case, because some clouds do.
var markForm = pattern.Of(`(?i)` + Word + `(-[a-z]+)*:\S`)

// LooksLikeMark reports whether a part of text could be taken for a part of a mark if text were on an object in the cloud.
func LooksLikeMark(text string) bool { return markForm.MatchString(text) }

// ReservedKey reports whether a metadata key belongs to marks, or whether a cloud may take it for such a key. Databases ignore case, and
// spaces at the end.
func ReservedKey(key string) bool {
	key = strings.ToLower(strings.TrimSpace(key))
	return key == Word || strings.HasPrefix(key, Word+"-")
}
