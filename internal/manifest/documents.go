package manifest

import (
	"cmp"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// file makes objects of the documents of one file, if the file contains a manifest. Only one document at a time is in
// memory.
func (l *loader) file(name string, text []byte) {
	objects, problems, aside := l.objects, len(l.problems), l.aside
	defer func() {
		if l.objects == objects && len(l.problems) == problems && l.aside == aside && !l.stopped && l.opts.Holding == nil {
			l.loaded.Bare = append(l.loaded.Bare, l.inside(name))
		}
	}()
	l.parser.limit = l.opts.MaxDocuments - l.documents
	chunks := l.parser.chunks(name, text)
	if l.documents+len(chunks) > l.opts.MaxDocuments {
		l.tooMany(name)
		return
	}
	needed := func(c chunk) bool { return l.opts.Holding == nil || l.opts.holds(c.text) }
	if l.opts.Holding != nil && !slices.ContainsFunc(chunks, needed) || l.loadEncrypted(name, text, chunks) {
		return
	}
	chunks = slices.DeleteFunc(chunks, func(c chunk) bool { return !needed(c) })
	first, parsed, why := l.firstManifest(name, chunks)
	if why != "" {
		if format, fix := hidden(text, parsed); format != "" {
			l.lose(Problem{Origin: Origin{File: name}, What: format, Fix: fix})
			return
		}
		l.ignore(Origin{File: name}, why)
		return
	}
	for i, c := range chunks {
		var docs []document
		if i == first {
			docs, parsed = parsed, nil
		} else {
			docs = l.parser.parse(name, c)
		}
		if !l.documentsOf(name, c, docs) {
			return
		}
	}
}

// documentsOf makes objects of the documents in one chunk. It returns false if the load has ended.
func (l *loader) documentsOf(name string, c chunk, docs []document) bool {
	for _, d := range docs {
		if l.documents++; l.documents > l.opts.MaxDocuments {
			l.tooMany(name)
		}
		if l.over() {
			return false
		}
		if l.whole = nil; len(docs) == 1 {
			l.whole = &c
		}
		at := Origin{File: name, Line: d.line}
		if d.fault != nil {
			l.lose(Problem{Origin: at, What: d.fault.what, Fix: d.fault.fix})
			continue
		}
		l.document(d.root, at, GroupVersionKind{})
	}
	return true
}

func (l *loader) tooMany(file string) {
	l.stop(file, fmt.Sprintf("more than %d documents", l.opts.MaxDocuments), l.opts.TooMuch)
}

// firstManifest finds the first chunk that contains a manifest, and parses it. If there is none, it returns the reason to
// ignore the file, and parsed is the last chunk.
func (l *loader) firstManifest(name string, chunks []chunk) (at int, parsed []document, why string) {
	why = "nothing in it"
	for i, c := range chunks {
		if l.over() {
			return len(chunks), nil, "not read"
		}
		docs := l.parser.parse(name, c)
		parsed = docs
		for _, d := range docs {
			if l.known.looksLikeManifest(d) {
				return i, docs, ""
			}
			if why == "nothing in it" {
				why = noManifest
			}
			if d.fault != nil && why == noManifest {
				why = "no apiVersion and kind, and " + d.fault.what
			}
		}
	}
	return 0, parsed, why
}

const noManifest = "no document with apiVersion and kind"

// document makes an object of one document or list item. If an item of a typed list has no apiVersion or kind, they are
// those of assumed.
func (l *loader) document(root *yaml.Node, at Origin, assumed GroupVersionKind) {
	verdict := l.known.judge(root, assumed)
	switch {
	case verdict.problem != nil:
		verdict.problem.Origin = Origin{at.File, cmp.Or(verdict.problem.Origin.Line, at.Line)}
		l.lose(*verdict.problem)
	case verdict.ignore != "":
		l.ignore(at, verdict.ignore)
		if verdict.aside {
			l.aside++
			l.loaded.Ignored[len(l.loaded.Ignored)-1].Known = true
		}
	case verdict.list:
		l.list(root, at, verdict.items)
	default:
		l.object(root, at, verdict.gvk)
	}
}

func (l *loader) list(root *yaml.Node, at Origin, assumed GroupVersionKind) {
	_, items := lookup(root, "items")
	if items == nil || isNull(items) {
		return
	}
	if items.Kind != yaml.SequenceNode {
		l.lose(Problem{Origin: Origin{at.File, items.Line}, Field: "items", What: "wants a list, found " + describe(items, true)})
		return
	}
	l.whole = nil
	for _, item := range items.Content {
		if l.known.judge(follow(item), assumed).list {
			l.lose(Problem{Origin: Origin{at.File, item.Line}, What: "a list inside a list", Fix: "put the items of the inner list into the outer list"})
			continue
		}
		if l.documents++; l.documents > l.opts.MaxDocuments {
			l.tooMany(at.File)
		}
		if l.over() {
			return
		}
		l.document(follow(item), Origin{at.File, item.Line}, assumed)
	}
}

// object checks the structure and metadata of a document. It adds the object to the result if the document can be decoded.
func (l *loader) object(root *yaml.Node, at Origin, gvk GroupVersionKind) {
	o := Object{APIVersion: gvk.APIVersion(), Origin: at, body: root, from: l.whole, stays: l.whole == nil}
	o.Key = Key{Group: gvk.Group, Kind: gvk.Kind}
	if name := valueAt(root, "metadata", "name"); name == nil || !l.secret[name] { // messages quote the name
		o.Key.Name = roughName(root)
	}
	if canonical, ok := l.opts.Aliases[gvk.Group]; ok {
		o.Key.Group = canonical
	}
	check := checker{maxDepth: l.opts.MaxDepth, maxAliases: l.opts.MaxAliases, maxNodes: l.opts.MaxPerObject, decrypted: l.opened != nil}
	o.locate(root)
	check.walk(root, nil, 0)
	if l.nodes += check.nodes; l.nodes > l.opts.MaxNodes {
		l.stop(at.File, fmt.Sprintf("more than %d values in all manifests, including the expanded aliases", l.opts.MaxNodes), l.opts.TooMuch)
		return
	}
	l.reportFor(o, check.problems)
	if check.unsafe {
		l.loaded.Lost = true
		return
	}
	switch wrong := l.seal(&o); {
	case len(wrong) > 0:
		l.loaded.Lost = true
		l.reportFor(o, wrong)
		return
	case l.stopped: // it is not known which values of the object are secret
		return
	}
	if l.several {
		o.Key.Name, o.Key.Namespace = written(root, "name"), written(root, "namespace")
		o.Key = o.Key.normal()
		if !l.layered(&o) {
			return
		}
	}
	l.finish(&o)
}

// finish adds an object to the result.
func (l *loader) finish(o *Object) {
	if !l.substitute(o) {
		return
	}
	var meta metadata
	problems := o.decodeMetadata(&meta)
	o.Key.Name, o.Key.Namespace = cmp.Or(meta.Name, o.Key.Name), meta.Namespace
	if len(o.Key.Name) > longestName || len(o.Key.Namespace) > longestName {
		o.Key.Name, o.Key.Namespace = clip(o.Key.Name), clip(o.Key.Namespace) // a wrong name is a problem, and is reported with the others
	}
	o.Key = o.Key.normal()
	o.Labels, o.Annotations = meta.Labels, meta.Annotations
	l.reportFor(*o, problems)
	l.reportFor(*o, l.annotations(o))
	if !IsName(o.Key.Name) || meta.Namespace != "" && !labelPattern.MatchString(meta.Namespace) {
		l.loaded.Lost = true // other objects may refer to this one
	}
	if first, twice := l.seen[o.Key]; twice && o.Key.Name != "" {
		l.report(declaredTwice(o, first))
	} else {
		l.seen[o.Key] = o.Origin
		if l.several {
			l.layers.note(o.Key)
		}
	}
	l.objects++
	if l.opts.Each != nil {
		l.opts.Each(o)
		return
	}
	l.loaded.Objects = append(l.loaded.Objects, *o)
}

// declaredTwice is the problem that an object is declared a second time.
func declaredTwice(o *Object, first Origin) Problem {
	return Problem{Origin: o.Origin, Key: o.Key, What: "already declared at " + first.String(), Fix: "keep one of the two, or rename one"}
}

// substitute puts values into an object. It returns false if the load has to end.
func (l *loader) substitute(o *Object) bool {
	if l.opts.Values == nil || slices.Contains(l.opts.Verbatim, o.Key.Kind) {
		return true
	}
	made := o.ownMaking()
	made.values, made.substituteBy, made.schema = l.opts.Values, l.opts.Substitute, l.opts.schema(o.Key)
	room := l.opts.MaxTotalBytes - l.bytes
	made.written = cmp.Or(made.written, written(o.body, "name"))
	added, sealed, problems := o.substitute(room, l.opts.Used)
	if len(sealed) > 0 {
		made.encrypted = slices.Sorted(slices.Values(slices.Concat(made.encrypted, sealed)))
	}
	o.Key.Name = cmp.Or(written(o.body, "name"), o.Key.Name)
	l.reportFor(*o, problems)
	if len(problems) > 0 {
		l.loaded.Lost = true
	}
	if l.bytes += added; added > room {
		l.stop(o.Origin.File, "more than "+bytesText(l.opts.MaxTotalBytes)+" of manifests after values are put in", l.opts.TooMuch)
		return false
	}
	return true
}
