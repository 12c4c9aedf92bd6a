package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Reader turns revisions of one stack into desired objects.
type Reader struct {
	Kinds  []*kind.Kind
	Bounds Bounds
	// Root is the stack's path in its repository. It is the prefix of the names of files in origins and problems.
	Root string
	// Layers are folders below Root. The documents of later folders are merged into those of earlier ones. Without layers,
	// everything below Root is one folder of manifests.
	Layers []string
	// Build replaces the folders among parts by documents that a program makes of their files; nil if there is none. Its error may be
	// a [manifest.Problems].
	Build func(ctx context.Context, parts []manifest.Part) ([]manifest.Part, error)
	// Values are put into the manifests. Without any, manifests are read as they are.
	Values Values
	// Libraries are folders whose definitions are used in addition to those of the revision. Each of them has Files.
	Libraries []manifest.Part
	// Selection says which files of a folder are read.
	Selection manifest.Selection
	// Entries are the entries of clouds.yaml that manifests may name.
	Entries Entries
	// Decryption says how encrypted files are read. Those of libraries are never decrypted.
	Decryption manifest.Decryption
	// Stores are the stores that contain data of objects.
	Stores Stores
	// Missing is true if manifests may refer to an object without a manifest. Then the referring object waits. Otherwise such a
	// reference is a problem.
	Missing bool
}

// Reading is the content of a revision.
type Reading struct {
	Want []kind.Desired
	// Defined are the kinds that the libraries and the revision define.
	Defined []*kind.Kind
	// Ignored are the files and documents that were not read.
	Ignored []manifest.Ignored
	// Bare are the files that contain no object although their names are names of manifests: see [Reader.Emptied].
	Bare []string
	Size Size

	// Hints are facts about the manifests that are no mistakes, such as values that nothing uses.
	Hints []manifest.Problem

	values  manifest.Values
	written map[manifest.Key]bool // the objects that manifests declare
	without []string              // patterns of include that match nothing
}

// Read turns the files of a revision into desired objects. Its error is a [manifest.Problems] with all mistakes in the files and objects.
// If there is an error, nothing may be applied. When ctx ends, Read stops and returns the error of ctx.
func (r Reader) Read(ctx context.Context, files fs.FS) (Reading, error) {
	files = r.Selection.Of(files)
	reading, err := r.ReadParts(ctx, r.parts(files))
	for _, pattern := range manifest.Unmatched(files) {
		if slices.Contains(r.Selection.Include, pattern) {
			reading.without = append(reading.without, pattern)
		}
		reading.Ignored = append(reading.Ignored, manifest.Ignored{Origin: manifest.Origin{File: cmp.Or(r.Root, ".")},
			Why: fmt.Sprintf("the pattern %q of include or exclude matches no file below this folder", pattern)})
	}
	return reading, err
}

// parts returns the layers of a revision.
func (r Reader) parts(files fs.FS) (parts []manifest.Part) {
	if len(r.Layers) == 0 {
		return []manifest.Part{{Name: r.Root, Files: files}}
	}
	for i, folder := range r.Layers {
		parts = append(parts, manifest.Part{Name: r.Root, Files: files, Folder: folder, Layer: i})
	}
	return parts
}

