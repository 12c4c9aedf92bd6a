package plan

import (
	"maps"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Labels returns the labels of every object of the plan. An object inherits the labels of its parent that it does not have
// itself.
func (p Plan) Labels() map[manifest.Key]map[string]string {
	type node struct {
		parent manifest.Key
		want   *kind.Desired
	}
	nodes := map[manifest.Key]node{}
	for _, w := range p.Workloads {
		nodes[w.Key] = node{w.Parent, w.Want}
	}
	for _, s := range p.Steps {
		if s.Want != nil {
			nodes[s.Key] = node{s.Parent, s.Want}
		}
	}
	known := map[manifest.Key]map[string]string{}
	var of func(key manifest.Key) map[string]string
	of = func(key manifest.Key) map[string]string {
		n, ok := nodes[key]
		if labels, done := known[key]; done || !ok {
			return labels
		}
		known[key] = nil // so that the recursion ends, even if parents form a circle
		labels := of(n.parent)
		if n.want != nil && n.want.Object != nil && len(n.want.Object.Labels) > 0 {
			inherited := labels
			labels = maps.Clone(n.want.Object.Labels)
			for name, value := range inherited {
				if _, own := labels[name]; !own {
					labels[name] = value
				}
			}
		}
		known[key] = labels
		return labels
	}
	for key := range nodes {
		of(key)
	}
	return known
}
