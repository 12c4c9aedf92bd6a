package machine

import (
	"math"
	"strconv"
	"strings"
)

// units are the units of sizes in Kubernetes.
var units = []struct {
	suffix string
	bytes  float64
}{{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"Ti", 1 << 40}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"", 1}}

// Gibibytes reads a size in Kubernetes' notation, rounded up to whole GiB.
func Gibibytes(text string) (size int, ok bool) {
	for _, unit := range units {
		number, found := strings.CutSuffix(text, unit.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || !(n > 0) || n*unit.bytes > 1<<50 {
			return 0, false
		}
		return int(math.Ceil(n * unit.bytes / (1 << 30))), true
	}
	return 0, false
}
