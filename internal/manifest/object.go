package manifest

import (
	"fmt"
	"maps"

	"go.yaml.in/yaml/v3"
)

// Object is one document: its key, origin and metadata. Decode reads the rest.
type Object struct {
	Key         Key
	APIVersion  string // as written, alias groups included
	Origin      Origin
	Labels      map[string]string
	Annotations map[string]string

	body *yaml.Node // the document's mapping; never printed, since it may hold secrets
	from *chunk     // the text from which body can be parsed again; nil when there is none
}

// NewObject makes an object that no file holds, such as one that a workload kind expands to. All its fields have the
// origin's line.
func NewObject(key Key, apiVersion string, origin Origin, annotations map[string]string, body any) (Object, error) {
	made, err := NewBody(body, origin.Line)
	if err != nil {
		return Object{}, fmt.Errorf("derive %s: %w", key, err)
	}
	return made.Object(key, apiVersion, origin, maps.Clone(annotations)), nil
}

// Release drops the parsed document, which takes far more memory than its text. When the document is needed, it is
// parsed again. An object that no file holds loses its document; the origin of each of its fields is then the object's
// origin.
func (o *Object) Release() { o.body = nil }

// root is the document's mapping; nil when it was released and has no text.
func (o *Object) root() *yaml.Node {
	if o.body == nil && o.from != nil {
		p := parser{}
		for _, d := range p.parse(o.Origin.File, *o.from) {
			o.body = d.root
		}
	}
	return o.body
}

// Where returns the line of a field such as spec.resource.rules[2].protocol, or of its nearest parent that exists. A map
// key with dots is written in brackets: metadata.labels[app.kubernetes.io/name].
func (o *Object) Where(field string) Origin {
	at := o.Origin
	node := o.root()
	if node == nil {
		return at
	}
	for _, step := range splitPath(field) {
		line, next := step.in(node)
		if next == nil {
			break
		}
		at.Line, node = line, next
	}
	return at
}
