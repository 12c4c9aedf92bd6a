package describe

import (
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Explain is what there is to say of a field; spec.resource, or spec, may be left out
// of its path, whose first field says whether they are. The error for a field that there is not says where one of its name is.
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
	for _, end := range []string{"Ref", "Refs"} { // what refers to an object is called after it
		there = append(there, manifest.FieldsNamed(d.Body, last+end)...)
	}
	if len(there) > 0 {
		const most = 5
		err = fmt.Errorf("%w; there is %s", err, strings.Join(there[:min(len(there), most)], ", "))
	}
	return "", err
}
