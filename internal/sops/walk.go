package sops

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// leaf is a scalar of a document, in the order of the checksum.
type leaf struct {
	node       *yaml.Node
	additional string // the names on the path, as the encryption authenticates them
	field      string // the path for people
	encrypted  bool   // the rule of the file requires encryption
}

// walker visits the values and comments of documents in the order in which SOPS does. A comment belongs to the value after
// it.
type walker struct {
	rule     *rule
	comments [][]string // by depth, the comments before the present value
	leaves   []leaf
	problems problems
	// comment, if set, returns the text by which a comment that has to be encrypted is replaced.
	comment func(text, additional string) string
}

// place is the position of a value.
type place struct {
	additional, field string
	named             bool
	depth             int
}

func (p place) below(name string, r *rule) place {
	field := p.field + "." + name
	if strings.ContainsAny(name, ".[]") {
		field = p.field + "[" + name + "]"
	}
	return place{p.additional + name + ":", strings.TrimPrefix(field, "."), p.named || r.names(name), p.depth + 1}
}

// document visits a document, except its block "sops".
func (w *walker) document(doc *yaml.Node) {
	if doc.Kind != yaml.MappingNode {
		w.problems.add(Unsupported, doc, "", "SOPS encrypts only documents that are mappings", "encrypt a manifest with apiVersion and kind")
		return
	}
	w.comments = nil
	w.mapping(doc, place{}, true)
}

// note adds the lines of comments, which begin with "#", to the comments of the next value.
func (w *walker) note(texts *string, at place) {
	if *texts == "" {
		return
	}
	level := &w.comments[len(w.comments)-1]
	lines := strings.Split(*texts, "\n")
	for i, line := range lines {
		if line == "" {
			continue
		}
		text := line[1:]
		*level = append(*level, text)
		if w.comment != nil && w.rule.encrypts(at.named, w.comments, true) {
			additional := at.additional
			if additional == "" {
				additional = ":"
			}
			lines[i] = "#" + w.comment(text, additional)
		}
	}
	*texts = strings.Join(lines, "\n")
}

func (w *walker) enter(n *yaml.Node, at place, own bool) {
	w.comments = append(w.comments, nil)
	if own {
		w.note(&n.HeadComment, at)
		w.note(&n.LineComment, at)
	}
}

func (w *walker) leave(n *yaml.Node, at place, own bool) {
	if own {
		w.note(&n.FootComment, at)
	}
	w.comments = w.comments[:len(w.comments)-1]
}

func (w *walker) forget() { w.comments[len(w.comments)-1] = nil }

// mapping visits the entries. The argument own is true if the comments of the node itself belong to its first entry.
func (w *walker) mapping(n *yaml.Node, at place, own bool) {
	w.enter(n, at, own)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if at.depth == 0 && isBlock(key) {
			continue
		}
		w.note(&key.HeadComment, at)
		w.note(&key.LineComment, at)
		scalar := value.Kind == yaml.ScalarNode
		if scalar {
			w.note(&value.HeadComment, at)
			w.note(&value.LineComment, at)
		}
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			w.problems.add(Unsupported, key, at.field, "SOPS encrypts only mappings whose keys are strings", "quote the key, and write merged keys out")
		} else {
			w.value(value, at.below(key.Value, w.rule), true)
		}
		w.forget()
		if scalar {
			w.note(&value.FootComment, at)
		}
		w.note(&key.FootComment, at)
	}
	w.leave(n, at, own)
}

// list visits the items. SOPS writes an encrypted comment of a list as an item, which is removed here.
func (w *walker) list(n *yaml.Node, at place, own bool) {
	w.enter(n, at, own)
	kept := n.Content[:0:0]
	for _, item := range n.Content {
		w.note(&item.HeadComment, at)
		w.note(&item.LineComment, at)
		if !isComment(item) || !w.rule.encrypts(at.named, w.comments, false) {
			below := at
			below.field += "[" + strconv.Itoa(len(kept)) + "]"
			below.depth++
			kept = append(kept, item)
			w.value(item, below, false)
		}
		w.forget()
		w.note(&item.FootComment, at)
	}
	n.Content = kept
	w.leave(n, at, own)
}

func isComment(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && Looks(n.Value) && strings.HasSuffix(n.Value, ",type:comment]")
}

func (w *walker) value(n *yaml.Node, at place, own bool) {
	switch {
	case n.Anchor != "" || n.Kind == yaml.AliasNode:
		w.problems.add(Unsupported, n, at.field, "SOPS writes no anchors and no aliases", "encrypt the file again with sops")
	case at.depth > maxDepth:
		w.problems.addf(Unsupported, n, "", "flatten it", "the document is nested deeper than %d levels", maxDepth)
	case n.Kind == yaml.MappingNode:
		w.mapping(n, at, own)
	case n.Kind == yaml.SequenceNode:
		w.list(n, at, own)
	default:
		w.leaves = append(w.leaves, leaf{n, at.additional, at.field, w.rule.encrypts(at.named, w.comments, false)})
	}
}
