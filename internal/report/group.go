package report

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Group is an object of the repository with the steps that belong to it.
type Group struct {
	Root   manifest.Key
	Origin manifest.Origin
	// Own is the step of the object itself. It is nil if the object is only expanded to others.
	Own      *plan.Step
	Children []*plan.Step
	Notes    []kind.Note // the notes of the object itself, if it has no step
}

// Groups collects the steps below the objects that people wrote. The groups are in the order of the plan.
func Groups(p plan.Plan) []Group {
	parents, workloads := map[manifest.Key]manifest.Key{}, map[manifest.Key]plan.Workload{}
	for _, w := range p.Workloads {
		parents[w.Key], workloads[w.Key] = w.Parent, w
	}
	for _, s := range p.Steps {
		parents[s.Key] = parentOf(s)
	}
	at := map[manifest.Key]int{}
	var list []Group
	for i := range p.Steps {
		s := &p.Steps[i]
		root := top(parents, s.Key)
		n, ok := at[root]
		if !ok {
			n = len(list)
			at[root] = n
			w := workloads[root]
			list = append(list, Group{Root: root, Origin: w.Origin, Notes: w.Notes})
		}
		if s.Key == root && list[n].Own == nil {
			list[n].Own, list[n].Origin = s, s.Origin
		} else {
			list[n].Children = append(list[n].Children, s)
		}
	}
	return list
}

// Layers returns the places of the documents of later layers that were merged into the manifest of a step's object. It
// returns none for an object that was expanded from another one.
func Layers(s plan.Step) []manifest.Origin {
	if s.Want == nil || s.Want.Object == nil || s.Parent != (manifest.Key{}) {
		return nil
	}
	return s.Want.Object.Origins()[1:]
}

// top returns the written object from which key was expanded.
func top(parents map[manifest.Key]manifest.Key, key manifest.Key) manifest.Key {
	for range parents {
		parent := parents[key]
		if parent == (manifest.Key{}) {
			return key
		}
		key = parent
	}
	return key
}

// parentOf returns the object to which a step belongs. It is the object from which the step's object was expanded, or the group that contained it.
func parentOf(s plan.Step) manifest.Key {
	if s.Parent == (manifest.Key{}) {
		return s.Within
	}
	return s.Parent
}
