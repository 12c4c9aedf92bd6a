package sops

import (
	"cmp"
	"crypto/sha512"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is one encrypted file whose form was checked.
type File struct {
	docs   []*yaml.Node
	meta   metadata
	leaves []leaf
	ends   []int // by document, the number of leaves up to its end
	at     *yaml.Node
}

const encryptAgain = "encrypt the file again with sops"

// Read checks the form of the documents of one file, at least one of which has a block "sops". It removes the blocks from
// the documents. It adds its cost to effort, and refuses the file if that becomes too much.
func Read(docs []*yaml.Node, effort *Effort) (*File, []Problem) {
	f := &File{docs: docs}
	var ps problems
	for i, doc := range docs {
		f.readBlock(&ps, doc, i == 0)
	}
	if len(ps) > 0 {
		return nil, ps
	}
	w := &walker{rule: &f.meta.rule, effort: effort}
	for _, doc := range docs {
		w.document(doc)
		f.ends = append(f.ends, len(w.leaves))
		strip(doc)
	}
	f.leaves = w.leaves
	ps = append(ps, w.problems...)
	for _, l := range f.leaves {
		ps.form(l)
	}
	if len(ps) > 0 {
		return nil, ps
	}
	return f, nil
}

// readBlock reads the block of a document. The first document's block counts, and the other blocks repeat it.
func (f *File) readBlock(ps *problems, doc *yaml.Node, first bool) {
	b := block(doc)
	switch {
	case first && b == nil:
		ps.add(BadDocument, doc, "", "the first document has no block sops, but a later document of the file has one", encryptAgain)
	case b == nil:
		ps.add(BadDocument, doc, "", "the document has no block sops, but the first document of the file has one", encryptAgain)
	case twice(doc):
		ps.add(BadBlock, b, blockName, "the block is written twice", encryptAgain)
	default:
		m, err := parseBlock(b)
		switch {
		case err != nil:
			ps.addf(BadBlock, b, blockName, encryptAgain, "the block is damaged: %v", err)
		case first:
			f.meta, f.at = m, b
		case m.sealedMAC != f.meta.sealedMAC:
			ps.add(BadDocument, b, blockName, "the block differs from the one in the first document, so the document was added from another file", encryptAgain)
		}
	}
}

func twice(doc *yaml.Node) bool {
	count := 0
	for i := 0; i < len(doc.Content); i += 2 {
		if isBlock(doc.Content[i]) {
			count++
		}
	}
	return count > 1
}

// form checks whether a value has the form that the rule of the file requires.
func (ps *problems) form(l leaf) {
	isText := l.node.ShortTag() == "!!str"
	switch {
	case !l.encrypted && isText && Looks(l.node.Value):
		ps.add(Misplaced, l.node, l.field, "the value is encrypted, but the rules of the file require clear text here", encryptAgain)
	case !l.encrypted || l.node.ShortTag() == "!!null" || isText && l.node.Value == "":
	case !isText || !Looks(l.node.Value):
		ps.add(InClear, l.node, l.field, "the value is in clear text, but the rules of the file require encryption here", encryptAgain)
	default:
		if _, err := parseValue(l.node.Value); err != nil {
			ps.addf(BadValue, l.node, l.field, encryptAgain, "the value cannot be decrypted: %v", err)
		}
	}
}

// Secret is an encrypted value.
type Secret struct {
	Node  *yaml.Node
	Field string
}

// Secrets returns the encrypted values of a document, in order. It is called before the values are decrypted.
func (f *File) Secrets(doc int) (list []Secret) {
	for _, l := range f.of(doc) {
		if l.encrypted && Looks(l.node.Value) {
			list = append(list, Secret{l.node, l.field})
		}
	}
	return list
}

func (f *File) of(doc int) []leaf {
	from := 0
	if doc > 0 {
		from = f.ends[doc-1]
	}
	return f.leaves[from:f.ends[doc]]
}

// Opened is the key of a file that was decrypted and whose checksum was right. After [File.Conceal], it has no key.
type Opened struct {
	key  *dataKey
	rule rule
}

// Decrypt replaces the encrypted values by their plain values. If there is a problem, no value is trusted, and the caller
// must drop the documents.
func (f *File) Decrypt(keys *Keys) (*Opened, []Problem) {
	var ps problems
	raw, err := keys.dataKey(&f.meta)
	if err != nil {
		f.refuse(&ps, keys, err)
		return nil, ps
	}
	key, err := newDataKey(raw)
	clear(raw)
	if err != nil {
		ps.addf(BadBlock, f.at, blockName, encryptAgain, "the block is damaged: %v", err)
		return nil, ps
	}
	f.decrypt(key, &ps)
	if len(ps) > 0 {
		return nil, ps
	}
	return &Opened{key, f.meta.rule}, nil
}

// refuse explains why there is no data key.
func (f *File) refuse(ps *problems, keys *Keys, err error) {
	holders := "the file is encrypted for " + strings.Join(f.meta.holders(), ", ")
	switch {
	case !errors.Is(err, errNoFit):
		ps.addf(BadBlock, f.at, blockName, encryptAgain, "the block is damaged: %v", err)
	case len(f.meta.services) > 0 && !f.meta.hasKeys():
		ps.add(KeyServices, f.at, blockName, holders+", and the agent does not use key services", "encrypt it for an age key, too: sops rotate -i --add-age RECIPIENT FILE")
	case keys.None():
		ps.add(NoKey, f.at, blockName, holders+", and there is no private key", "name files with private keys in spec.decryption of the stack's configuration")
	default:
		ps.add(NoKey, f.at, blockName, holders+", and the private keys here are of "+strings.Join(keys.Public(), ", "), "encrypt it for one of these, too: sops rotate -i --add-age RECIPIENT FILE")
	}
}

func (m *metadata) hasKeys() bool {
	return slices.ContainsFunc(m.groups, func(g group) bool { return len(g.age)+len(g.openpgp) > 0 })
}

// macStart is hashed before the values of a file whose checksum covers only the encrypted ones.
var macStart = []byte{0x8a, 0x3f, 0xd2, 0xad, 0x54, 0xce, 0x66, 0x52, 0x7b, 0x10, 0x34, 0xf3, 0xd1, 0x47, 0xbe, 0x0b, 0x0b, 0x97, 0x5b, 0x3b, 0xf4, 0x4f, 0x72, 0xc6, 0xfd, 0xad, 0xec, 0x81, 0x76, 0xf2, 0x7d, 0x69}

// decrypt decrypts all values and compares the checksum.
func (f *File) decrypt(key *dataKey, ps *problems) {
	sum := sha512.New()
	if f.meta.macOnly {
		sum.Write(macStart)
	}
	for _, l := range f.leaves {
		hashed, err := key.reveal(l)
		if err != nil {
			ps.addf(BadValue, l.node, l.field, encryptAgain, "the value cannot be decrypted: %v", err)
			continue
		}
		if l.encrypted || !f.meta.macOnly {
			sum.Write([]byte(hashed))
		}
	}
	written, kind, err := key.open(f.meta.sealedMAC, f.meta.modified)
	mac := fmt.Sprintf("%X", sum.Sum(nil))
	if len(*ps) == 0 && (err != nil || kind != typeString || subtle.ConstantTimeCompare([]byte(written), []byte(mac)) != 1) {
		ps.add(BadMAC, f.at, blockName, "the checksum of the file is wrong, so a value, a document or their order was changed without sops", "change the file with: sops edit FILE")
	}
}

// reveal decrypts a value in place, and returns the text that the checksum covers.
func (k *dataKey) reveal(l leaf) (hashed string, err error) {
	if !l.encrypted || l.node.ShortTag() == "!!null" || l.node.Value == "" {
		v, _, err := valueOf(l.node)
		return v.hashed, err
	}
	plain, kind, err := k.open(l.node.Value, cmp.Or(l.additional, ":"))
	if err != nil {
		return "", err
	}
	return restore(l.node, plain, kind)
}

var errTooMuch = errors.New("the document has longer paths than its file had")

// Again decrypts one document of the file after its text was parsed again, or marks its values as unknown again. The text
// is the one that was decrypted before.
func (o *Opened) Again(doc *yaml.Node) error {
	w := &walker{rule: &o.rule, effort: &Effort{}}
	w.document(doc)
	if w.full {
		return errTooMuch // cannot happen, because the whole file was within the limits
	}
	strip(doc)
	for _, l := range w.leaves {
		if o.key == nil {
			conceal(l)
		} else if _, err := o.key.reveal(l); err != nil {
			return err
		}
	}
	return nil
}
