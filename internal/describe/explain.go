package describe

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Explain returns the documentation of a field. The path may omit spec.resource or spec, if its first field is
// below that. If there is no such field, the error says where fields with that name are.
func (d Kind) Explain(path string) (string, error) {
	first, _, _ := strings.Cut(path, ".")
	for _, below := range []string{"spec.resource.", "spec."} {
		if path != "" && !manifest.HasField(d.Body, first) && manifest.HasField(d.Body, below+first) {
			path = below + path
			break
		}
	}
	text, err := manifest.Explain(d.Body, path)
	if err == nil {
		return text, nil
	}
	last := path[strings.LastIndexByte(path, '.')+1:]
	there := manifest.FieldsNamed(d.Body, last)
	for _, end := range []string{"Ref", "Refs"} { // the field for a reference has the name of the object and this suffix
		there = append(there, manifest.FieldsNamed(d.Body, last+end)...)
	}
	if len(there) > 0 {
		const most = 5
		err = fmt.Errorf("%w; there is %s", err, strings.Join(there[:min(len(there), most)], ", "))
	}
	return "", err
}
