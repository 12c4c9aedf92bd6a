package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Value is the text that ${name} stands for.
type Value struct {
	Text   string
	Secret bool // reports whether nobody may see it
}

// Values are the values of a load, by name. They replace ${name} and ${name:-default} in these strings of an object:
//
//	metadata.name                    always
//	spec, without fields that are    unless the annotation Options.Substitute is "none"
//	secret, such as scripts
//	secret fields, and fields        if it is "all"
//	beside spec
//
// $${ stands for ${ itself. Values and defaults are not searched for further names.
type Values map[string]Value

// The values of the annotation [Options.Substitute].
const (
	SubstituteAll  = "all"
	SubstituteNone = "none"
)

// ValueName matches the names of values.
var ValueName = pattern.Of(`^[A-Za-z_][A-Za-z0-9_]*$`)

// MaxValue is the maximum length of a value in bytes.
const MaxValue = 64 << 10

// substitution replaces names by values in one object.
type substitution struct {
	merger   // has the places of nodes
	values   Values
	all      bool
	room     int64           // number of bytes that may be added
	used     map[string]bool // nil if nobody asks
	secrets  []string
	sealed   []string // the fields with secret values
	naming   bool     // reports whether the name of the object is made
	hidden   bool     // reports whether the text may be secret, so that no message quotes it
	overflow bool
}

// substitute replaces the names of values in the object's document. It returns the number of bytes that it has
// added, and the fields with secret values.
func (o *Object) substitute(room int64, used map[string]bool) (added int64, sealed []string, problems []Problem) {
	made := o.making()
	if made.values == nil || o.body == nil {
		return 0, nil, nil
	}
	if made.other == nil {
		made.other = otherFiles{}
	}
	mode := o.mode()
	s := &substitution{merger: merger{other: made.other, file: o.Origin.File}, values: made.values, all: mode == SubstituteAll, room: room, used: used}
	encrypted := len(made.encrypted) > 0 || made.opened != nil
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: tagMap}
	s.copied(o.body, out)
	for _, e := range entries(o.body) {
		at := (*fieldPath)(nil).field(e.key.Value)
		value := e.value
		s.hidden = encrypted || e.key.Value != "spec" && e.key.Value != "metadata"
		switch {
		case e.key.Value == "metadata":
			value = s.name(value, at)
		case mode == SubstituteNone || isHead(e.key.Value) || e.key.Value != "spec" && !s.all:
		default:
			value = s.node(value, valueType{typ: made.schema, head: true}.field(e.key.Value), at)
		}
		out.Content = append(out.Content, e.key, value)
	}
	o.body, made.secrets = out, s.secrets
	return room - s.room, s.sealed, s.problems
}

// mode returns the value of the annotation Options.Substitute.
func (o *Object) mode() string {
	value := valueAt(o.body, "metadata", "annotations", o.making().substituteBy)
	if value == nil {
		return ""
	}
	return value.Value
}

// valueAt returns the value at a path of mappings, merged keys included, or nil if there is none.
func valueAt(n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		if n == nil || n.Kind != yaml.MappingNode {
			return nil
		}
		all := entries(n)
		i := slices.IndexFunc(all, func(e entry) bool { return e.key.Value == name })
		if i < 0 {
			return nil
		}
		n = all[i].value
	}
	return n
}

// meant returns advice about an unknown name. It compares the name only with some of the values, and only for the problems
// that people read.
func (s *substitution) meant(name string) string {
	if len(s.problems) >= maxAdvice {
		return "correct the name"
	}
	names := slices.Sorted(maps.Keys(s.values))
	return didYouMean(name, names[:min(len(names), maxCompared)])
}

// Secrets returns the secret values that were put into texts of the document.
func (o *Object) Secrets() []string { return slices.Concat(o.making().secrets, o.making().parts) }

func (s *substitution) name(meta *yaml.Node, at *fieldPath) *yaml.Node {
	if meta.Kind != yaml.MappingNode {
		return meta
	}
	s.naming = true
	defer func() { s.naming = false }()
	return s.mapping(meta, func(name string) (valueType, bool) { return valueType{typ: TypeFor[string]()}, name == "name" }, at)
}

