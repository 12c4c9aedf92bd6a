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
	// Own is the step of the object itself; nil when the object only stands for others.
	Own      *plan.Step
	Children []plan.Step
	Notes    []kind.Note // of the object itself when it has no step
}

// Groups puts steps under the objects that people wrote, in the order of the plan.
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
	for i, s := range p.Steps {
		root := top(parents, s.Key)
		n, ok := at[root]
		if !ok {
			n = len(list)
			at[root] = n
			w := workloads[root]
			list = append(list, Group{Root: root, Origin: w.Origin, Notes: w.Notes})
		}
		if s.Key == root && list[n].Own == nil {
			list[n].Own, list[n].Origin = &p.Steps[i], s.Origin
		} else {
			list[n].Children = append(list[n].Children, s)
		}
	}
	return list
}

// top is the written object that key comes from.
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

// parentOf is the object that a step belongs to: the one that its object was expanded from, or the group that it was part of.
func parentOf(s plan.Step) manifest.Key {
	if s.Parent == (manifest.Key{}) {
		return s.Within
	}
	return s.Parent
}
