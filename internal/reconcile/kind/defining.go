package kind

import "github.com/stackreeve/stackreeve/internal/manifest"

// Definer is implemented by kinds whose objects define further kinds, for the revision that they are in.
type Definer interface {
	Kind
	// Define makes kinds of all documents of definers in a revision, beside the kinds that there are. What is wrong
	// with a document is a problem; its kind is there all the same, so that its objects are not strange. stop says
	// whether to end, and why.
	Define(documents []*manifest.Object, kinds []Kind, stop func() error) ([]Kind, []manifest.Problem)
}

// Manifest is an object as a definition's template writes it.
type Manifest struct {
	Kind, Name string
	// ID is what the definition calls it.
	ID                  string
	Labels, Annotations map[string]string
	Body                map[string]any // without apiVersion, kind and metadata
	// Template is where the template has a field.
	Template func(field string) manifest.Origin
}

// Summing is implemented by kinds that say more about the status of their objects than that of the parts.
type Summing interface {
	// Sum is the status that the kind's objects have besides the usual one, nil for none, and why the object is not
	// ready although its parts are, "" where it is. parts are what it consists of, as the status of each is shown: of
	// several with one ID all, in their order. spend takes what expressions cost; when it is false no more may be evaluated.
	Sum(d *Desired, parts map[string][]any, spend func(cost int) bool) (status any, unready string)
}

// Manifest adds an object that a template makes.
func (e *Expansion) Manifest(m Manifest) {
	if !e.repository.TakeObjects(1) {
		return
	}
	body := e.body(m.Body, 1)
	if body == nil || !e.repository.TakeBody(&manifest.Body{Values: len(m.Labels) + len(m.Annotations)}, 1) {
		return
	}
	e.parts = append(e.parts, Part{Key: e.key(m.Kind, m.Name), Body: body, ID: m.ID, Labels: m.Labels, Annotations: m.Annotations, Template: m.Template})
}

// External says that the object is shown with one that others make.
func (e *Expansion) External(kind, name, id string, template func(field string) manifest.Origin) {
	e.parts = append(e.parts, Part{Key: e.key(kind, name), ID: id, Template: template})
}

// TakeCost spends what expressions cost. When it is false nothing more may be evaluated.
func (e *Expansion) TakeCost(cost int) bool { return e.repository.TakeCost(cost) }
