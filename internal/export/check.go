package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

// check reads and plans the manifests as the stack that adopts the objects will do. It corrects the manifests
// that are refused or would change the cloud. It returns true if it has corrected something, so that the manifests must be checked again.
func (x *exporter) check(ctx context.Context) (again bool, err error) {
	items := map[manifest.Key]*item{}
	files, err := x.files(items)
	if err != nil {
		return false, err
	}
	reading, err := resolve.Reader{Kinds: x.Kinds, Bounds: x.bounds()}.Read(ctx, files)
	var problems manifest.Problems
	switch {
	case errors.As(err, &problems):
		return true, x.refused(problems, items)
	case err != nil:
		return false, err
	}
	planned := decide.Compute(world.Input{Stack: "export", Kinds: x.Kinds, Want: reading.Want, Have: x.unowned(), Rules: world.Rules{Replace: true}})
	x.workloads = planned.Workloads
	if x.dissolveWrong(planned.Steps) {
		return true, nil
	}
	for _, s := range planned.Steps {
		if one := items[s.Key]; one != nil && x.checkStep(one, s) {
			again = true
		}
	}
	return again, nil
}

// bounds returns the limits of a stack, raised by the number of objects, because an export may have more objects
// than one stack may have.
func (x *exporter) bounds() resolve.Bounds {
	n := 0
	for _, of := range x.all {
		n += len(of)
	}
	return resolve.Bounds{
		Objects: resolve.DefaultObjects + 2*n, Files: resolve.DefaultObjects + n, Documents: resolve.DefaultObjects + n,
		Values: manifest.DefaultNodes + 100*n, Bytes: manifest.DefaultTotalBytes + int64(n)<<16,
	}
}

func (x *exporter) files(items map[manifest.Key]*item) (fs.FS, error) {
	files := fstest.MapFS{}
	for _, one := range x.items() {
		key := one.key(x.group)
		text, err := x.document(one)
		if err != nil {
			return nil, err
		}
		items[key], files[path.Join(key.Kind, File(key.Name))] = one, &fstest.MapFile{Data: text}
	}
	for _, g := range x.groups {
		text, err := g.text()
		if err != nil {
			return nil, err
		}
		files[path.Join(g.key.Kind, File(g.key.Name))] = &fstest.MapFile{Data: text}
	}
	return files, nil
}

// File returns the file name for an object with this name. It avoids kustomization.yaml, because no stack reads
// such a file.
func File(name string) string {
	if name == "kustomization" {
		name = "_" + name // no object can have this name
	}
	return name + ".yaml"
}

// unowned returns the cloud without the marks of the objects that are to be adopted.
func (x *exporter) unowned() kind.Snapshot {
	have := kind.Snapshot{}
	for name, c := range x.Have {
		c.Items = slices.Clone(c.Items)
		for i, l := range c.Items {
			if one := x.byID[name][l.ID]; one != nil && one.managed {
				unmarked := *l
				unmarked.Mark, unmarked.Copied = nil, ""
				c.Items[i] = &unmarked
			}
		}
		have[name] = c
	}
	return have
}

// refused removes the refused parts: an item of a list, or a field of an object. If that does not help, it
// removes the object.
func (x *exporter) refused(problems manifest.Problems, items map[manifest.Key]*item) error {
	dropped, demoted := map[*item]map[string]bool{}, map[*item]bool{} // set in this call
	for _, p := range problems {
		one := items[p.Key]
		if one == nil || demoted[one] { // the problem is about a group, or says only that there are too many problems
			continue
		}
		field, inSpec := strings.CutPrefix(p.Field, one.kind.SpecPath+".")
		at, within := one.leftOut(field)
		switch {
		case dropped[one][at]:
		case !one.managed || !inSpec || one.dropped[at]:
			x.demote(one, strings.TrimSpace(p.Field+" "+p.What))
			demoted[one] = true
		default:
			if dropped[one] == nil {
				dropped[one] = map[string]bool{}
			}
			dropped[one][at] = true
			x.drop(one, at, strings.TrimPrefix(within+": "+p.What, ": "))
		}
	}
	for one := range dropped {
		x.takeOut(one)
	}
	switch {
	case len(dropped)+len(demoted) > 0:
		return nil
	case len(x.groups) == 0:
		return problems
	}
	for _, g := range slices.Clone(x.groups) { // the problem is about one of the groups, or about a part of one
		x.dissolve(g)
	}
	return nil
}

