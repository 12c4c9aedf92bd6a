package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

// maxSiblings is the maximum number of similar objects in one place that are all shown. If there are more, only the first shownSiblings are shown.
const maxSiblings, shownSiblings = 12, 3

// branch is an object with those of its parts that are shown.
type branch struct {
	of    status.Object
	parts []branch
	// alike are the branches that are left out because they are similar to this one.
	alike []branch
}

// grown puts objects below their owners. An object whose owner is not in the list is at the top level.
func grown(list []status.Object) []branch {
	there := map[status.Owner]bool{}
	for _, o := range list {
		there[selfOf(o)] = true
	}
	parts := map[status.Owner][]status.Object{}
	var roots []status.Object
	for _, o := range list {
		if owner, ok := ownerOf(o); ok && there[owner] {
			parts[owner] = append(parts[owner], o)
		} else {
			roots = append(roots, o)
		}
	}
	var grow func(list []status.Object) []branch
	grow = func(list []status.Object) (out []branch) {
		for _, o := range list {
			self := selfOf(o)
			below := parts[self]
			delete(parts, self) // so that a copy of the object does not have the parts again
			out = append(out, branch{of: o, parts: grow(below)})
		}
		return out
	}
	return grow(roots)
}

// calm reports whether no object of a branch needs a person's attention.
func (b branch) calm() bool {
	if needsAttention(b.of) {
		return false
	}
	for _, part := range b.parts {
		if !part.calm() {
			return false
		}
	}
	return true
}

// sign returns the same text for branches that are shown as one. Objects of a kind that need no attention have the same sign if they are in the
// same state. Other objects have the same sign if they need the same attention.
func (b branch) sign(name string) string {
	s := b.of.Status
	if b.calm() {
		return b.of.Kind + "\x00" + stateText(s)
	}
	text := strings.Join([]string{b.of.Kind, s.Ready, stateText(s), WithPlaceholder(s.Message, name)}, "\x00")
	for _, part := range b.parts {
		text += "\x00" + part.sign(name)
	}
	return text
}

// folded leaves out branches that are similar to many others, and all objects below a depth. With the depth 0, the depth is not limited.
func folded(list []branch, depth int) (out []branch) {
	signs, many, last := make([]string, len(list)), map[string]int{}, map[string]int{}
	for i, b := range list {
		signs[i] = b.sign(b.of.Metadata.Name)
		many[signs[i]]++
	}
	shown := map[string]int{}
	for i, b := range list {
		sign := signs[i]
		if many[sign] > maxSiblings && shown[sign] == shownSiblings {
			of := &out[last[sign]]
			of.alike = append(of.alike, b)
			continue
		}
		shown[sign]++
		last[sign] = len(out)
		if depth == 1 {
			b.parts = nil
		} else {
			b.parts = folded(b.parts, max(depth-1, 0))
		}
		out = append(out, b)
	}
	return out
}

// rows returns the rows of the table for a branch. The parts of an object are below it.
func (b branch) rows(level int) (rows [][]string) {
	s := b.of.Status
	indent := strings.Repeat("  ", level)
	rows = append(rows, []string{
		indent + nameOf(b.of), s.Ready, stateText(s), addressText(s.Addresses), cmp.Or(Clean(s.ID), "-"), Clean(b.message()),
	})
	for _, part := range b.parts {
		rows = append(rows, part.rows(level+1)...)
	}
	if n := len(b.alike); n > 0 {
		ready := 0
		for _, other := range b.alike {
			if other.of.Status.Conditions[0].Status == "True" {
				ready++
			}
		}
		rows = append(rows, []string{
			fmt.Sprintf("%s… %d more like %s", indent, n, nameOf(b.of)), fmt.Sprintf("%d/%d", ready, n), stateText(s), "-", "-", "all with --verbose",
		})
	}
	return rows
}

// message returns the message of the object. If it repeats the message of a part that is shown, that text is left out.
func (b branch) message() string {
	text := b.of.Status.Message
	for part := range b.below {
		name := part.of.Kind + "/" + part.of.Metadata.Name
		if message := part.of.Status.Message; message != "" && strings.Contains(text, name+": "+message) {
			return strings.Replace(text, name+": "+message, name, 1)
		}
	}
	return text
}

// below yields the parts of the object that are shown, at any depth.
func (b branch) below(yield func(branch) bool) {
	var walk func(list []branch) bool
	walk = func(list []branch) bool {
		for _, part := range list {
			if !yield(part) || !walk(part.parts) {
				return false
			}
		}
		return true
	}
	walk(b.parts)
}
