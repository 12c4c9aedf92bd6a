package manifest

import (
	"encoding/json"
	"fmt"
	"maps"

	"go.yaml.in/yaml/v3"
)

// Object is one document: its key, where it stands and its metadata. The rest is read with Decode.
type Object struct {
	Key         Key
	APIVersion  string // as written, alias groups included
	Origin      Origin
	Labels      map[string]string
	Annotations map[string]string

	body *yaml.Node // the document's mapping; never printed, it may hold secrets
}

// NewObject makes an object that no file holds, such as one that a workload kind expands to. The body, a struct or a
// map, becomes the document through JSON, as in struct{ Spec NetworkSpec `json:"spec"` }. Every line is the origin's.
func NewObject(key Key, apiVersion string, origin Origin, annotations map[string]string, body any) (Object, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return Object{}, fmt.Errorf("derive %s: %w", key, err)
	}
	root, err := parseJSON(text)
	if err != nil {
		return Object{}, fmt.Errorf("derive %s: %w", key, err)
	}
	if len(root) != 1 || root[0].Kind != yaml.MappingNode {
		return Object{}, fmt.Errorf("derive %s: the body must be a struct or a map, got %T", key, body)
	}
	setLine(root[0], origin.Line)
	return Object{
		Key:         key.normal(),
		APIVersion:  apiVersion,
		Origin:      origin,
		Annotations: maps.Clone(annotations),
		body:        root[0],
	}, nil
}

// Where is the line of a field such as spec.resource.rules[2].protocol, or of its nearest parent that exists. A map key
// with dots is written in brackets: metadata.labels[app.kubernetes.io/name].
func (o *Object) Where(field string) Origin {
	at := o.Origin
	node := o.body
	for _, step := range splitPath(field) {
		line, next := step.in(node)
		if next == nil {
			break
		}
		at.Line, node = line, next
	}
	return at
}

func setLine(n *yaml.Node, line int) {
	n.Line = line
	for _, c := range n.Content {
		setLine(c, line)
	}
}
