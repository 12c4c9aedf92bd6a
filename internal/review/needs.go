package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/report/comment"
)

// maxIncluded is the maximum number of other pull requests that a plan includes. Each one costs a merge.
const maxIncluded = 10

// need is a pull request that another one needs, with its fate: for example, whether the plan includes it. ref is the reference at which
// its commits are fetched.
type need struct {
	comment.Need
	ref      string
	fromFork bool // the needed pull request is merged before this one, and comes from a fork
}

// needs contains the pull requests that one pull request needs, in the order in which they are merged.
type needs struct {
	list []need
	more bool // there are more needs than the agent follows
}

// needsOf returns the pull requests that root needs, directly or through others. It follows only open pull requests into the same branch.
// The argument may reports whether the commits of a pull request may be planned.
func needsOf(root forge.Pull, open map[int]forge.Pull, may func(forge.Pull) bool) needs {
	if len(root.Needs) == 0 {
		return needs{}
	}
	w := walk{root: root.Number, open: open, may: may, graph: map[int]forge.Pull{root.Number: root}, seen: map[needName]bool{}}
	w.collect(root)
	w.follow(root)
	return needs{w.list, w.more}
}

// included returns the references and the commits of the pull requests that are merged before the head.
func (n needs) included() (refs, commits []string) {
	for _, one := range n.list {
		if one.Fate == comment.Included {
			refs, commits = append(refs, one.ref), append(commits, one.Head)
		}
	}
	return refs, commits
}

// walk follows the needs of one pull request, the root.
type walk struct {
	root     int
	open     map[int]forge.Pull
	may      func(forge.Pull) bool
	graph    map[int]forge.Pull // the root, and the open pull requests below it that may be planned
	seen     map[needName]bool
	list     []need
	included int
	more     bool
}

// collect puts into graph the open pull requests that root needs, directly or through others, and that may be
// planned. The nearest come first.
func (w *walk) collect(root forge.Pull) {
	for queue := []forge.Pull{root}; len(queue) > 0; queue = queue[1:] {
		for _, n := range queue[0].Needs {
			next, ok := w.open[n.Number]
			if _, known := w.graph[n.Number]; !ok || known || n.Bond == forge.Related || !w.may(next) {
				continue
			}
			if len(w.graph) > forge.MaxNeeds {
				w.more = true
				return
			}
			w.graph[n.Number] = next
			queue = append(queue, next)
		}
	}
}

// ordersMerge reports whether a need with this bond must be merged before the pull request that needs it.
func ordersMerge(b forge.Bond) bool { return b == forge.Contained || b == forge.Named }

// circular reports whether a pull request needs itself, directly or through others.
func (w *walk) circular(number int) bool {
	seen, queue := map[int]bool{}, []int{number}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, n := range w.graph[queue[0]].Needs {
			if !ordersMerge(n.Bond) || seen[n.Number] {
				continue
			}
			if n.Number == number {
				return true
			}
			if _, ok := w.graph[n.Number]; ok {
				seen[n.Number] = true
				queue = append(queue, n.Number)
			}
		}
	}
	return false
}

// follow adds the needs of p to the list, each one after its own needs. Needs that order the merge come before topics. If p is not the root, pull
// requests that only have the same topic as p are left out.
func (w *walk) follow(p forge.Pull) {
	list := slices.Clone(p.Needs)
	slices.SortStableFunc(list, func(a, b forge.Need) int { return cmp.Compare(rank(a.Bond), rank(b.Bond)) })
	for _, n := range list {
		self := n.Number == w.root && (p.Number != w.root || !ordersMerge(n.Bond)) // the others of the circle get the fate Circular
		name := needName{n.Number, ""}
		if n.Number == 0 {
			name.text = n.Name
		}
		if self || w.seen[name] || n.Bond == forge.Related && p.Number != w.root {
			continue
		}
		if len(w.seen) >= forge.MaxNeeds {
			w.more = true
			return
		}
		w.seen[name] = true
		met := w.needWithFate(n) // adds the needs of n to the list
		w.list = append(w.list, met)
	}
}

// needName identifies a need. text is set only if the need has no number.
type needName struct {
	number int
	text   string
}

// rank returns the place of needs with a bond among the needs of a pull request: the lowest comes first.
func rank(b forge.Bond) int {
	switch b {
	case forge.Contained, forge.Named:
		return 0
	case forge.Together:
		return 1
	case forge.Related:
	}
	return 2
}

// needWithFate returns a need with its fate, which says whether the plan includes it and why. If the plan contains the
// pull request, its own needs are added to the list first.
func (w *walk) needWithFate(n forge.Need) need {
	pull, open := w.open[n.Number]
	next, followed := w.graph[n.Number]
	met := need{Need: comment.Need{Number: n.Number, Name: n.Name, URL: pull.URL, Inside: n.Bond == forge.Contained}, ref: pull.HeadRef}
	switch {
	case n.Number == 0:
		met.Fate = comment.Foreign
	case n.Number != w.root && !open:
		met.Fate = comment.NotOpen
	case n.Bond == forge.Related:
		met.Fate = comment.Singly
	case !w.may(pull):
		met.Fate = comment.Strange
	case followed && w.circular(n.Number):
		met.Fate = comment.Circular
	case n.Bond == forge.Contained && n.Commit != pull.Head:
		met.Fate = comment.Outdated
	case !followed || w.included == maxIncluded:
		met.Fate = comment.Beyond
	default:
		if met.Fate, met.Head = comment.Below, pull.Head; n.Bond != forge.Contained {
			met.Fate, met.fromFork = comment.Included, pull.Fork
			w.included++
		}
		w.follow(next)
	}
	return met
}

// key returns a text that changes when the plan or the page would change because of the needs.
func (n needs) key() string {
	var b strings.Builder
	for _, one := range n.list {
		fmt.Fprintln(&b, one.Number, one.Name, one.Fate, one.Head)
	}
	return b.String()
}
