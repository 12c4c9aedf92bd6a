package sops

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha512"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"filippo.io/age"
	agearmor "filippo.io/age/armor"
	"go.yaml.in/yaml/v3"
)

// Encryption says for whom a file is encrypted, and which values.
type Encryption struct {
	Recipients []string // age recipients
	// Field and Expression are the rule: a field of the block such as encrypted_regex, and its value.
	Field, Expression string
	MACOnly           bool // the checksum covers only the encrypted values
}

// UsualField and UsualExpression are the rule for manifests of Kubernetes' form.
const (
	UsualField      = "encrypted_regex"
	UsualExpression = "^(data|stringData)$"
)

// formatVersion is the release of SOPS whose format is written.
const formatVersion = "3.9.0"

// These are the reasons why a text is not encrypted.
var (
	ErrEncrypted = errors.New("the file is encrypted already")
	ErrNothing   = errors.New("the rule encrypts no value of the file")
	ErrNobody    = errors.New("no recipient is named")
)

// Encrypt encrypts the documents of a YAML file. Comments in encrypted parts are encrypted, too.
func Encrypt(text []byte, e Encryption, now time.Time) ([]byte, error) {
	r, err := e.rule()
	if err != nil {
		return nil, err
	}
	docs, err := documents(text)
	if err != nil {
		return nil, err
	}
	raw := make([]byte, keySize)
	if _, err := rand.Read(raw); err != nil {
		return nil, err
	}
	defer clear(raw)
	envelopes, err := e.envelopes(raw)
	if err != nil {
		return nil, err
	}
	key, err := newDataKey(raw)
	if err != nil {
		return nil, err
	}
	modified := now.UTC().Format(time.RFC3339)
	mac, err := key.sealAll(docs, r, e.MACOnly, modified)
	if err != nil {
		return nil, err
	}
	return write(docs, func() *yaml.Node { return e.block(envelopes, modified, mac) })
}

func (e Encryption) rule() (*rule, error) {
	block := &yaml.Node{Kind: yaml.MappingNode, Content: pair(cmp.Or(e.Field, UsualField), cmp.Or(e.Expression, UsualExpression))}
	r, err := parseRule(block)
	return &r, err
}

// documents parses a plain file. The nodes are documents, whose comments are kept.
func documents(text []byte) (docs []*yaml.Node, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		doc := &yaml.Node{}
		err := dec.Decode(doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the file is no YAML: %w", err)
		}
		if root := doc.Content[0]; Has(root) {
			return nil, ErrEncrypted
		}
		docs = append(docs, doc)
	}
	if len(docs) == 0 {
		return nil, ErrNothing
	}
	return docs, nil
}

// sealAll encrypts the values and comments of the documents in place, and returns the encrypted checksum.
func (k *dataKey) sealAll(docs []*yaml.Node, r *rule, macOnly bool, modified string) (string, error) {
	var failed error
	w := &walker{rule: r, effort: &Effort{}, comment: func(text, additional string) string {
		sealed, err := k.seal(text, "comment", additional)
		failed = errors.Join(failed, err)
		return sealed
	}}
	for _, doc := range docs {
		root := doc.Content[0]
		root.HeadComment, doc.HeadComment = strings.TrimPrefix(doc.HeadComment+"\n\n"+root.HeadComment, "\n\n"), ""
		w.document(root)
	}
	if len(w.problems) > 0 {
		p := w.problems[0]
		return "", fmt.Errorf("line %d: %s: %s", p.Line, p.Field, p.What)
	}
	sum, count := sha512.New(), 0
	if macOnly {
		sum.Write(macStart)
	}
	for _, l := range w.leaves {
		v, given, err := valueOf(l.node)
		if err != nil {
			return "", fmt.Errorf("line %d: %s: %w", l.node.Line, l.field, err)
		}
		if l.encrypted || !macOnly {
			sum.Write([]byte(v.hashed))
		}
		if !l.encrypted || !given || v.hashed == "" {
			continue
		}
		sealed, err := k.seal(v.hashed, v.kind, cmp.Or(l.additional, ":"))
		if err != nil {
			return "", err
		}
		l.node.Tag, l.node.Style, l.node.Value = "!!str", 0, sealed
		count++
	}
	if count == 0 {
		return "", ErrNothing
	}
	mac, err := k.seal(fmt.Sprintf("%X", sum.Sum(nil)), typeString, modified)
	return mac, errors.Join(failed, err)
}

// envelopes encrypts the data key for each recipient.
func (e Encryption) envelopes(key []byte) (list []envelope, err error) {
	if len(e.Recipients) == 0 {
		return nil, ErrNobody
	}
	for _, name := range e.Recipients {
		recipient, err := parseRecipient(name)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		armored := agearmor.NewWriter(&b)
		w, err := age.Encrypt(armored, recipient)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(key); err != nil {
			return nil, err
		}
		if err := errors.Join(w.Close(), armored.Close()); err != nil {
			return nil, err
		}
		list = append(list, envelope{name, b.String()})
	}
	return list, nil
}

// parseRecipient reads a public key of age. Plugins and SSH keys are refused.
func parseRecipient(name string) (age.Recipient, error) {
	if r, err := age.ParseX25519Recipient(name); err == nil {
		return r, nil
	}
	if r, err := age.ParseHybridRecipient(name); err == nil {
		return r, nil
	}
	return nil, fmt.Errorf("%q is no age recipient as age-keygen prints it; it begins with age1", clipped(name))
}

// block makes the block "sops" of a document.
func (e Encryption) block(envelopes []envelope, modified, mac string) *yaml.Node {
	holders := &yaml.Node{Kind: yaml.SequenceNode}
	for _, one := range envelopes {
		item := &yaml.Node{Kind: yaml.MappingNode, Content: append(pair("recipient", one.holder), pair("enc", one.text)...)}
		item.Content[3].Style = yaml.LiteralStyle
		holders.Content = append(holders.Content, item)
	}
	b := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{scalar("age"), holders}}
	add := func(name, value string) { b.Content = append(b.Content, pair(name, value)...) }
	add("lastmodified", modified)
	b.Content[len(b.Content)-1].Style = yaml.DoubleQuotedStyle
	add("mac", mac)
	if e.MACOnly {
		b.Content = append(b.Content, scalar("mac_only_encrypted"), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
	add(cmp.Or(e.Field, UsualField), cmp.Or(e.Expression, UsualExpression))
	add("version", formatVersion)
	return b
}

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func pair(name, value string) []*yaml.Node { return []*yaml.Node{scalar(name), scalar(value)} }

// write writes the documents with a block each.
func write(docs []*yaml.Node, block func() *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	for _, doc := range docs {
		root := doc.Content[0]
		root.Style &^= yaml.FlowStyle
		root.Content = append(root.Content, scalar(blockName), block())
		if err := enc.Encode(doc); err != nil {
			return nil, err
		}
	}
	err := enc.Close()
	return b.Bytes(), err
}
