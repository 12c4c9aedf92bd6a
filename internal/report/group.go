package report

import (
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// group is what one object of the repository comes to.
type group struct {
	root   manifest.Key
	origin manifest.Origin
	// own is the step of the object itself; nil when it only stands for others.
	own      *reconcile.Step
	children []reconcile.Step
	notes    []reconcile.Note
}

// groups puts steps under the objects that people wrote, in the order of the
// plan.
func groups(p reconcile.Plan) []group {
	parents, workloads := map[manifest.Key]manifest.Key{}, map[manifest.Key]reconcile.Workload{}
	for _, w := range p.Workloads {
		parents[w.Key], workloads[w.Key] = w.Parent, w
	}
	for _, s := range p.Steps {
		parents[s.Key] = s.Parent
	}
	at := map[manifest.Key]int{}
	var list []group
	for i, s := range p.Steps {
		root := top(parents, s.Key)
		n, ok := at[root]
		if !ok {
			n = len(list)
			at[root] = n
			w := workloads[root]
			list = append(list, group{root: root, origin: w.Origin, notes: w.Notes})
		}
		if s.Key == root && list[n].own == nil {
			list[n].own, list[n].origin = &p.Steps[i], s.Origin
		} else {
			list[n].children = append(list[n].children, s)
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

// silent tells whether people need not read about a step.
func silent(s reconcile.Step) bool { return s.Action == reconcile.Keep && len(s.Changes) == 0 }

// said is the group without what need not be read; ok is false when nothing
// is left.
func (g group) said() (_ group, ok bool) {
	var children []reconcile.Step
	for _, s := range g.children {
		if !silent(s) {
			children = append(children, s)
		}
	}
	g.children = children
	return g, len(children) > 0 || g.own != nil && !silent(*g.own)
}

// long tells whether the group takes more than a line.
func (g group) long() bool {
	return len(g.children)+len(g.notes) > 0 || g.own != nil && len(g.own.Changes)+len(g.own.Notes) > 0
}
