package reconcile

import "github.com/stackreeve/stackreeve/internal/manifest"

// Difference is what a revision says otherwise than another about one object
// that people wrote.
type Difference struct {
	Key    manifest.Key
	Origin manifest.Origin
	// Action is Create, Update or Delete: what happens to the manifest.
	Action  Action
	Changes []Change
}

// Differences compares two revisions without a cloud. It looks at the objects
// that the repository holds, not at what they expand into, and shows no secret.
func Differences(before, after []Desired) []Difference {
	old := map[manifest.Key]*Desired{}
	for i := range before {
		if before[i].written() {
			old[before[i].Key] = &before[i]
		}
	}
	var list []Difference
	for i := range after {
		d := &after[i]
		if !d.written() {
			continue
		}
		was := old[d.Key]
		delete(old, d.Key)
		switch {
		case was == nil:
			list = append(list, Difference{Key: d.Key, Origin: d.Origin, Action: Create})
		case was.digest != d.digest:
			list = append(list, Difference{Key: d.Key, Origin: d.Origin, Action: Update})
		}
	}
	for i := range before {
		if d := &before[i]; old[d.Key] != nil {
			list = append(list, Difference{Key: d.Key, Origin: d.Origin, Action: Delete})
		}
	}
	return list
}

// written tells whether the object stands in the repository itself.
func (d *Desired) written() bool { return d.Parent == manifest.Key{} }
