package manifest

import (
	"cmp"
	"fmt"
	"maps"

	"go.yaml.in/yaml/v3"
)

// Object is one document with its key, origin and metadata. Decode reads the rest.
type Object struct {
	Key         Key
	APIVersion  string // the text in the manifest, which may contain an alias group
	Origin      Origin
	Labels      map[string]string
	Annotations map[string]string

	// body is the mapping of the document. Never print it, because it may contain secrets. body can be parsed again from the
	// text in from; nil if there is no text.
	body *yaml.Node
	from *chunk
	// stays is true for a document of a file that is only a part of its text, such as an item of a list.
	stays bool
	// made is nil for a document that is used as it is written, as nearly all are.
	made *making
}

// making says how the document of an object was made from what is written.
type making struct {
	// other has the nodes of the document that are in other files than that of the object's origin.
	other otherFiles
	// patches are the documents of later layers that were merged into the document. values were put into the result; nil for
	// none. schema is the type of the document for both; zero if it is unknown.
	patches []*Object
	values  Values
	schema  Type

	// substituteBy is the annotation that says where values are put. secrets are the secret values that were put there.
	// written is the name before values were put into it; "" if there are no values.
	substituteBy string
	secrets      []string
	written      string
	// opened decrypts the text again; nil if it is not encrypted. encrypted are the fields that nobody may
	// see, because their values are encrypted in the repository, or come from a Secret. parts are decrypted values in longer texts.
	opened    opened
	encrypted []string
	parts     []string
	// alone is set if no earlier layer has the object. It returns advice about the name.
	alone func() string
}

// opened can put the decrypted values into a document once more. It is a [sops.Opened] for a document of an encrypted
// file, or a [tokens] for a document that kustomize made from copies in which tokens stand for the values.
type opened interface {
	// Again puts the values into a document that was parsed again.
	Again(doc *yaml.Node) error
	// Unknown reports whether the values were not decrypted.
	Unknown() bool
}

// asWritten is the making of documents that are used as they are written. It is never changed.
var asWritten making

// making returns the making of the document, to read it.
func (o *Object) making() *making {
	if o.made == nil {
		return &asWritten
	}
	return o.made
}

// ownMaking returns the making of the document, to change it.
func (o *Object) ownMaking() *making {
	if o.made == nil {
		o.made = &making{}
	}
	return o.made
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

// WrittenName returns the name as it is written, with the names of values in it.
func (o *Object) WrittenName() string {
	return cmp.Or(o.making().written, o.Key.Name)
}

// Release frees the parsed document, which needs far more memory than its text. If the document is needed later, it is
// parsed again. An item of a list stays in memory, because it has no text of its own. An object that is in no file loses
// its document. The origin of each of its fields is then the origin of the object. The plain values of an encrypted document
// are freed, too, and its text contains none. The documents of later layers stay in memory, with their plain values.
func (o *Object) Release() {
	if !o.stays {
		if o.body = nil; o.made != nil {
			o.made.other = nil
		}
	}
}

// root returns the mapping of the document. It returns nil if the document was released and has no text.
func (o *Object) root() *yaml.Node {
	if o.body == nil && o.from != nil {
		p := parser{}
		for _, d := range p.parse(o.Origin.File, *o.from) {
			o.body = o.again(d.root)
			o.locate(o.body)
		}
		o.assemble()
		o.substitute(DefaultTotalBytes, nil)
	}
	return o.body
}

// Where returns the place of a field such as spec.resource.rules[2].protocol, or of its nearest parent that exists. The key
// of a map is written in brackets if it contains dots: metadata.labels[app.kubernetes.io/name]. The file is that of the
// layer that set the field.
func (o *Object) Where(field string) Origin {
	at := o.Origin
	node := o.root()
	if node == nil {
		return at
	}
	for _, step := range splitPath(field) {
		here, next := step.in(node)
		if next == nil {
			break
		}
		at, node = o.making().other.place(here, o.Origin.File), next
	}
	return at
}
