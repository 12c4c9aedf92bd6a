package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is one document of a file: its tree, or the reason why it could not be read.
type document struct {
	root  *yaml.Node // nil if the document could not be read
	line  int
	text  []byte // the chunk that contains it
	fault *syntaxError
}

// parser parses files within the limits of a load.
type parser struct {
	limit  int // maximum number of documents
	budget int // bytes that may be parsed again to find the line of a syntax error
}

// maxParsed is the maximum number of values of one document before aliases are expanded. Each value needs some hundred
// bytes of memory.
const maxParsed = 500_000

// chunks splits a file at the beginnings of its documents. A JSON file is one chunk.
func (p *parser) chunks(file string, text []byte) []chunk {
	if isJSON(file) {
		return []chunk{{text: text, line: 1}}
	}
	return split(text, p.limit)
}

func isJSON(file string) bool { return strings.EqualFold(path.Ext(file), ".json") }

// parse parses the documents of one chunk, which usually contains one. A broken document does not hide the other
// documents.
func (p *parser) parse(file string, c chunk) []document {
	if values(c.text) > maxParsed {
		return documents(c, nil, errTooMany)
	}
	if isJSON(file) && c.places == nil {
		roots, err := parseJSON(c.text)
		return documents(c, roots, err)
	}
	roots, err := parseNodes(c.text)
	if err != nil {
		err = explainYAML(c.text, err, &p.budget)
	}
	for _, root := range roots {
		shift(root, c.line-1)
	}
	return documents(c, roots, err)
}

var errTooMany = &syntaxError{line: 1, what: fmt.Sprintf("more than about %d values in one document", maxParsed), fix: "split it"}

// values returns an upper bound of the number of values in a text. It does not parse the text.
func values(text []byte) int {
	n := bytes.Count(text, []byte("- "))
	for _, mark := range []string{"\n", ",", ":", "[", "{", "?"} {
		n += bytes.Count(text, []byte(mark))
	}
	return n
}

func documents(c chunk, roots []*yaml.Node, err error) []document {
	docs := make([]document, 0, len(roots)+1)
	for _, root := range roots {
		if !isNull(root) {
			docs = append(docs, document{root: root, line: root.Line, text: c.text})
		}
	}
	var fault *syntaxError
	if errors.As(err, &fault) {
		at := *fault
		at.line += c.line - 1
		docs = append(docs, document{line: at.line, text: c.text, fault: &at})
	}
	return docs
}

// parseNodes parses the documents of one chunk, which usually contains one. If the library panics because the input is
// broken, parseNodes returns an error.
func parseNodes(text []byte) (roots []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not readable: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return roots, nil
		}
		if err != nil {
			return roots, err
		}
		if len(doc.Content) == 1 {
			roots = append(roots, withComments(&doc))
		}
	}
}

func shift(n *yaml.Node, by int) {
	if by == 0 {
		return
	}
	n.Line += by
	for _, c := range n.Content {
		shift(c, by)
	}
}

// withComments returns the root of a document, with the comments around the document as its own.
func withComments(doc *yaml.Node) *yaml.Node {
	root := doc.Content[0]
	root.HeadComment = strings.TrimPrefix(doc.HeadComment+"\n"+root.HeadComment, "\n")
	root.FootComment = strings.TrimPrefix(root.FootComment+"\n"+doc.FootComment, "\n")
	return root
}
