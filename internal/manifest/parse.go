package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is one document of a file: its tree, or why it could not be read.
type document struct {
	root  *yaml.Node // nil when broken
	line  int
	text  []byte // the chunk it came from
	fault *syntaxError
}

// syntaxError is text that is not YAML or not JSON.
type syntaxError struct {
	line      int
	what, fix string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// parse reads all documents of a file. A broken one does not hide the others.
func parse(file string, text []byte, limit int) []document {
	if strings.EqualFold(path.Ext(file), ".json") {
		roots, err := parseJSON(text)
		return documents(chunk{text, 1}, roots, err)
	}
	var docs []document
	for _, c := range split(text, limit) {
		roots, err := parseYAML(c.text)
		for _, root := range roots {
			shift(root, c.line-1)
		}
		docs = append(docs, documents(c, roots, err)...)
	}
	return docs
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

// parseYAML reads the documents of one chunk, mostly one. The library reports some broken input by panicking, which
// ends here.
func parseYAML(text []byte) (roots []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &syntaxError{line: 1, what: fmt.Sprintf("not readable as YAML: %v", r)}
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
			return roots, explainYAML(text, err)
		}
		if len(doc.Content) == 1 {
			roots = append(roots, doc.Content[0])
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

var yamlErrorLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// explainYAML turns the library's message into one that says what to do.
func explainYAML(text []byte, err error) *syntaxError {
	fault := &syntaxError{line: 1, what: err.Error()}
	if m := yamlErrorLine.FindStringSubmatch(err.Error()); m != nil {
		fault.what = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			fault.line = n
		}
	}
	fault.what = "not valid YAML: " + fault.what
	return fault
}
