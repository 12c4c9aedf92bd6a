package guard

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Limits says how many objects one pass may destroy. An object is destroyed if it is deleted or replaced, if its
// disk is wiped, or if its users are cut off (see [plan.Step.Harm]).
type Limits struct {
	// All limits the number of objects of all kinds together.
	All Limit
	// Kinds limits single kinds in addition. A share refers to the stack's objects of that kind.
	Kinds map[string]Limit
	// DataLoss is true if data that exists nowhere else may be lost, unless an annotation says
	// otherwise.
	DataLoss bool
}

// Ownable returns the names of the kinds whose objects a stack can own in the cloud. A limit has no
// effect for other kinds.
func Ownable(kinds []*kind.Kind) (names []string) {
	for _, k := range kinds {
		if k.Driver != nil {
			names = append(names, k.Info.Kind)
		}
	}
	return names
}

// Limit is how many objects one pass may destroy: a number, or a share of the stack's objects.
type Limit struct {
	Count   int
	Percent float64
	percent bool
}

// ParseLimit reads "30%" or "5".
func ParseLimit(text string) (Limit, error) {
	text = strings.TrimSpace(text)
	if share, ok := strings.CutSuffix(text, "%"); ok {
		f, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
		if err != nil || f < 0 || f > 100 || math.IsNaN(f) {
			return Limit{}, fmt.Errorf("%q is not a share between 0%% and 100%%", text)
		}
		return Limit{Percent: f, percent: true}, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return Limit{}, fmt.Errorf("%q is neither a number like 5 nor a share like 30%%", text)
	}
	return Limit{Count: n}, nil
}

// unlimited reports whether all objects may be destroyed.
func (l Limit) unlimited() bool { return l.percent && l.Percent >= 100 }

// countOf returns the limit as a number of objects. owned is the number of objects that the stack owns. A share is
// rounded up, so that a small stack can lose one object.
func (l Limit) countOf(owned int) int {
	if l.percent {
		return int(math.Ceil(l.Percent / 100 * float64(owned)))
	}
	return l.Count
}

// String returns the limit in the form that ParseLimit reads.
func (l Limit) String() string {
	if l.percent {
		return strconv.FormatFloat(l.Percent, 'g', -1, 64) + "%"
	}
	return strconv.Itoa(l.Count)
}
