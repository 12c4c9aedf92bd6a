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
	comments []remarks // by depth, the comments before the present value
	leaves   []leaf
	problems problems
	places   int // bytes of all paths
	matched  int // bytes that were compared with the pattern, times its weight
	effort   *Effort
	full     bool // a limit is exceeded, and the walk has ended
	// comment, if set, returns the text by which a comment that has to be encrypted is replaced.
	comment func(text, additional string) string
}

// place is the position of a value.
type place struct {
	additional, field string
	named             bool
	depth             int
}

// Limits for one file, and for all files that share an [Effort]. Each value has its whole path twice, and the file itself gives the names and the
// pattern, so a small file could ask for any amount of memory and time.
const (
	maxPlaces       = 32 << 20
	maxMatched      = 8 << 20 // half a second at most
	maxPlacesOfAll  = 32 * maxPlaces
	maxMatchedOfAll = 16 * maxMatched
)

// Effort is what reading several files has cost. The zero value is ready for use. It must not be used by two goroutines at a time.
type Effort struct{ places, matched int }

// spend adds the bytes of a path, or a comparison, to what the file has cost. It returns false, and ends the walk, if that is over a limit.
func (w *walker) spend(places, matched int, at *yaml.Node) bool {
	w.places, w.matched = w.places+places, w.matched+matched
	w.effort.places, w.effort.matched = w.effort.places+places, w.effort.matched+matched
	over := w.places > maxPlaces || w.matched > maxMatched || w.effort.places > maxPlacesOfAll || w.effort.matched > maxMatchedOfAll
	if over && !w.full {
		w.full = true
		w.problems.add(Unsupported, at, "", "the paths of the values are too long in all, or the rule of the file compares too much text", "divide the file, or shorten its names, comments and rule")
	}
	return !w.full
}

// compares counts a comparison of a text with the pattern of the rule, if there is one.
func (w *walker) compares(text string, at *yaml.Node) bool {
	return w.spend(0, w.rule.weight*(len(text)+1), at)
}

// below returns the place of an entry with the given key.
func (w *walker) below(at place, key *yaml.Node) (place, bool) {
	name := key.Value
	if !w.spend(len(at.field)+len(at.additional)+2*len(name)+3, 0, key) || !at.named && !w.rule.comment && !w.compares(name, key) {
		return place{}, false
	}
	field := at.field + "." + name
	if strings.ContainsAny(name, ".[]") {
		field = at.field + "[" + name + "]"
	}
	return place{at.additional + name + ":", strings.TrimPrefix(field, "."), at.named || w.rule.names(name), at.depth + 1}, true
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
func (w *walker) note(texts *string, at place, n *yaml.Node) {
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
		if w.rule.comment {
			if !w.compares(text, n) {
				return
			}
			if level.last = w.rule.pattern.MatchString(text); level.last {
				level.matching++
			}
		}
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
	w.comments = append(w.comments, remarks{})
	if own {
		w.note(&n.HeadComment, at, n)
		w.note(&n.LineComment, at, n)
	}
}

func (w *walker) leave(n *yaml.Node, at place, own bool) {
	if own {
		w.note(&n.FootComment, at, n)
	}
	w.comments = w.comments[:len(w.comments)-1]
}

func (w *walker) forget() { w.comments[len(w.comments)-1] = remarks{} }

// mapping visits the entries. The argument own is true if the comments of the node itself belong to its first entry.
func (w *walker) mapping(n *yaml.Node, at place, own bool) {
	w.enter(n, at, own)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if at.depth == 0 && isBlock(key) {
			continue
		}
		w.note(&key.HeadComment, at, key)
		w.note(&key.LineComment, at, key)
		scalar := value.Kind == yaml.ScalarNode
		if scalar {
			w.note(&value.HeadComment, at, value)
			w.note(&value.LineComment, at, value)
		}
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			w.problems.add(Unsupported, key, at.field, "SOPS encrypts only mappings whose keys are strings", "quote the key, and write merged keys out")
		} else if below, ok := w.below(at, key); ok {
			w.value(value, below, true)
		}
		if w.full {
			return
		}
		w.forget()
		if scalar {
			w.note(&value.FootComment, at, value)
		}
		w.note(&key.FootComment, at, key)
	}
	w.leave(n, at, own)
}

// list visits the items. SOPS writes an encrypted comment of a list as an item, which is removed here.
func (w *walker) list(n *yaml.Node, at place, own bool) {
	w.enter(n, at, own)
	kept := n.Content[:0:0]
	for _, item := range n.Content {
		w.note(&item.HeadComment, at, item)
		w.note(&item.LineComment, at, item)
		if w.full || !w.spend(len(at.field)+len("[000000]"), 0, item) {
			return
		}
		if !isComment(item) || !w.rule.encrypts(at.named, w.comments, false) {
			below := at
			below.field += "[" + strconv.Itoa(len(kept)) + "]"
			below.depth++
			kept = append(kept, item)
			w.value(item, below, false)
		}
		w.forget()
		w.note(&item.FootComment, at, item)
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
