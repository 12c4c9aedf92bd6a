package resolve

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Size is the size of a revision.
type Size struct {
	Objects int   // number of objects, with those that they expand into
	Values  int   // number of values in the documents
	Bytes   int64 // size of the files

	spent [len(costs)]int
}

// Bounds limits the size of a revision, because anyone who can push to a branch, or open a pull request, decides how much must be read. The
// zero value means the defaults.
type Bounds struct {
	// Objects is the largest number of objects, with those that they expand into; 0 is
	// [DefaultObjects].
	Objects int
	// Values, Bytes, Files and Documents bound the input; 0 means the default of package manifest.
	Values           int
	Bytes            int64
	Files, Documents int

	costs               [len(costs)]int // bounds of the costs; 0 means that it is derived from the number of objects
	owner, fix, readFix string          // parts of messages
}

// DefaultObjects is the maximum number of objects of a stack, with those that they expand into.
const DefaultObjects = 20_000

// DefaultPullObjects is the number of objects that a pull request may add to a small stack.
const DefaultPullObjects = 1_000

// Documents of a pull request may be larger than those of the branch: by these amounts, or by the size of the branch if that is more.
const (
	pullValues = 250     // values for each object that the pull request may add
	pullBytes  = 8 << 10 // bytes for each object that the pull request may add
)

// loading returns the limits for reading the files.
func (b Bounds) loading(stop func() error) manifest.Options {
	return manifest.Options{MaxNodes: b.Values, MaxTotalBytes: b.Bytes, MaxFiles: b.Files, MaxEntries: 5 * b.Files, MaxDocuments: b.Documents, TooMuch: b.readFix, Stop: stop}
}

func (b Bounds) orDefaults() Bounds {
	if b.Objects == 0 {
		b.Objects = DefaultObjects
	}
	if b.fix == "" {
		b.fix = "split the stack, or raise spec.limits.objects in its configuration"
	}
	return b
}

// ForPull returns the bounds for a pull request into a branch of the size base. The pull request may double the branch's objects, or add
// the number added if that is more, but never exceeds the bounds of the stack. If added is 0, it means [DefaultPullObjects].
//
// Doubling allows every usual change of an existing stack, even a copy of all of it. The agent already needs as much time and memory for the
// branch itself. The number added is for new stacks.
func (b Bounds) ForPull(base Size, added int) Bounds {
	b = b.orDefaults()
	if added == 0 {
		added = DefaultPullObjects
	}
	for c := range costs {
		b.costs[c] = min(b.bound(cost(c)), base.spent[c]+max(base.spent[c], added*costs[c].each))
	}
	if most := base.Objects + max(base.Objects, added); most < b.Objects {
		b.owner = fmt.Sprintf(": that is the limit for a pull request if the branch has %d", base.Objects)
		b.fix = "add them in several pull requests, or raise spec.limits.pullObjects in the stack's configuration"
		b.Objects = most
	}
	b.Values = min(manifest.DefaultNodes, base.Values+max(base.Values, added*pullValues))
	b.Bytes = min(manifest.DefaultTotalBytes, base.Bytes+max(base.Bytes, int64(added)*pullBytes))
	b.readFix = "split it into several pull requests, or raise spec.limits.pullObjects in the stack's configuration"
	return b
}

// bound returns the bound for one cost.
func (b Bounds) bound(c cost) int {
	if b.costs[c] > 0 {
		return b.costs[c]
	}
	return b.Objects * costs[c].each
}

// budget is the cost that the expansion of a revision may still have. All code takes from this one budget before it creates anything.
type budget struct {
	bounds Bounds
	stop   func() error // returns the reason why the work must end, which stays the same; nil if nothing can end it from outside

	left     [len(costs)]int
	exceeded *boundExceeded // the first cost that exceeded its bound
}

// cost is a resource of memory or time.
type cost int

const (
	costObjects     cost = iota
	costValues           // values in the bodies that objects expand into.
	costBytes            // size of these values.
	costReferences       // references that manifests do not contain themselves, such as to the members of a group.
	costComparisons      // comparisons of names, to suggest the one that was meant.
	costExpressions      // cost of evaluating expressions, in the units of CEL.
)

// costs has a description of each cost, and the average that an object may have. A machine has some
// thirty values, half a dozen references and a script of at most 48 KiB. A template for it has as
// many expressions, each of which costs less than ten.
var costs = [...]struct {
	what string
	each int
}{
	costObjects:     {"objects, including the objects that the manifests expand to", 1},
	costValues:      {"values in the objects that the manifests expand to", 100},
	costBytes:       {"bytes of text in the objects that the manifests expand to", 32 << 10},
	costReferences:  {"references to the members of groups and networks", 20},
	costComparisons: {"comparisons of names", 4},
	costExpressions: {"units of cost in expressions of Definitions", 1000},
}

// boundExceeded is the text about a cost that has exceeded its bound.
type boundExceeded struct{ what, fix string }

func newBudget(bounds Bounds, stop func() error) *budget {
	bounds = bounds.orDefaults()
	b := &budget{bounds: bounds, stop: stop}
	for c := range costs {
		b.left[c] = bounds.bound(cost(c))
	}
	return b
}

// take spends n of a cost. If it returns false, nothing more may be created.
func (b *budget) take(c cost, n int) bool {
	if b.over() {
		return false
	}
	if n <= b.left[c] {
		b.left[c] -= n
		return true
	}
	b.exceeded = &boundExceeded{fmt.Sprintf("more than %d %s%s", b.bounds.bound(c), costs[c].what, b.bounds.owner), b.bounds.fix}
	return false
}

// refund returns an amount to the budget that was taken but not used.
func (b *budget) refund(c cost, n int) { b.left[c] += n }

// tryTake does the same as take for work that can be left out. If too little is left, only this work is left out.
func (b *budget) tryTake(c cost, n int) bool {
	if b.over() || n > b.left[c] {
		return false
	}
	b.left[c] -= n
	return true
}

// over reports whether any cost exceeded its bound, or the work was stopped.
func (b *budget) over() bool {
	return b.exceeded != nil || b.stopped() != nil
}

// stopped returns the reason why the work was stopped from outside; nil if it was not.
func (b *budget) stopped() error {
	if b.stop == nil {
		return nil
	}
	return b.stop()
}

// size returns the amounts that were spent so far.
func (b *budget) size() (s Size) {
	for c := range costs {
		s.spent[c] = b.bounds.bound(cost(c)) - b.left[c]
	}
	s.Objects = s.spent[costObjects]
	return s
}

// problem returns the problem that a bound was exceeded. It is reported at the object whose expansion exceeded the bound.
func (u *boundExceeded) problem(of *manifest.Object) manifest.Problem {
	p := manifest.Problem{What: u.what, Fix: u.fix}
	if of != nil {
		p.Origin, p.Key = of.Origin, of.Key
	}
	return p
}