// drop removes a field, or an item of a list, from the manifest. So it stays in the cloud unchanged.
func (x *exporter) drop(one *item, at, why string) {
	why = "cannot be written in a manifest (" + why + ")"
	if list, isItem := listOf(at); isItem {
		list = one.kind.SpecPath + "." + list
		why = shown(one.value(at).Interface()) + " is not in the list: it " + why
		if id := one.idAt(at); id != "" {
			x.ignoreElement(one, list, id, why)
			return
		}
		x.note(one, list, why)
		one.faulty = append(one.faulty, at)
		return
	}
	if one.dropped == nil {
		one.dropped = map[string]bool{}
	}
	one.dropped[at] = true
	x.ignoreField(one, one.kind.SpecPath+"."+at, why)
}

// checkStep checks the step for an object, which may write only the mark. If the step would change another
// field, the manifest is corrected so that this field is not changed.
func (x *exporter) checkStep(one *item, s plan.Step) (corrected bool) {
	switch {
	case !one.managed && s.Error && !one.exact:
		one.exact = true
		return true
	case s.Error:
		x.demote(one, s.FullCause())
		return true
	}
	var left []kind.Change
	var renamed []string
	for _, c := range s.Changes {
		switch {
		case slices.Contains(one.export.Renames, c.Field):
			renamed = append(renamed, c.Field)
		case c.Field != kind.MarkField && c.Have != kind.Unknown:
			left = append(left, c)
		}
	}
	if x.leaveOutUnknown(one, left) {
		return true
	}
	for _, c := range left {
		what := "the cloud has " + shown(c.Have) + ", which a manifest cannot describe"
		if c.Secret {
			what = "it is secret"
		}
		corrected = x.ignoreField(one, c.Field, what) || corrected
	}
	for _, field := range renamed {
		if !corrected { // a correction may change their indexes
			x.note(one, field, "adoption renames these parts of it")
		}
	}
	return corrected
}

// leaveOutUnknown removes those list items that have attributes for which a manifest has no field. It reports
// whether there were any.
func (x *exporter) leaveOutUnknown(one *item, changes []kind.Change) (found bool) {
	for _, c := range changes {
		field, inSpec := strings.CutPrefix(c.Field, one.kind.SpecPath+".")
		at, within := one.leftOut(field)
		if inSpec && within != "" && !one.dropped[at] && !manifest.HasField(one.kind.Body, c.Field) {
			x.drop(one, at, fmt.Sprintf("%s is %s in the cloud", within, shown(c.Have)))
			found = true
		}
	}
	x.takeOut(one)
	return found
}

// shown returns a value as text for people.
func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "something else"
	}
	return printable.Clip(string(text), 200)
}

// ignoreField adds a field to the annotation ignore-fields. It returns false if the annotation already contains
// the field.
func (x *exporter) ignoreField(one *item, field, why string) (first bool) {
	if first = !slices.Contains(one.ignore, field); first {
		one.ignore = append(one.ignore, field)
		slices.Sort(one.ignore)
	}
	x.note(one, field, why+leftAlone)
	return first
}

// leftAlone is the end of a note about a field or an element in the annotation.
const leftAlone = "; it is not changed because of the annotation " + resolve.AnnotationIgnore

// ignoreElement adds the element of a list with that ID to the annotation ignore-fields.
func (x *exporter) ignoreElement(one *item, list, id, why string) {
	path := kind.ElementPath(list, id)
	if !slices.Contains(one.without, path) {
		one.without = append(one.without, path)
	}
	x.note(one, path, why+leftAlone)
}

// demote makes an import of an object that cannot be adopted, or removes it.
func (x *exporter) demote(one *item, why string) {
	if one.managed && importable(one) {
		one.managed = false
		x.note(one, "", "cannot be adopted: "+why+"; references use an import of it (managementPolicy: unmanaged)")
		return
	}
	one.gone = true
	x.note(one, "", "is left out: "+why)
}
