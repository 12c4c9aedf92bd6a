package kind

import "github.com/stackreeve/stackreeve/internal/manifest"

// Manifest is an object that a definition's template describes.
type Manifest struct {
	Kind, Name string
	// ID is the name by which the definition refers to the object.
	ID                  string
	Labels, Annotations map[string]string
	Body                map[string]any // without apiVersion, kind and metadata
	// Template returns the place of a field in the template.
	Template func(field string) manifest.Origin
}

// Manifest adds an object that a template describes.
func (e *Expansion) Manifest(m Manifest) {
	if !e.revision.TakeObjects(1) {
		return
	}
	body := e.body(m.Body, 1)
	if body == nil || !e.revision.TakeBody(&manifest.Body{Values: len(m.Labels) + len(m.Annotations)}, 1) {
		return
	}
	e.result.Parts = append(e.result.Parts, Part{Key: e.revision.KeyOf(m.Kind, m.Name), Body: body, ID: m.ID, Labels: m.Labels, Annotations: m.Annotations, Template: m.Template})
}

// External adds an object that the stack does not create. Its status is shown together with the
// status of the expanded object.
func (e *Expansion) External(kind, name, id string, template func(field string) manifest.Origin) {
	e.result.Parts = append(e.result.Parts, Part{Key: e.revision.KeyOf(kind, name), ID: id, Template: template})
}
