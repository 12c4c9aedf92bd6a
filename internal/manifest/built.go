package manifest

import (
	"cmp"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Built is a document that a program made of the files of a folder. A problem names the place of the file, and not the
// place in the program's output.
type Built struct {
	Text []byte
	// At is the place of the document that Text was made of.
	At Origin
	// Places are the places of the values in Text, by line. The first line is the first element.
	Places []Origin
	// Name is the object's name before the program changed it; "" if it is unknown: see [Object.WrittenName].
	Name string
}

// built makes objects of documents that a program made.
func (l *loader) built(all []Built, sealed []SealedFile) {
	tokens, ok := l.unseal(sealed)
	if !ok {
		return
	}
	defer func() { l.opened, l.secret, l.parts = nil, nil, nil }()
	for i := range all {
		b := &all[i]
		l.documents++
		l.bytes += int64(len(b.Text))
		switch {
		case l.documents > l.opts.MaxDocuments:
			l.tooMany(b.At.File)
		case l.bytes > l.opts.MaxTotalBytes:
			l.stop(b.At.File, "more than "+bytesText(l.opts.MaxTotalBytes)+" of manifests", l.opts.TooMuch)
		}
		if l.over() {
			return
		}
		c := chunk{text: b.Text, line: 1, places: b.Places, name: b.Name}
		if l.opts.Holding != nil && !l.opts.holds(c.text) {
			continue
		}
		docs := l.parser.parse(b.At.File, c)
		if len(docs) != 1 || docs[0].fault != nil {
			l.lose(Problem{Origin: b.At, What: fmt.Sprintf("gives %d documents that can be read, and not one", len(docs))})
			continue
		}
		l.whole = &c
		if l.reveal(docs[0].root, tokens, b.At) {
			l.document(docs[0].root, b.At, GroupVersionKind{})
		}
	}
}

// reveal puts the values of encrypted files into a document. It returns false if the document is refused.
func (l *loader) reveal(root *yaml.Node, from *tokens, at Origin) bool {
	l.opened, l.secret, l.parts = nil, nil, nil
	if from == nil {
		return true
	}
	secret := func(n *yaml.Node) bool { return from.in(n.Value) }
	if l.loseOpen(root, secret, func(n *yaml.Node) Origin { return l.whole.place(n, at) }) {
		return false
	}
	r := revealer{tokens: from, room: l.opts.MaxTotalBytes - l.bytes}
	before := r.room
	r.document(root)
	l.bytes += before - r.room
	switch {
	case r.tooMuch:
		l.stop(at.File, "more than "+bytesText(l.opts.MaxTotalBytes)+" of manifests after encrypted values are put in", l.opts.TooMuch)
		return false
	case r.indirect && len(r.nodes) > 0:
		l.lose(Problem{Origin: at, What: "has an alias or a merge key beside values of an encrypted file", Fix: "write the values out in place of the alias or the merge key"})
		return false
	case len(r.nodes) > 0:
		l.opened, l.secret, l.parts = from, r.nodes, r.parts
	}
	return true
}

// place returns the place in the program's input of a node that is not located yet.
func (c *chunk) place(n *yaml.Node, document Origin) Origin {
	if n.Line > 0 && n.Line <= len(c.places) {
		return c.places[n.Line-1]
	}
	return document
}

// locate gives the nodes of a document that a program made the places of its files.
func (o *Object) locate(root *yaml.Node) {
	if root == nil || o.from == nil || o.from.places == nil {
		return
	}
	made := o.ownMaking()
	made.written = cmp.Or(made.written, o.from.name)
	if made.other == nil {
		made.other = otherFiles{}
	}
	moved := map[*yaml.Node]bool{}
	made.other.locate(root, o.from.places, moved)
}

// locate gives a node and the nodes in it their places. A node with an anchor can be visited through several aliases.
func (o otherFiles) locate(n *yaml.Node, places []Origin, moved map[*yaml.Node]bool) {
	if moved[n] {
		return
	}
	moved[n] = true
	if n.Line > 0 && n.Line <= len(places) {
		at := places[n.Line-1]
		n.Line, o[n] = at.Line, at.File
	}
	if n.Alias != nil {
		o.locate(n.Alias, places, moved)
	}
	for _, c := range n.Content {
		o.locate(c, places, moved)
	}
}
