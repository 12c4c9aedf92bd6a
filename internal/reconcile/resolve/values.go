package resolve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Values are the values of a stack, which are put into its manifests: see [manifest.Values]. Those in Inline have
// precedence. If two sources in From have a value of the same name, the later one counts.
type Values struct {
	Inline map[string]string
	From   []ValueSource
	// Where returns the place of a field of the stack's configuration.
	Where func(field string) manifest.Origin
}

// ValueSource is a source of values. Exactly one of its fields is set.
type ValueSource struct {
	File              string // a file below Root
	ConfigMap, Secret string // an object among the manifests, in the default namespace
}

const maxValues = 10_000 // values of a stack

// values returns the values of a revision; nil if the stack has none.
func (r Reader) values(ctx context.Context, parts []manifest.Part, limits manifest.Options) (manifest.Values, []manifest.Problem, error) {
	if len(r.Values.Inline) == 0 && len(r.Values.From) == 0 {
		return nil, nil, nil
	}
	all := manifest.Values{}
	data, sealed, err := r.dataOf(ctx, parts, limits)
	if err != nil {
		return nil, nil, err
	}
	var problems []manifest.Problem
	for i, from := range r.Values.From {
		at := fmt.Sprintf("spec.source.valuesFrom[%d]", i)
		var texts map[string]string
		var wrong []manifest.Problem
		hidden := false
		if from.File != "" {
			texts, wrong = r.valuesIn(parts, from.File)
		} else {
			key := from.object()
			d, found := data[key]
			if !found {
				wrong = []manifest.Problem{{Origin: r.Values.place(at), Field: at, What: "there is no " + key.String() + " among the manifests", Fix: "commit it, or remove this source; the data of an ExternalSecret cannot be values"}}
			}
			texts, wrong = d, append(wrong, unnamed(d, key, r.Values.place(at), at)...)
			hidden = sealed[key]
		}
		problems = append(problems, wrong...)
		for name, text := range texts {
			all[name] = manifest.Value{Text: text, Secret: hidden}
		}
	}
	for name, text := range r.Values.Inline {
		all[name] = manifest.Value{Text: text}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !utf8.ValidString(all[name].Text) {
			problems = append(problems, manifest.Problem{Origin: r.Values.place("spec.source.values"), Field: "spec.source.values",
				What: fmt.Sprintf("the value %s is no text in UTF-8", name), Fix: "use a text; encode other data in base64"})
		}
		if len(all[name].Text) > manifest.MaxValue {
			problems = append(problems, manifest.Problem{Origin: r.Values.place("spec.source.values"), Field: "spec.source.values",
				What: fmt.Sprintf("the value %s is longer than %d bytes", name, manifest.MaxValue), Fix: "use a ConfigMap for large texts"})
		}
	}
	if len(all) > maxValues {
		problems = append(problems, manifest.Problem{Origin: r.Values.place("spec.source.values"), Field: "spec.source.values", What: fmt.Sprintf("more than %d values", maxValues), Fix: "remove those that nothing uses"})
		all = manifest.Values{}
	}
	return all, problems, nil
}

func (v Values) place(field string) manifest.Origin {
	if v.Where == nil {
		return manifest.Origin{}
	}
	return v.Where(field)
}

// object returns the key of the object that a source names.
func (s ValueSource) object() manifest.Key {
	of := "ConfigMap"
	if s.Secret != "" {
		of = "Secret"
	}
	return manifest.Key{Kind: of, Namespace: manifest.DefaultNamespace, Name: cmp.Or(s.ConfigMap, s.Secret)}
}

// unnamed returns a problem for each key of data that cannot be the name of a value.
func unnamed(texts map[string]string, key manifest.Key, at manifest.Origin, field string) (problems []manifest.Problem) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if !manifest.ValueName.MatchString(name) {
			problems = append(problems, manifest.Problem{Origin: at, Field: field, What: fmt.Sprintf("the key %q in data of %s cannot be the name of a value", name, key),
				Fix: "use letters, digits and underscores, and begin with a letter or underscore"})
		}
	}
	return problems
}

