package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/sops"
)

// Decryption says how a load treats files that SOPS encrypted. The zero value refuses them, because no key fits.
type Decryption struct {
	Keys *sops.Keys
	// Unknown is true if nothing is decrypted. The encrypted values are then unknown: see [Object.Unknown].
	Unknown bool
}

// loadEncrypted loads a file that SOPS encrypted. It returns false for any other file. All documents of the file are in memory
// together, because one checksum covers them.
func (l *loader) loadEncrypted(name string, text []byte, chunks []chunk) bool {
	if !bytes.Contains(text, []byte("sops")) {
		return false
	}
	parsed := make([][]document, len(chunks))
	var roots []*yaml.Node
	var faults []Problem
	manifest := false
	for i, c := range chunks {
		parsed[i] = l.parser.parse(name, c)
		for _, d := range parsed[i] {
			manifest = manifest || l.known.looksLikeManifest(d)
			if d.fault != nil {
				faults = append(faults, Problem{Origin: Origin{name, d.line}, What: d.fault.what, Fix: d.fault.fix})
			} else {
				roots = append(roots, d.root)
			}
		}
	}
	switch {
	case !manifest || !slices.ContainsFunc(roots, sops.Has):
		return false
	case l.opts.Holding != nil && l.opts.Decryption == (Decryption{}): // package resolve refuses definitions in encrypted files
		return true
	}
	for _, fault := range faults {
		l.lose(fault)
	}
	if len(faults) > 0 || !l.decrypt(name, roots) {
		return true
	}
	defer func() { l.opened, l.secret = nil, nil }()
	for i, c := range chunks {
		if !l.documentsOf(name, c, parsed[i]) {
			break
		}
	}
	return true
}

// decrypt decrypts the documents of one file in place. It returns false if the file is refused.
func (l *loader) decrypt(name string, roots []*yaml.Node) bool {
	refuse := func(list []sops.Problem) {
		for _, p := range problemsOf(name, list) {
			l.lose(p)
		}
	}
	file, problems := sops.Read(roots, &l.effort)
	if len(problems) > 0 {
		refuse(problems)
		return false
	}
	l.secret = map[*yaml.Node]bool{}
	for i := range roots {
		for _, s := range file.Secrets(i) {
			l.secret[s.Node] = true
		}
	}
	if l.loseAllOpen(name, roots) {
		return false
	}
	if l.opts.Decryption.Unknown {
		l.opened = file.Conceal()
		return true
	}
	key, problems := file.Decrypt(l.opts.Decryption.Keys)
	if len(problems) > 0 {
		refuse(problems)
		return false
	}
	l.opened = key
	return true
}

// openFields are the fields that everybody sees, so that no value below them may be encrypted.
var openFields = []string{"apiVersion", "kind", "metadata"}

func isOpen(at Origin, field string) Problem {
	return Problem{Origin: at, Field: field, What: "is encrypted, but everybody sees this field",
		Fix: "encrypt only the fields with secrets: sops encrypt --encrypted-regex '^(data|stringData)$'; if the file belongs to another program, exclude it with spec.source.exclude"}
}

// loseAllOpen does the same as loseOpen for the documents of a file that is not decrypted yet. It leaves out documents whose kind is
// not one of the caller's.
func (l *loader) loseAllOpen(name string, roots []*yaml.Node) (lost bool) {
	secret := func(n *yaml.Node) bool { return n != nil && l.secret[n] }
	place := func(n *yaml.Node) Origin { return Origin{name, n.Line} }
	for _, root := range roots {
		known := secret(valueAt(root, "apiVersion")) || secret(valueAt(root, "kind")) || l.known.judge(root, GroupVersionKind{}).ignore == ""
		if known && l.loseOpen(root, secret, place) {
			lost = true
		}
	}
	return lost
}

// loseOpen reports the encrypted values below [openFields] in a document and in the items of a list. It is called before any value is
// decrypted and before the document is recognised, because messages about kinds and names quote them. It returns false if there are none.
func (l *loader) loseOpen(root *yaml.Node, secret func(*yaml.Node) bool, place func(*yaml.Node) Origin) (lost bool) {
	head := func(n *yaml.Node, at *fieldPath) {
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if !slices.Contains(openFields, name) {
				continue
			}
			paths(n.Content[i+1], at.field(name), func(n *yaml.Node, at *fieldPath) {
				if !l.stopped && secret(n) {
					lost = true
					l.lose(isOpen(place(n), at.String()))
				}
			})
		}
	}
	head(root, nil)
	if lost || !l.known.judge(root, GroupVersionKind{}).list {
		return lost
	}
	var list *fieldPath
	if _, items := lookup(root, "items"); items != nil && items.Kind == yaml.SequenceNode {
		for i, item := range items.Content {
			head(follow(item), list.field("items").item(i))
		}
	}
	return lost
}

