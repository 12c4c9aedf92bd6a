package resolve

import (
	"fmt"
	"strings"
)

// visit is the state of an object while sort runs.
type visit int

const (
	unseen   visit = iota
	visiting       // the objects that it refers to are being visited
	visited
)

// sort orders the objects so that each object comes after the objects that it refers to. Late references do not count. Apart from that,
// objects keep the order of their files. sort reports circles.
func (r *resolver) sort() []*node {
	out := make([]*node, 0, len(r.order))
	var path []*node
	var walk func(n *node)
	walk = func(n *node) {
		n.visit, n.depth = visiting, len(path)
		path = append(path, n)
		for _, ref := range n.Refs {
			next := r.byKey[ref.Key]
			switch {
			case next == nil || ref.Late:
			case next.visit == unseen:
				walk(next)
			case next.visit == visiting && len(r.problems) < maxProblems:
				r.report(n.Problem(ref.Field, "closes a circle: "+circle(path[next.depth:]),
					"remove one of these references: none of these objects can be created first"))
			}
		}
		path = path[:len(path)-1]
		n.visit = visited
		out = append(out, n)
	}
	for _, n := range r.order {
		if r.over() {
			return nil
		}
		if n.visit == unseen {
			walk(n)
		}
	}
	return out
}

// circle returns the names of the objects of a circle, without the middle of a long one.
func circle(path []*node) string {
	const most, ends = 20, 5
	var b strings.Builder
	for i, n := range path {
		switch {
		case len(path) <= most || i < ends || i >= len(path)-ends:
			b.WriteString(n.Key.String() + " -> ")
		case i == ends:
			fmt.Fprintf(&b, "%d more -> ", len(path)-2*ends)
		}
	}
	return b.String() + path[0].Key.String()
}
