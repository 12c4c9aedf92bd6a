package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/sops"
)

// SealedFile is a file that SOPS encrypted, of which a program gets a copy with a token in place of each encrypted value: see [Seal].
type SealedFile struct {
	Name string // as in problems
	Text []byte
}

// Effort is what reading several encrypted files has cost: see [sops.Effort].
type Effort = sops.Effort

// Seal replaces the encrypted values in the documents of a file by tokens, and removes the blocks of SOPS. found is false for a
// file that is not encrypted.
//
// A token is a text that occurs nowhere else. So a program that merges documents can copy it, and a load finds out which values of the
// result are secret. Nothing about the value can be found out from its token. The cost of reading is added to effort.
func Seal(name string, roots []*yaml.Node, effort *Effort) (found bool, problems Problems) {
	if !slices.ContainsFunc(roots, sops.Has) {
		return false, nil
	}
	file, wrong := sops.Read(roots, effort)
	if len(wrong) > 0 {
		return true, problemsOf(name, wrong)
	}
	eachSecret(name, file, len(roots), func(token string, n *yaml.Node) {
		n.Tag, n.Value, n.Style = tagString, token, 0
	})
	return true, nil
}

// IsEncrypted reports whether a text is a file of SOPS, in one of its formats.
func IsEncrypted(text []byte) bool {
	if !bytes.Contains(text, []byte("sops")) {
		return false
	}
	if bytes.Contains(text, []byte("\nsops_mac=")) || bytes.Contains(text, []byte("\n[sops]\n")) { // its formats dotenv and ini
		return true
	}
	roots, _ := Documents("", text)
	return slices.ContainsFunc(roots, sops.Has)
}

func problemsOf(name string, list []sops.Problem) (problems Problems) {
	for _, p := range list {
		problems = append(problems, Problem{Origin: Origin{name, p.Line}, Field: p.Field, What: p.What, Fix: p.Fix})
	}
	return problems
}

// A token is tokenPrefix and the first tokenDigits hexadecimal digits of a sum over the place of the value and its encrypted text.
const (
	tokenPrefix = "stackreeveSealed"
	tokenDigits = 40
)

// eachSecret calls a function with the token of each encrypted value of a file.
func eachSecret(name string, file *sops.File, docs int, do func(token string, n *yaml.Node)) {
	for i := range docs {
		for _, s := range file.Secrets(i) {
			sum := sha256.Sum256([]byte(strings.Join([]string{name, strconv.Itoa(i), s.Field, s.Node.Value}, "\x00")))
			do(tokenPrefix+hex.EncodeToString(sum[:])[:tokenDigits], s.Node)
		}
	}
}

// HideTokens returns a message with words in place of tokens.
func HideTokens(text string) string {
	made, _ := withoutTokens(text, func(string) (string, bool) { return "(encrypted)", true })
	return made
}

// withoutTokens replaces the tokens in a text. It returns false if there is none with a value.
func withoutTokens(text string, value func(token string) (string, bool)) (made string, found bool) {
	var b strings.Builder
	for {
		before, after, is := strings.Cut(text, tokenPrefix)
		b.WriteString(before)
		if !is {
			return b.String(), found
		}
		digits := min(len(after), tokenDigits)
		if by, ok := value(tokenPrefix + after[:digits]); ok {
			b.WriteString(by)
			text, found = after[digits:], true
			continue
		}
		b.WriteString(tokenPrefix)
		text = after
	}
}

// tokens are the values behind the tokens in documents that a program made.
type tokens struct {
	values  map[string]yaml.Node
	unknown bool // the values were not decrypted
}

// Unknown implements opened.
func (t *tokens) Unknown() bool { return t.unknown }

// Again implements opened.
func (t *tokens) Again(root *yaml.Node) error {
	r := revealer{tokens: t, room: math.MaxInt64} // the load has checked the size
	r.document(root)
	return nil
}

// in reports whether a text has a token with a value, as it is or in base64.
func (t *tokens) in(text string) bool {
	known := func(token string) (string, bool) {
		_, ok := t.values[token]
		return "", ok
	}
	_, found := withoutTokens(text, known)
	_, encoded := withoutTokens(decoded(text), known)
	return found || encoded
}