// node returns a value with the names replaced. It is the same node if there are none.
func (s *substitution) node(n *yaml.Node, of valueType, at *fieldPath) *yaml.Node {
	if of.rules.secret && !s.all || s.overflow {
		return n
	}
	switch n.Kind {
	case yaml.MappingNode:
		return s.mapping(n, func(name string) (valueType, bool) { return of.field(name), true }, at)
	case yaml.SequenceNode:
		var out *yaml.Node
		for i, item := range n.Content {
			item = follow(item)
			made := s.node(item, of.item(), at.item(i))
			if made == item {
				continue
			}
			if out == nil {
				out = &yaml.Node{Kind: n.Kind, Tag: n.Tag, Content: slices.Clone(n.Content)}
				s.copied(n, out)
			}
			out.Content[i] = made
		}
		if out != nil {
			return out
		}
	case yaml.ScalarNode:
		if n.ShortTag() == tagString && strings.Contains(n.Value, "${") {
			return s.scalar(n, of, at)
		}
	}
	return n
}

// mapping substitutes values in the fields of a mapping for which within returns true. within also returns the type of a field.
func (s *substitution) mapping(n *yaml.Node, within func(name string) (valueType, bool), at *fieldPath) *yaml.Node {
	all, changed := entries(n), false
	for i, e := range all {
		of, ok := within(e.key.Value)
		if !ok {
			continue
		}
		if made := s.node(e.value, of, at.field(e.key.Value)); made != e.value {
			all[i].value, changed = made, true
		}
	}
	if !changed {
		return n
	}
	out := &yaml.Node{Kind: n.Kind, Tag: n.Tag}
	s.copied(n, out)
	for _, e := range all {
		out.Content = append(out.Content, e.key, e.value)
	}
	return out
}

// scalar returns the string with its names replaced. The field that gets it decides which type it has. If the type of the
// field is unknown, a text that consists of one name, without quotes, has the type of the value.
func (s *substitution) scalar(n *yaml.Node, of valueType, at *fieldPath) *yaml.Node {
	before, hidden := len(s.secrets), s.hidden
	s.hidden = hidden || of.rules.secret
	text, whole := s.expand(n, at)
	s.hidden = hidden
	out := &yaml.Node{Kind: yaml.ScalarNode, Tag: tagString, Value: text, Style: yaml.DoubleQuotedStyle}
	switch of.typ.shape() {
	case intShape, uintShape, floatShape, boolShape:
		out.Tag, out.Style = "", 0
	case stringShape, textual, bytesShape:
	default:
		if whole && n.Style == 0 && text != "" {
			out.Tag, out.Style = "", 0
		}
	}
	s.copied(n, out)
	if len(s.secrets) > before {
		if s.sealed = append(s.sealed, at.String()); !slices.Equal(Steps(at.String()), at.steps()) {
			s.problem(n, at, "has a value from a Secret below a key that is too long or has brackets", "rename the key, or use a value that is no secret")
		}
	}
	return out
}

// expand returns the text of a scalar with its names replaced. whole reports whether the text consists of one name.
func (s *substitution) expand(n *yaml.Node, at *fieldPath) (result string, whole bool) {
	var out strings.Builder
	rest := n.Value
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			break
		}
		if i > 0 && rest[i-1] == '$' {
			out.WriteString(rest[:i-1] + "${")
			rest = rest[i+2:]
			continue
		}
		out.WriteString(rest[:i])
		inner, after, closed := strings.Cut(rest[i+2:], "}")
		if !closed {
			s.problem(n, at, "has ${ without }", escapeFix)
			return out.String(), false
		}
		text := s.value(n, inner, at)
		if s.room -= int64(len(text)); s.room < 0 {
			s.overflow = true
			return out.String(), false
		}
		out.WriteString(text)
		whole = i == 0 && after == "" && len(inner)+3 == len(n.Value)
		rest = after
	}
	return out.String() + rest, whole
}

const escapeFix = "write ${name} or ${name:-default} for a value, and $${ for the text ${ itself"

func (s *substitution) value(n *yaml.Node, inner string, at *fieldPath) string {
	name, def, hasDefault := strings.Cut(inner, ":-")
	if !ValueName.MatchString(name) {
		what := "${" + clip(inner) + "} is no name of a value"
		if s.hidden {
			what = "has ${ before a text that is no name of a value"
		}
		s.problem(n, at, what, escapeFix)
		return ""
	}
	v, known := s.values[name]
	if s.used != nil {
		s.used[name] = true
	}
	switch {
	case known && v.Secret && s.naming:
		s.problem(n, at, fmt.Sprintf("the value %s is from a Secret, and everybody can read names", name), "use a value that is no secret")
		return ""
	case known && v.Secret && v.Text != "":
		s.secrets = append(s.secrets, v.Text)
	case !known && hasDefault:
		return def
	case !known && s.hidden:
		s.problem(n, at, "has ${ before a name that is no value of the stack", escapeFix)
	case !known:
		s.problem(n, at, fmt.Sprintf("the stack has no value %s", name), s.meant(name)+"; or "+escapeFix)
	}
	return v.Text
}
