package definition

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// node is a part of a template: a constant, an expression, a text that contains expressions, or a mapping or list of
// nodes.
type node struct {
	path    string
	literal any
	expr    *expression
	pieces  []piece
	fields  map[string]*node
	list    []*node
	kind    nodeKind
}

type nodeKind int

const (
	literalNode nodeKind = iota
	exprNode
	textNode
	mapNode
	listNode
)

// piece is a part of a text: a constant or an expression.
type piece struct {
	text string
	expr *expression
}

// compiler compiles parts of a definition to nodes. It adds problems to report.
type compiler struct {
	*draft
	lang *language
	// pure is set if expressions of the language cannot use the cloud.
	pure bool
}

// tree compiles a template.
func (c *compiler) tree(path string, from any) *node {
	n := &node{path: path, literal: from}
	switch v := from.(type) {
	case string:
		c.text(n, v)
	case map[string]any:
		n.kind, n.fields = mapNode, make(map[string]*node, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if strings.Contains(key, "${") {
				c.problem(path, fmt.Sprintf("has an expression in the name of a field: %q", clip(key)), "names of fields must be constants")
				continue
			}
			n.fields[key] = c.tree(below(path, key), v[key])
		}
	case []any:
		n.kind = listNode
		for i := range v {
			n.list = append(n.list, c.tree(path+"["+strconv.Itoa(i)+"]", v[i]))
		}
	}
	return n
}

// below returns the path of a field.
func below(path, name string) string {
	if name == "" || strings.ContainsAny(name, ".[]") {
		return path + "[" + name + "]"
	}
	return path + "." + name
}

func (c *compiler) text(n *node, text string) {
	list, err := segments(text)
	if err != nil {
		c.problem(n.path, err.Error(), "write $${ if the text is not an expression")
		return
	}
	if len(list) == 1 && list[0].expr {
		n.kind, n.expr = exprNode, c.expression(n.path, list[0].text)
		return
	}
	n.kind = textNode
	for _, s := range list {
		p := piece{text: s.text}
		if s.expr {
			if p.expr = c.expression(n.path, s.text); p.expr == nil {
				continue
			}
			if !isScalar(p.expr.result) {
				c.problem(n.path, fmt.Sprintf("has the expression %s within a text, but its type is %s", quote(s.text), cel.FormatCELType(p.expr.result)), "convert the expression to a string, or use it as the whole value")
			}
		}
		n.pieces = append(n.pieces, p)
	}
}

// expression compiles an expression. It returns nil if the expression is wrong.
func (c *compiler) expression(path, source string) *expression {
	if c.total.source += len(source) + 10; c.total.source > maxSource {
		if !c.total.said {
			c.problem(path, fmt.Sprintf("exceeds the limit of %d KiB for the expressions of all definitions together", maxSource>>10), "write fewer, or shorter ones")
		}
		c.total.said = true
		c.made.broken = true
		return nil
	}
	if c.stop != nil && c.stop() != nil {
		return nil
	}
	e, err := c.lang.compile(source)
	if err != nil {
		what, fix := c.explain(source, err.Error())
		c.problem(path, what, fix)
		return nil
	}
	return e
}

// wants compiles an expression that must be the whole text and must have a type.
func (c *compiler) wants(path, text string, typ *cel.Type) *expression {
	source, ok, err := singleExpression(text)
	if err != nil || !ok {
		c.problem(path, fmt.Sprintf("must be an expression, found %s", quote(text)), "write ${…}")
		return nil
	}
	e := c.expression(path, source)
	if e == nil {
		return nil
	}
	if !e.result.IsExactType(typ) && e.result.Kind() != types.DynKind && (typ.Kind() != types.ListKind || e.result.Kind() != types.ListKind) {
		c.problem(path, fmt.Sprintf("must be an expression of type %s, found %s", cel.FormatCELType(typ), cel.FormatCELType(e.result)), "")
		return nil
	}
	return e
}

func isScalar(t *cel.Type) bool {
	return slices.Contains([]types.Kind{types.StringKind, types.IntKind, types.UintKind, types.DoubleKind, types.BoolKind, types.DynKind}, t.Kind())
}

func quote(text string) string { return strconv.Quote(clip(text)) }

// omitted is the value of a field that is left out of the manifest.
type omitted struct{}

// value evaluates a node for an object.
func (n *node) value(r *run, variables map[string]any) (any, error) {
	switch n.kind {
	case exprNode:
		v, err := r.native(n.expr, variables)
		if absent(err) && n.expr.selects() {
			return omitted{}, nil
		}
		return v, r.errorAt(n.path, n.expr, err)
	case textNode:
		return n.joined(r, variables)
	case mapNode:
		m := make(map[string]any, len(n.fields))
		for _, name := range slices.Sorted(maps.Keys(n.fields)) {
			v, err := n.fields[name].value(r, variables)
			if err != nil {
				return nil, err
			}
			if _, none := v.(omitted); !none {
				m[name] = v
			}
		}
		return m, nil
	case listNode:
		list := make([]any, 0, len(n.list))
		for _, item := range n.list {
			v, err := item.value(r, variables)
			if err != nil {
				return nil, err
			}
			if _, none := v.(omitted); !none {
				list = append(list, v)
			}
		}
		return list, nil
	case literalNode:
	}
	return n.literal, nil
}

func (n *node) joined(r *run, variables map[string]any) (any, error) {
	var text strings.Builder
	for _, p := range n.pieces {
		if p.expr == nil {
			if err := r.take(len(p.text) / textPerCost); err != nil {
				return nil, err
			}
			text.WriteString(p.text)
			continue
		}
		v, err := r.native(p.expr, variables)
		if err != nil {
			return nil, r.errorAt(n.path, p.expr, err)
		}
		switch v := v.(type) {
		case string:
			text.WriteString(v)
		case int64, bool:
			fmt.Fprint(&text, v)
		case float64:
			text.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
		default:
			return nil, r.errorAt(n.path, p.expr, &errEvaluation{"is neither a text nor a number"})
		}
	}
	return text.String(), nil
}

// selects reports whether the expression is only a field of the object's spec. If that field is not set, the field of
// the template is left out.
func (e *expression) selects() bool {
	rest, ok := strings.CutPrefix(e.source, "schema.spec.")
	if !ok {
		return false
	}
	for name := range strings.SplitSeq(rest, ".") {
		if !fieldName.MatchString(name) {
			return false
		}
	}
	return true
}
