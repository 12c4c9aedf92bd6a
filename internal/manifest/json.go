package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxJSONDepth limits the recursion of the parser. Options.MaxDepth is checked later, when the line is known.
const maxJSONDepth = 1000

// jsonReader builds the nodes that the YAML parser would build, but follows the rules of JSON. So surrogate pairs in
// strings are allowed, and comments and unquoted words are not.
type jsonReader struct {
	text []byte
	dec  *json.Decoder
	line int
	seen int64 // the offset up to which the lines of the text are counted
}

// parseJSON parses one JSON value or several.
func parseJSON(text []byte) ([]*yaml.Node, error) {
	r := &jsonReader{text: text, dec: json.NewDecoder(bytes.NewReader(text)), line: 1}
	r.dec.UseNumber()
	var roots []*yaml.Node
	for {
		token, err := r.dec.Token()
		if errors.Is(err, io.EOF) {
			return roots, nil
		}
		if err == nil {
			var root *yaml.Node
			if root, err = r.node(token, 0); err == nil {
				roots = append(roots, root)
				continue
			}
		}
		return roots, r.explain(err)
	}
}

func (r *jsonReader) node(token json.Token, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: r.here()}
	switch t := token.(type) {
	case json.Delim:
		if depth > maxJSONDepth {
			return nil, fmt.Errorf("nested deeper than %d", maxJSONDepth)
		}
		n.Kind, n.Tag = yaml.MappingNode, tagMap
		if t == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, tagSeq
		}
		return n, r.children(n, depth+1)
	case string:
		n.Tag, n.Value, n.Style = tagString, t, yaml.DoubleQuotedStyle
	case json.Number:
		n.Tag, n.Value = tagFloat, t.String()
		if isDigits(n.Value) {
			n.Tag = tagInt
		}
	case bool:
		n.Tag, n.Value = tagBool, fmt.Sprint(t)
	default:
		n.Tag, n.Value = tagNull, "null"
	}
	return n, nil
}

func (r *jsonReader) children(parent *yaml.Node, depth int) error {
	for {
		token, err := r.dec.Token()
		if err != nil {
			return err
		}
		if d, ok := token.(json.Delim); ok && (d == '}' || d == ']') {
			return nil
		}
		child, err := r.node(token, depth)
		if err != nil {
			return err
		}
		parent.Content = append(parent.Content, child)
	}
}

// here returns the line of the last token.
func (r *jsonReader) here() int {
	to := r.dec.InputOffset()
	r.line += bytes.Count(r.text[r.seen:to], []byte{'\n'})
	r.seen = to
	return r.line
}

func (r *jsonReader) explain(err error) error {
	line := r.here()
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line = 1 + bytes.Count(r.text[:min(int(syntax.Offset), len(r.text))], []byte{'\n'})
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends inside a JSON value")
	}
	fix := ""
	if strings.HasPrefix(err.Error(), "invalid character '}'") || strings.HasPrefix(err.Error(), "invalid character ']'") {
		fix = "remove the comma before it"
	}
	return &syntaxError{line: line, what: "not valid JSON: " + err.Error(), fix: fix}
}

func isDigits(s string) bool {
	if len(s) > 0 && s[0] == '-' {
		s = s[1:]
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