// ReadParts does the same as Read for several folders and files, which together are one stack.
func (r Reader) ReadParts(ctx context.Context, parts []manifest.Part) (Reading, error) {
	spend := newBudget(r.Bounds, ctx.Err)
	limits := r.Bounds.loading(ctx.Err)
	if r.Build != nil {
		var err error
		if parts, err = r.Build(ctx, parts); err != nil {
			return Reading{}, err
		}
	}
	both := slices.Concat(r.Libraries, parts)
	parts = both[len(r.Libraries):]
	defined, wrong, err := r.defined(both, limits)
	if err != nil {
		return Reading{}, fmt.Errorf("read the manifests: %w", err)
	}
	values, more, err := r.values(ctx, parts, limits)
	if err != nil {
		return Reading{}, fmt.Errorf("read the values: %w", err)
	}
	wrong = append(wrong, more...)
	kinds := slices.Concat(r.Kinds, defined)
	faults, err := r.checkLibraries(kinds, limits)
	if err != nil {
		return Reading{}, fmt.Errorf("read the libraries: %w", err)
	}
	res := newResolver(kinds, spend)
	for _, k := range defined {
		res.defined[k.Info.Kind] = true
	}
	res.report(wrong...)
	res.report(faults...)
	res.entries, res.stores, res.context = r.Entries, r.Stores, ctx
	res.allowMissing = r.Missing
	options := loadOptions(kinds, limits)
	options.Decryption = r.Decryption
	written := map[manifest.Key]bool{}
	options.Values, options.Used = values, map[string]bool{}
	options.Unknown = unknownKinds(r.Kinds)
	options.Each = func(obj *manifest.Object) {
		written[obj.Key] = true
		res.declare(obj)
	}
	loaded, err := manifest.LoadParts(parts, options)
	var problems, later manifest.Problems
	if err != nil && !errors.As(err, &problems) {
		return Reading{}, fmt.Errorf("read the manifests: %w", err)
	}
	res.partsUnknown = res.partsUnknown || len(wrong) > 0 || loaded.Lost
	want, err := res.resolve()
	if err != nil && !errors.As(err, &later) {
		return Reading{}, fmt.Errorf("read the manifests: %w", err)
	}
	reading := Reading{Defined: defined, Ignored: loaded.Ignored, Bare: loaded.Bare, Size: spend.size(), written: written}
	reading.Size.Values, reading.Size.Bytes = loaded.Values, loaded.Bytes
	reading.values = values
	if problems = append(problems, later...); len(problems) > 0 {
		return reading, withoutSecrets(hide(values, problems), res.public()).Sorted()
	}
	reading.Want, reading.Hints = want, r.unused(values, options.Used)
	return reading, nil
}

// Read does the same as [Reader.Read], with the default bounds and without a context.
func Read(files fs.FS, kinds []*kind.Kind) (want []kind.Desired, ignored []manifest.Ignored, err error) {
	reading, err := Reader{Kinds: kinds}.Read(context.Background(), files)
	return reading.Want, reading.Ignored, err
}

// stackConfig contains the kinds of the agent's own configuration. The configuration may be in the same folder as manifests, but it is
// never read from there, so that a commit cannot change it.
var stackConfig = []manifest.GroupVersionKind{
	{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Stack"}, {Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Policy"},
	{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Notification"},
	{Group: "stackreeve.dev", Version: "v1alpha1", Kind: "Agents"},
}

// IsConfig reports whether objects of a kind are ignored because they are the agent's own configuration. Upper and lower
// case do not matter.
func IsConfig(kind string) bool {
	return slices.ContainsFunc(stackConfig, func(gvk manifest.GroupVersionKind) bool { return strings.EqualFold(gvk.Kind, kind) })
}

// schemas returns a function that returns the type of a kind's documents. Layers are merged, and values are put in, by these types.
func schemas(kinds []*kind.Kind) func(group, kind string) manifest.Type {
	types := make(map[string]manifest.Type, len(kinds))
	for _, k := range kinds {
		types[k.Info.Group+"/"+k.Info.Kind] = k.Body
	}
	return func(group, kind string) manifest.Type { return types[group+"/"+kind] }
}

// verbatim returns the kinds whose documents contain expressions of their own.
func verbatim(kinds []*kind.Kind) (list []string) {
	for _, k := range kinds {
		if k.Define != nil {
			list = append(list, k.Info.Kind)
		}
	}
	return list
}

// loadOptions returns limits with the known kinds and annotations added, for package manifest.
func loadOptions(kinds []*kind.Kind, limits manifest.Options) manifest.Options {
	o := limits
	o.Aliases, o.LeaveAlone, o.Schemas = map[string]string{}, stackConfig, schemas(kinds)
	for _, k := range kinds {
		info := k.Info
		for i, gvk := range info.Spellings() {
			o.Kinds = append(o.Kinds, gvk)
			if i > 0 {
				o.Aliases[gvk.Group] = info.Group
			}
		}
	}
	o.Substitute, o.Verbatim = AnnotationSubstitute, verbatim(kinds)
	for name := range Annotations() {
		o.Annotations = append(o.Annotations, name)
	}
	slices.Sort(o.Annotations)
	return o
}
