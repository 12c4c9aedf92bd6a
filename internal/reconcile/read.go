package reconcile

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Read turns the files of a revision into what the stack wants. Its error is a
// [manifest.Problems] that holds everything that is wrong, in the files and in
// the objects; then nothing may be applied. ignored are the files and documents
// that were left alone.
func Read(files fs.FS, kinds []Kind, defaults Defaults) (want []Desired, ignored []manifest.Ignored, err error) {
	loaded, err := manifest.Load(files, loadOptions(kinds))
	var problems, more manifest.Problems
	if err != nil && !errors.As(err, &problems) {
		return nil, nil, err
	}
	want, err = Resolve(loaded.Objects, kinds, defaults)
	if err != nil && !errors.As(err, &more) {
		return nil, nil, err
	}
	if problems = append(problems, more...); len(problems) > 0 {
		return nil, loaded.Ignored, problems.Sorted()
	}
	return want, loaded.Ignored, nil
}

// stackConfig is the kind of the agent's own configuration. It may lie beside
// manifests, and is never read from there: a commit cannot change it.
var stackConfig = manifest.GroupVersionKind{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Stack"}

// loadOptions tells the manifest room which kinds and annotations there are.
func loadOptions(kinds []Kind) manifest.Options {
	o := manifest.Options{Aliases: map[string]string{}, LeaveAlone: []manifest.GroupVersionKind{stackConfig}}
	for _, k := range kinds {
		info := k.Info()
		o.Kinds = append(o.Kinds, manifest.GroupVersionKind{Group: info.Group, Version: info.Version, Kind: info.Kind})
		for _, alias := range info.Aliases {
			o.Kinds = append(o.Kinds, manifest.GroupVersionKind{Group: alias, Version: info.Version, Kind: info.Kind})
			o.Aliases[alias] = info.Group
		}
	}
	for name := range Annotations() {
		o.Annotations = append(o.Annotations, name)
	}
	slices.Sort(o.Annotations)
	return o
}