// dataOf returns the data of the ConfigMaps and Secrets that the sources of values name, and which of them nobody may see: Secrets, and
// objects with encrypted values. Values are not put into them.
func (r Reader) dataOf(ctx context.Context, parts []manifest.Part, limits manifest.Options) (data map[manifest.Key]map[string]string, sealed map[manifest.Key]bool, err error) {
	data, sealed = map[manifest.Key]map[string]string{}, map[manifest.Key]bool{}
	wanted := map[manifest.Key]bool{}
	options := limits
	options.Kinds, options.Holding = nil, nil
	kinds := map[string]*kind.Kind{}
	for _, from := range r.Values.From {
		if from.File != "" {
			continue
		}
		key := from.object()
		wanted[key] = true
		for _, k := range r.Kinds {
			if k.Info.Group == "" && k.Info.Kind == key.Kind && kinds[key.Kind] == nil {
				kinds[key.Kind] = k
				options.Kinds = append(options.Kinds, manifest.GroupVersionKind{Version: k.Info.Version, Kind: key.Kind})
				options.Holding = append(options.Holding, key.Kind)
			}
		}
	}
	if len(wanted) == 0 {
		return data, sealed, nil
	}
	options.Schemas, options.Decryption = schemas(r.Kinds), r.Decryption
	options.Each = func(obj *manifest.Object) {
		if k := kinds[obj.Key.Kind]; k != nil && wanted[obj.Key] {
			d, _ := k.Decode(obj) // its mistakes are reported when everything is read
			data[obj.Key] = d.Data
			sealed[obj.Key] = obj.Key.Kind == "Secret" || len(obj.Encrypted()) > 0
		}
	}
	again(parts, func() { _, _ = manifest.LoadParts(parts, options) })
	return data, sealed, ctx.Err()
}

// valuesIn returns the values in a file of the stack's folder.
func (r Reader) valuesIn(parts []manifest.Part, file string) (values map[string]string, problems []manifest.Problem) {
	name := path.Join(r.Root, file)
	wrong := func(what, fix string) []manifest.Problem {
		return []manifest.Problem{{Origin: manifest.Origin{File: name}, What: what, Fix: fix}}
	}
	i := slices.IndexFunc(parts, func(p manifest.Part) bool { return p.Files != nil })
	if i < 0 {
		return nil, wrong("is in the stack's folder, but only single files were given", "give the command the whole folder")
	}
	info, err := fs.Lstat(parts[i].Files, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, wrong("does not exist, and spec.source.valuesFrom names it", "commit it, or correct its name")
	case err != nil:
		return nil, wrong("cannot be read", "")
	case !info.Mode().IsRegular():
		return nil, wrong("not a regular file", "put the file itself at this path")
	}
	f, err := parts[i].Files.Open(file)
	if err != nil {
		return nil, wrong("cannot be read", "")
	}
	defer func() { _ = f.Close() }() // the file was only read
	text, err := io.ReadAll(io.LimitReader(f, manifest.DefaultFileBytes+1))
	if err != nil || len(text) > manifest.DefaultFileBytes {
		return nil, wrong("cannot be read, or is too large", "")
	}
	_, problems = manifest.Settings(name, text, &values)
	return values, append(problems, unnamed(values, manifest.Key{Name: file}, manifest.Origin{File: name}, "")...)
}

// unused returns the values that no manifest uses.
func (r Reader) unused(values manifest.Values, used map[string]bool) (hints []manifest.Problem) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if used[name] {
			continue
		}
		field := "spec.source.valuesFrom"
		if _, inline := r.Values.Inline[name]; inline {
			field = "spec.source.values." + name
		}
		hints = append(hints, manifest.Problem{Origin: r.Values.place(field), Field: field, What: fmt.Sprintf("no manifest uses the value %s", name), Fix: "remove it, or correct its name"})
	}
	return hints
}

// hide removes secret values from problems. A value may be in any field, and messages about fields quote values.
func hide(values manifest.Values, problems manifest.Problems) manifest.Problems {
	var secrets []string
	for _, v := range values {
		if v.Secret && v.Text != "" {
			secrets = append(secrets, v.Text)
		}
	}
	if secrets == nil {
		return problems
	}
	return withoutSecrets(problems, confidential.RedactorOf(secrets).Text)
}

// withoutSecrets replaces the texts of problems by those that a function returns. nil changes nothing.
func withoutSecrets(problems manifest.Problems, public func(string) string) manifest.Problems {
	for i := range problems {
		if p := &problems[i]; public != nil {
			p.What, p.Fix = public(p.What), public(p.Fix)
		}
	}
	return problems
}
