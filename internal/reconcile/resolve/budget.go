package resolve

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Size is how large a revision is.
type Size struct {
	Objects int   // with what they expand to
	Values  int   // in the documents
	Bytes   int64 // of the files

	spent [len(costs)]int
}

// Bounds is how large a revision may be: anyone who can push to a branch, or open
// a pull request, decides how much there is to read. The zero value stands for
// the defaults.
type Bounds struct {
	// Objects is how many there may be with what they expand to; 0 is
	// [DefaultObjects].
	Objects int
	// Values, Bytes, Files and Documents bound what is read; 0 leaves it to package manifest.
	Values           int
	Bytes            int64
	Files, Documents int

	costs               [len(costs)]int // 0: by the number of objects
	whose, fix, readFix string          // ends of messages
}

// DefaultObjects is how many objects a stack may have, with what they expand to.
const DefaultObjects = 20_000

// DefaultPullObjects is how many objects a pull request may add to a small
// stack.
const DefaultPullObjects = 1_000

// What a pull request may add to the documents themselves, besides as much as
// there is.
const (
	pullValues = 250     // for each object that it may add
	pullBytes  = 8 << 10 // likewise
)

// loading is how much is read.
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

// ForPull bounds a pull request by the branch it is for: it may double what is
// there, or add so many objects if that is more, and never exceeds the bounds of
// the stack. added of 0 is [DefaultPullObjects].
//
// Doubling lets a pull request do whatever people do to a stack that they have,
// copy all of it included, at a cost that the agent bears for the branch
// already. The number is for stacks that begin.
func (b Bounds) ForPull(base Size, added int) Bounds {
	b = b.orDefaults()
	if added == 0 {
		added = DefaultPullObjects
	}
	for c := range costs {
		b.costs[c] = min(b.of(cost(c)), base.spent[c]+max(base.spent[c], added*costs[c].each))
	}
	if most := base.Objects + max(base.Objects, added); most < b.Objects {
		b.whose = fmt.Sprintf(": that is the limit for a pull request, given %d of the branch", base.Objects)
		b.fix = "add them in several pull requests, or raise spec.limits.pullObjects in the stack's configuration"
		b.Objects = most
	}
	b.Values = min(manifest.DefaultNodes, base.Values+max(base.Values, added*pullValues))
	b.Bytes = min(manifest.DefaultTotalBytes, base.Bytes+max(base.Bytes, int64(added)*pullBytes))
	b.readFix = "split it into several pull requests, or raise spec.limits.pullObjects in the stack's configuration"
	return b
}

// of is how much of something there may be.
func (b Bounds) of(c cost) int {
	if b.costs[c] > 0 {
		return b.costs[c]
	}
	return b.Objects * costs[c].each
}

// budget is what the expansion of a revision may still cost. It is asked before
// anything is made, and in this one place.
type budget struct {
	bounds Bounds
	stop   func() error // says why it is to end, and from then on always; nil when nothing ends it from outside

	left  [len(costs)]int
	spent *overspent // what ran out first
}

// cost is something that takes memory or time.
type cost int

const (
	costObjects     cost = iota
	costValues           // in the bodies that objects expand to
	costBytes            // of these values
	costReferences       // that manifests do not write out, such as the members of a group
	costComparisons      // of names, to suggest the one that was meant
	costExpressions      // what evaluating them takes, by the measure of CEL
)

// costs are what each is in words, and how much of it an object may cost on
// average. A machine has some thirty values, half a dozen references and a
// script of at most 48 KiB. A template of it has as many expressions, each of which
// costs less than ten.
var costs = [...]struct {
	what string
	each int
}{
	costObjects:     {"objects, with what the manifests expand to", 1},
	costValues:      {"values in what the manifests expand to", 100},
	costBytes:       {"bytes of text in what the manifests expand to", 32 << 10},
	costReferences:  {"references to the members of groups and networks", 20},
	costComparisons: {"comparisons of names", 4},
	costExpressions: {"units of cost in expressions of Definitions", 1000},
}

// overspent says what ran out.
type overspent struct{ what, fix string }

func newBudget(bounds Bounds, stop func() error) *budget {
	bounds = bounds.orDefaults()
	b := &budget{bounds: bounds, stop: stop}
	for c := range costs {
		b.left[c] = bounds.of(cost(c))
	}
	return b
}

// take spends n of something. When it is false nothing more may be made.
func (b *budget) take(c cost, n int) bool {
	if b.over() {
		return false
	}
	if n <= b.left[c] {
		b.left[c] -= n
		return true
	}
	b.spent = &overspent{fmt.Sprintf("more than %d %s%s", b.bounds.of(c), costs[c].what, b.bounds.whose), b.bounds.fix}
	return false
}

// giveBack is for what was taken and not used.
func (b *budget) giveBack(c cost, n int) { b.left[c] += n }

// affords is take for what can be left out.
func (b *budget) affords(c cost, n int) bool {
	if b.over() || n > b.left[c] {
		return false
	}
	b.left[c] -= n
	return true
}

// over reports whether anything ran out, or somebody said stop.
func (b *budget) over() bool {
	return b.spent != nil || b.stopped() != nil
}

// stopped is why it was ended from outside; nil when it was not.
func (b *budget) stopped() error {
	if b.stop == nil {
		return nil
	}
	return b.stop()
}

// size is what was spent.
func (b *budget) size() (s Size) {
	for c := range costs {
		s.spent[c] = b.bounds.of(cost(c)) - b.left[c]
	}
	s.Objects = s.spent[costObjects]
	return s
}

// problem blames the object during whose expansion something ran out.
func (u *overspent) problem(of *manifest.Object) manifest.Problem {
	p := manifest.Problem{What: u.what, Fix: u.fix}
	if of != nil {
		p.Origin, p.Key = of.Origin, of.Key
	}
	return p
}
