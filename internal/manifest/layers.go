package manifest

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// A load can have layers: see [Part.Layer]. The last layer is read first. Its documents are kept until an earlier layer
// has a document with the same key. So only the documents of later layers stay in memory, which are usually few.
//
//	layer 2: patches ─┐
//	layer 1: patches ─┴─▶ by key
//	layer 0: document ───────┴─▶ merged document ─▶ object
//	                             what is left of layers 1 and 2 ─▶ objects

// draft is a document of a later layer.
type draft struct {
	object *Object
	layer  int
}

// layers are the documents of later layers, by their keys as they are written. Those of the last layer come first.
type layers struct {
	byKey map[Key][]draft
	order []Key
	names map[Key][]string // names of the objects so far, by their keys without the name
}

func (l *layers) note(key Key) {
	of := Key{Group: key.Group, Kind: key.Kind, Namespace: key.Namespace}
	l.names[of] = append(l.names[of], key.Name)
}

// meant returns advice about a key that no earlier layer has.
func (l *layers) meant(key Key) string {
	known := l.names[Key{Group: key.Group, Kind: key.Kind, Namespace: key.Namespace}]
	others := slices.DeleteFunc(slices.Clone(known[:min(len(known), maxCompared)]), func(name string) bool { return name == key.Name })
	return didYouMean(key.Name, others)
}

// layered adds the documents of later layers to an object of the first one. A document of a later layer is kept for
// that. ok is false if the document gives no object now.
func (l *loader) layered(o *Object) (ok bool) {
	if o.Key.Name == "" {
		return true // the missing name is a problem, which is reported with the others
	}
	drafts := l.layers.byKey[o.Key]
	if l.layer == 0 {
		if drafts == nil {
			return true
		}
		delete(l.layers.byKey, o.Key)
		return l.merge(o, l.layer, drafts)
	}
	if n := len(drafts); n > 0 && drafts[n-1].layer == l.layer {
		l.report(declaredTwice(o, drafts[n-1].object.Origin))
		return false
	}
	if drafts == nil {
		l.layers.order = append(l.layers.order, o.Key)
	}
	l.layers.byKey[o.Key] = append(drafts, draft{o, l.layer})
	l.objects++
	return false
}

// remaining makes objects of the documents that the first layer does not have.
func (l *loader) remaining() {
	for _, key := range l.layers.order {
		drafts := l.layers.byKey[key]
		n := len(drafts)
		if n == 0 || l.over() {
			continue
		}
		delete(l.layers.byKey, key)
		o := drafts[n-1].object
		if l.merge(o, drafts[n-1].layer, drafts[:n-1]) {
			l.finish(o)
		}
	}
}

// merge merges drafts, the documents of later layers, into an object of an earlier layer, whose number is first. It
// begins with the last document. It returns false if the documents delete the object.
func (l *loader) merge(o *Object, first int, drafts []draft) (ok bool) {
	chain := []*Object{o}
	for _, d := range slices.Backward(drafts) {
		chain = append(chain, d.object)
	}
	begin := 0
	for i, one := range chain {
		value := valueAt(one.body, directive)
		switch {
		case value == nil:
		case value.Value == directiveReplace:
			begin = i
		case value.Value == directiveDelete:
			if i == begin {
				l.lose(Problem{Origin: one.Origin, Key: o.Key, What: "no earlier layer has it, so that it cannot be removed", Fix: l.layers.meant(o.Key)})
			}
			begin = i + 1
		default:
			l.lose(Problem{Origin: one.Origin, Key: o.Key, Field: directive, What: "is neither " + directiveDelete + " nor " + directiveReplace,
				Fix: "write one of them; or remove the line, so that the document is merged"})
		}
	}
	if begin == len(chain) {
		l.objects++ // the file of the object has a manifest, although a later layer removes the object
		return false
	}
	*o = *chain[begin]
	made := o.ownMaking()
	made.patches, made.schema = chain[begin+1:], l.opts.schema(o.Key)
	if begin > 0 || first > 0 {
		key := o.Key
		made.alone = func() string { return l.layers.meant(key) }
	}
	secret := map[*yaml.Node]bool{}
	for _, one := range chain[begin:] {
		one.secretNodes(secret)
	}
	problems := o.assemble()
	o.secretFields(secret)
	if len(problems) > 0 {
		l.loaded.Lost = true
	}
	l.reportFor(*o, problems)
	return true
}

// assemble merges the patches of an object into its document.
func (o *Object) assemble() []Problem {
	if o.body == nil {
		return nil
	}
	if _, value := lookup(o.body, directive); value != nil {
		o.body = without(o.body, directive)
	}
	made := o.making()
	if len(made.patches) == 0 {
		return nil
	}
	m := merger{other: otherFiles{}, file: o.Origin.File, hidden: made.opened != nil}
	for _, patch := range made.patches {
		m.hidden = m.hidden || patch.making().opened != nil
	}
	for _, patch := range made.patches {
		if patch.Origin.File != o.Origin.File {
			m.other.add(patch.body, patch.Origin.File)
		}
		o.body = m.documents(o.body, patch.body, made.schema)
	}
	made.other = m.other
	return m.problems
}

// without returns a copy of a mapping without one of its keys.
func without(n *yaml.Node, name string) *yaml.Node {
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != name {
			out.Content = append(out.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &out
}
