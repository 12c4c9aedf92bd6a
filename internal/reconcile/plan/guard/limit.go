package guard

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Limits is how much one pass may destroy. To destroy is to delete an object, to
// replace it, or to wipe its disk.
type Limits struct {
	// All bounds all kinds together.
	All Limit
	// Kinds bounds single kinds besides, each by what the stack owns of it.
	Kinds map[string]Limit
	// DataLoss is whether data may be lost that is nowhere else, where no annotation says.
	DataLoss bool
}

// Ownable names the kinds of which a stack can own objects in the cloud, the
// only ones that a limit means something for.
func Ownable(kinds []*kind.Kind) (names []string) {
	for _, k := range kinds {
		if k.Driver != nil {
			names = append(names, k.Info.Kind)
		}
	}
	return names
}

// Limit is how many objects one pass may destroy: a number, or a share of what
// the stack owns.
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

// unlimited reports whether everything may go.
func (l Limit) unlimited() bool { return l.percent && l.Percent >= 100 }

// of is the limit in objects, for a stack that owns so many. Shares round up,
// so that a small stack can lose one object.
func (l Limit) of(owned int) int {
	if l.percent {
		return int(math.Ceil(l.Percent / 100 * float64(owned)))
	}
	return l.Count
}

// String is the limit as it was written.
func (l Limit) String() string {
	if l.percent {
		return strconv.FormatFloat(l.Percent, 'g', -1, 64) + "%"
	}
	return strconv.Itoa(l.Count)
}
