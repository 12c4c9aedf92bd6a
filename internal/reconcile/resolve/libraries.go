package resolve

import (
	"errors"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Libraries are folders of other repositories that are read together with a revision. Their definitions make kinds, like those of the revision
// itself. No object of the stack comes from a library. Other files in libraries, such as examples, must be readable.

// checkLibraries finds mistakes in libraries, except mistakes in the meaning of their definitions. kinds are all known kinds.
func (r Reader) checkLibraries(kinds []*kind.Kind, limits manifest.Options) (problems manifest.Problems, err error) {
	if len(r.Libraries) == 0 {
		return nil, nil
	}
	options := loadOptions(kinds, limits)
	options.Decryption.Unknown = true
	bodies := map[string]manifest.Type{}
	for _, k := range r.Kinds {
		if k.Define != nil {
			bodies[k.Info.Kind] = k.Body
		}
	}
	var fields []manifest.Problem
	options.Each = func(obj *manifest.Object) {
		if body := bodies[obj.Key.Kind]; body.Is() {
			_, wrong := obj.Read(body)
			fields = append(fields, wrong...)
		}
	}
	for _, library := range r.Libraries { // separately, because two libraries may use the same names
		var wrong manifest.Problems
		if _, err = manifest.LoadParts([]manifest.Part{library}, options); err != nil && !errors.As(err, &wrong) {
			return nil, err
		}
		problems = append(problems, wrong...)
	}
	return append(problems, fields...), nil
}