// seal finds the encrypted values of an object. It returns problems for those that cannot be kept secret.
func (l *loader) seal(o *Object) (problems []Problem) {
	if l.opened == nil {
		return nil
	}
	made := o.ownMaking()
	made.opened, made.parts = l.opened, l.parts
	paths(o.body, nil, func(n *yaml.Node, at *fieldPath) {
		if !l.secret[n] || l.stopped {
			return
		}
		field := at.String()
		if l.bytes += int64(len(field)); l.bytes > l.opts.MaxTotalBytes { // a short file can have many encrypted values with long paths
			l.stop(o.Origin.File, "more than "+bytesText(l.opts.MaxTotalBytes)+" of manifests and paths of encrypted values", l.opts.TooMuch)
			return
		}
		made.encrypted = append(made.encrypted, field)
		if !slices.Equal(Steps(field), at.steps()) {
			problems = append(problems, Problem{Origin: made.other.place(n, o.Origin.File), Field: field, What: "is encrypted below a key that is too long or has brackets",
				Fix: "rename the key, or leave the value in clear text"})
		}
		if slices.Contains(openFields, splitPath(field)[0].name) {
			problems = append(problems, isOpen(made.other.place(n, o.Origin.File), field))
		}
	})
	slices.Sort(made.encrypted)
	return problems
}

// paths visits the scalars of a document without aliases.
func paths(n *yaml.Node, at *fieldPath, visit func(*yaml.Node, *fieldPath)) {
	if n == nil {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			paths(n.Content[i+1], at.field(n.Content[i].Value), visit)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			paths(item, at.item(i), visit)
		}
	case yaml.ScalarNode:
		visit(n, at)
	}
}

// Encrypted lists the fields of the object that are encrypted in the repository, in order.
func (o *Object) Encrypted() []string { return o.making().encrypted }

// Unknown reports whether the object has encrypted values that were not decrypted. Its fields with such values are
// decoded as if they had the zero value.
func (o *Object) Unknown() bool {
	unknown := func(o *Object) bool { return o.making().opened != nil && o.making().opened.Unknown() }
	return len(o.making().encrypted) > 0 && (unknown(o) || slices.ContainsFunc(o.making().patches, unknown))
}

// Decrypted reports whether the object has values that were decrypted, or come from a Secret. No message may show them.
func (o *Object) Decrypted() bool {
	return o != nil && len(o.making().encrypted) > 0 && !o.Unknown()
}

// secretNodes adds the nodes of the encrypted values in the object's document.
func (o *Object) secretNodes(to map[*yaml.Node]bool) {
	encrypted := o.making().encrypted
	if len(encrypted) == 0 {
		return
	}
	paths(o.body, nil, func(n *yaml.Node, at *fieldPath) {
		if _, found := slices.BinarySearch(encrypted, at.String()); found {
			to[n] = true
		}
	})
}

// secretFields sets the encrypted fields of a document that was merged from several ones.
func (o *Object) secretFields(secret map[*yaml.Node]bool) {
	made := o.ownMaking()
	made.encrypted = nil
	if len(secret) == 0 {
		return
	}
	paths(o.body, nil, func(n *yaml.Node, at *fieldPath) {
		if secret[n] {
			made.encrypted = append(made.encrypted, at.String())
		}
	})
	slices.Sort(made.encrypted)
}

// Encrypts reports whether a field has an encrypted value, or is a part of one, or has one as a part.
func (o *Object) Encrypts(field string) bool { return o != nil && Touches(o.making().encrypted, field) }

// Touches reports whether one of the fields is the given field, lies within it or has it within. The fields are sorted, because
// a file of strangers can have a hundred thousand of them.
func Touches(fields []string, field string) bool {
	if len(fields) == 0 {
		return false
	}
	for end := 0; end <= len(field); end++ {
		if end < len(field) && field[end] != '.' && field[end] != '[' {
			continue
		}
		if _, found := slices.BinarySearch(fields, field[:end]); found {
			return true
		}
	}
	return slices.ContainsFunc([]string{field + ".", field + "["}, func(below string) bool {
		at, _ := slices.BinarySearch(fields, below)
		return at < len(fields) && strings.HasPrefix(fields[at], below)
	})
}

// Plain returns the texts of the encrypted values, in the order of [Object.Encrypted]. Unknown values have their encrypted
// text.
func (o *Object) Plain() []string {
	encrypted := o.making().encrypted
	if len(encrypted) == 0 {
		return nil
	}
	values := map[string]string{}
	paths(o.root(), nil, func(n *yaml.Node, at *fieldPath) { values[at.String()] = n.Value })
	out := make([]string, len(encrypted))
	for i, field := range encrypted {
		out[i] = values[field]
	}
	return out
}

// again decrypts a document that was parsed again.
func (o *Object) again(root *yaml.Node) *yaml.Node {
	opened := o.making().opened
	if opened == nil || root == nil {
		return root
	}
	if opened.Again(root) != nil {
		return nil
	}
	return root
}
