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

// check reads and plans the manifests as the stack that adopts the objects will, and corrects those that are
// refused or would change the cloud. again is true when it has corrected something.
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

// bounds are those of a stack, enlarged by the number of objects, because an export may have more than one
// stack may hold.
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

// File is the name of the file for an object with that name. No stack reads a file with the name
// kustomization.yaml.
func File(name string) string {
	if name == "kustomization" {
		name = "_" + name // no object can have this name
	}
	return name + ".yaml"
}

// unowned is the cloud without the marks of the objects to be adopted.
func (x *exporter) unowned() kind.Snapshot {
	have := kind.Snapshot{}
	for name, c := range x.Have {
		c.Items = slices.Clone(c.Items)
		for i := range c.Items {
			if one := x.byID[name][c.Items[i].ID]; one != nil && one.managed {
				c.Items[i].Mark, c.Items[i].Copied = nil, ""
			}
		}
		have[name] = c
	}
	return have
}

// refused leaves out the refused parts: an item of a list, or a field of an object. If that does not help, it
// leaves out the object.
func (x *exporter) refused(problems manifest.Problems, items map[manifest.Key]*item) error {
	dropped, demoted := map[*item]map[string]bool{}, map[*item]bool{} // in this call
	for _, p := range problems {
		one := items[p.Key]
		if one == nil || demoted[one] { // the problem is the limit of listed problems, or is about a group
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
	for _, g := range slices.Clone(x.groups) { // the problem is about one of them, or a part of one
		x.dissolve(g)
	}
	return nil
}

// drop leaves a field, or an item of a list, out of the manifest and as it is in the cloud.
func (x *exporter) drop(one *item, at, why string) {
	why = "cannot be written in a manifest (" + why + ")"
	if list, isItem := listOf(at); isItem {
		list = one.kind.SpecPath + "." + list
		why = shown(one.value(at).Interface()) + " is left out of the list: it " + why
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

// checkStep checks the step for an object: it may write nothing but the mark. Any other field that it would
// change is left as it is in the cloud.
func (x *exporter) checkStep(one *item, s plan.Step) (corrected bool) {
	switch {
	case !one.managed && s.Error && !one.exact:
		one.exact = true
		return true
	case s.Error:
		x.demote(one, s.Reason())
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
		what := "the cloud has " + shown(c.Have) + ", which the manifest cannot say"
		if c.Secret {
			what = "it is secret"
		}
		corrected = x.ignoreField(one, c.Field, what) || corrected
	}
	for _, field := range renamed {
		if !corrected { // a correction may change their indexes
			x.note(one, field, "adoption gives other names to these parts of it")
		}
	}
	return corrected
}

// leaveOutUnknown leaves out list items with attributes that no field of a manifest has, and reports whether there were
// any.
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

// shown is a value in the form for people.
func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "something else"
	}
	return printable.Clip(string(text), 200)
}

// ignoreField adds a field to the annotation ignore-fields. It returns false if the field is there already.
func (x *exporter) ignoreField(one *item, field, why string) (first bool) {
	if first = !slices.Contains(one.ignore, field); first {
		one.ignore = append(one.ignore, field)
		slices.Sort(one.ignore)
	}
	x.note(one, field, why+leftAlone)
	return first
}

// leftAlone ends a note about something that the annotation names.
const leftAlone = "; it is left as it is by the annotation " + resolve.AnnotationIgnore

// ignoreElement adds the element of a list with that ID to the annotation ignore-fields.
func (x *exporter) ignoreElement(one *item, list, id, why string) {
	path := kind.ElementPath(list, id)
	if !slices.Contains(one.without, path) {
		one.without = append(one.without, path)
	}
	x.note(one, path, why+leftAlone)
}

// demote makes an object that cannot be adopted an import, or leaves it out.
func (x *exporter) demote(one *item, why string) {
	if one.managed && importable(one) {
		one.managed = false
		x.note(one, "", "cannot be adopted: "+why+"; references use an import of it (managementPolicy: unmanaged)")
		return
	}
	one.gone = true
	x.note(one, "", "is left out: "+why)
}
