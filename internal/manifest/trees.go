package manifest

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Documents parses the documents of a YAML or JSON file for a reader of their trees. The text is checked as the text of a
// manifest is: its encoding, its depth, its aliases, and the number of its values.
func Documents(file string, text []byte) (roots []*yaml.Node, problems Problems) {
	opts := Options{}.withDefaults()
	refuse := func(line int, what, fix string) ([]*yaml.Node, Problems) {
		return nil, Problems{{Origin: Origin{File: file, Line: line}, What: what, Fix: fix}}
	}
	if format, fix := Foreign(text); format != "" {
		return refuse(0, format, fix)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if at, what := notText(text); what != "" {
		return refuse(1+bytes.Count(text[:at], []byte{'\n'}), what, "save the file as UTF-8 text")
	}
	p := parser{limit: opts.MaxDocuments, budget: 1 << 20}
	chunks := p.chunks(file, text)
	if len(chunks) > opts.MaxDocuments {
		return refuse(0, fmt.Sprintf("more than %d documents", opts.MaxDocuments), "split the file")
	}
	check := checker{maxDepth: opts.MaxDepth, maxAliases: opts.MaxAliases, maxNodes: opts.MaxPerObject, decrypted: true}
	for _, c := range chunks {
		for _, d := range p.parse(file, c) {
			if d.fault != nil {
				problems = append(problems, Problem{Origin: Origin{file, d.line}, What: d.fault.what, Fix: d.fault.fix})
				continue
			}
			check.nodes, check.aliases = 0, 0
			if check.walk(d.root, nil, 0); check.unsafe {
				break
			}
			roots = append(roots, d.root)
		}
	}
	for _, found := range check.problems {
		found.Origin.File = file
		problems = append(problems, found)
	}
	return roots, problems
}

// Entries yields the fields of a mapping that [Documents] returned, those of merged mappings included.
func Entries(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			return
		}
		for _, e := range entries(n) {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}
