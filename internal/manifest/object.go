package manifest

import (
	"fmt"
	"maps"

	"go.yaml.in/yaml/v3"

	"github.com/stackreeve/stackreeve/internal/sops"
)

// Object is one document with its key, origin and metadata. Decode reads the rest.
type Object struct {
	Key         Key
	APIVersion  string // the text in the manifest, which may contain an alias group
	Origin      Origin
	Labels      map[string]string
	Annotations map[string]string

	body *yaml.Node // the mapping of the document; never print it, because it may contain secrets
	from *chunk     // the text from which body can be parsed again; nil if there is none

	opened    *sops.Opened // the key that decrypts the text again; nil if it is not encrypted
	encrypted []string     // the fields with encrypted values
}

// NewObject makes an object that is in no file, such as an object that a workload kind expands to. The line of all its
// fields is the line of the origin.
func NewObject(key Key, apiVersion string, origin Origin, annotations map[string]string, body any) (Object, error) {
	made, err := NewBody(body, origin.Line)
	if err != nil {
		return Object{}, fmt.Errorf("derive %s: %w", key, err)
	}
	return made.Object(key, apiVersion, origin, maps.Clone(annotations)), nil
}

// Release frees the parsed document, which needs far more memory than its text. If the document is needed later, it is
// parsed again. An object that is in no file loses its document. The origin of each of its fields is then the origin of
// the object. The plain values of an encrypted document are freed, too, and its text contains none.
func (o *Object) Release() { o.body = nil }

// root returns the mapping of the document. It returns nil if the document was released and has no text.
func (o *Object) root() *yaml.Node {
	if o.body == nil && o.from != nil {
		p := parser{}
		for _, d := range p.parse(o.Origin.File, *o.from) {
			o.body = o.again(d.root)
		}
	}
	return o.body
}

// Where returns the line of a field such as spec.resource.rules[2].protocol, or of its nearest parent that exists. The key
// of a map is written in brackets if it contains dots: metadata.labels[app.kubernetes.io/name].
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
