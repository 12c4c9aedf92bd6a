package document

import (
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/redact"
)

// Difference describes how an object that people wrote differs between two revisions.
type Difference struct {
	Key manifest.Key
	// Origin is the place of the object in the later revision, or in the earlier one if it was
	// removed.
	Origin manifest.Origin
	Edit   Edit
	// Changes are the fields that differ in a changed manifest, in the order of their paths. Have is nil for an added field, and Want is
	// nil for a removed one.
	Changes []kind.Change
	// Before and After are the object in both revisions; nil if it is in only one of them.
	Before, After *kind.Desired
}

// Edit is the kind of change to a manifest.
type Edit string

// These are the edits.
const (
	Added   Edit = "added"
	Changed Edit = "changed"
	Removed Edit = "removed"
)

// Differences compares two revisions without a cloud. The result is in the order of the second revision, followed by the removed objects.
// It compares the objects in the repository, but not the objects that they expand into. Texts without an effect, such as comments and
// labels, are not compared. Secrets are not shown.
func Differences(before, after []kind.Desired) []Difference {
	return differences(before, after, func(d *kind.Desired) manifest.Key { return d.Key })
}

// Between does the same as [Differences] for the manifests of two stacks. An object whose name contains values is
// compared with the object that has the same name before values are put in. The result is in the order of keys.
func Between(before, after []kind.Desired) []Difference {
	list := differences(before, after, func(d *kind.Desired) manifest.Key {
		key := d.Key
		if d.Object != nil {
			key.Name = d.Object.WrittenName()
		}
		return key
	})
	slices.SortStableFunc(list, func(a, b Difference) int { return a.Key.Compare(b.Key) })
	return list
}

func differences(before, after []kind.Desired, keyOf func(*kind.Desired) manifest.Key) []Difference {
	secrets := confidential.Redactor(before, after)
	old := map[manifest.Key]*kind.Desired{}
	for i := range before {
		if written(&before[i]) {
			old[keyOf(&before[i])] = &before[i]
		}
	}
	var list []Difference
	for i := range after {
		d := &after[i]
		if !written(d) {
			continue
		}
		was := old[keyOf(d)]
		delete(old, keyOf(d))
		if was == nil {
			list = append(list, Difference{Key: d.Key, Origin: d.Origin, Edit: Added, After: d})
		} else if changes := manifestChanges(was, d, secrets); len(changes) > 0 {
			list = append(list, Difference{Key: d.Key, Origin: d.Origin, Edit: Changed, Changes: changes, Before: was, After: d})
		}
	}
	for i := range before {
		if d := &before[i]; old[keyOf(d)] != nil {
			list = append(list, Difference{Key: d.Key, Origin: d.Origin, Edit: Removed, Before: d})
			delete(old, keyOf(d))
		}
	}
	return list
}

// written reports whether the repository contains the object itself.
func written(d *kind.Desired) bool { return d.Parent == manifest.Key{} }

// manifestChanges compares two versions of one manifest.
func manifestChanges(before, after *kind.Desired, secrets *redact.Redactor) []kind.Change {
	c := comparison{secrets: secrets}
	c.compare("", effectiveTree(before), effectiveTree(after))
	return c.changes
}

// effectiveTree returns everything in the manifest that has an effect, as a tree in which secrets are sealed (see seal.go). It is empty for objects
// that are in no file.
func effectiveTree(d *kind.Desired) map[string]any {
	if d.Object == nil || !d.Body.Is() {
		return nil
	}
	tree := read(d.Object, d.Body)
	annotations := map[string]any{}
	for name, value := range d.Object.Annotations {
		if strings.HasPrefix(name, resolve.AnnotationPrefix) {
			annotations[name] = value
		}
	}
	tree["metadata"] = map[string]any{"annotations": annotations}
	return tree
}