// unseal decrypts the files of which a program got copies. It returns nil if there are none, or one is refused.
func (l *loader) unseal(files []SealedFile) (t *tokens, ok bool) {
	if len(files) == 0 || l.opts.Holding != nil && l.opts.Decryption == (Decryption{}) {
		return nil, true
	}
	t = &tokens{values: map[string]yaml.Node{}, unknown: l.opts.Decryption.Unknown}
	for _, f := range files {
		if l.over() || !l.unsealFile(f, t) {
			return nil, false
		}
	}
	return t, true
}

func (l *loader) unsealFile(f SealedFile, t *tokens) bool {
	roots, problems := Documents(f.Name, f.Text)
	var file *sops.File
	if len(problems) == 0 {
		var wrong []sops.Problem
		file, wrong = sops.Read(roots, &l.effort)
		problems = problemsOf(f.Name, wrong)
	}
	byToken := map[string]*yaml.Node{}
	if len(problems) == 0 {
		eachSecret(f.Name, file, len(roots), func(token string, n *yaml.Node) { byToken[token] = n })
		if t.unknown {
			file.Conceal()
		} else {
			_, wrong := file.Decrypt(l.opts.Decryption.Keys)
			problems = problemsOf(f.Name, wrong)
		}
	}
	for _, p := range problems {
		l.lose(p)
	}
	for token, n := range byToken {
		t.values[token] = yaml.Node{Kind: yaml.ScalarNode, Tag: n.Tag, Value: n.Value, Style: n.Style}
	}
	return len(problems) == 0
}

// revealer puts values in place of tokens in one document.
type revealer struct {
	*tokens
	room  int64               // bytes that may be added
	nodes map[*yaml.Node]bool // those with a value
	parts []string            // the values that are parts of texts
	// indirect is true if the document has an alias or a merge key. A field is then decoded at another path than its place in the
	// text, and would not count as secret.
	indirect bool
	// tooMuch is true if the room was too small. The document is then incomplete.
	tooMuch bool
}

// document puts values into a document that a program made.
func (r *revealer) document(root *yaml.Node) {
	r.nodes = map[*yaml.Node]bool{}
	kind, version := valueAt(root, "kind"), valueAt(root, "apiVersion")
	secret := kind != nil && kind.Value == "Secret" && version != nil && version.Value == "v1"
	for i := 1; i < len(root.Content); i += 2 {
		r.key(root.Content[i-1])
		r.value(root.Content[i], secret && root.Content[i-1].Value == "data")
	}
}

// key looks for a merge key and for an alias as a key.
func (r *revealer) key(n *yaml.Node) {
	r.indirect = r.indirect || n.Kind == yaml.AliasNode || n.ShortTag() == tagMerge
}

// value puts values into a node. In the data of a Secret, a program can have encoded a token as base64.
func (r *revealer) value(n *yaml.Node, inData bool) {
	r.indirect = r.indirect || n.Kind == yaml.AliasNode
	if n.Kind != yaml.ScalarNode {
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				r.key(c)
			} else {
				r.value(c, inData)
			}
		}
		return
	}
	if whole, ok := r.values[n.Value]; ok {
		if r.spend(len(whole.Value) - len(n.Value)) {
			n.Tag, n.Value, n.Style = whole.Tag, whole.Value, whole.Style
			r.nodes[n] = true
		}
		return
	}
	if text, found := r.text(n.Value); found {
		r.set(n, text)
	} else if inData {
		r.encoded(n)
	}
}

func (r *revealer) encoded(n *yaml.Node) {
	if text, found := r.text(decoded(n.Value)); found {
		r.set(n, base64.StdEncoding.EncodeToString([]byte(text)))
	}
}

// decoded returns the text behind base64, or "".
func decoded(text string) string {
	plain, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return ""
	}
	return string(plain)
}

func (r *revealer) text(text string) (string, bool) {
	if !strings.Contains(text, tokenPrefix) {
		return text, false
	}
	return withoutTokens(text, func(token string) (string, bool) {
		value, ok := r.values[token]
		if !ok || !r.spend(len(value.Value)) {
			return "", false
		}
		if !r.unknown {
			r.parts = append(r.parts, value.Value)
		}
		return value.Value, true
	})
}

func (r *revealer) set(n *yaml.Node, text string) {
	n.Value = text
	r.nodes[n] = true
	n.Tag, n.Style = tagString, yaml.DoubleQuotedStyle
	if r.unknown {
		sops.MarkUnknown(n)
	}
}

func (r *revealer) spend(bytes int) bool {
	if r.room -= int64(max(bytes, 0)); r.room < 0 {
		r.tooMuch = true
	}
	return !r.tooMuch
}
