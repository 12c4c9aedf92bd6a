package kindtest

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Seeds are the seeds for tests that act at random moments on real machines. STACKREEVE_TEST_SEEDS
// is their number, or a range such as 4-20.
func Seeds(t *testing.T, unset string) (all []uint64) {
	t.Helper()
	text := os.Getenv("STACKREEVE_TEST_SEEDS")
	if text == "" {
		text = unset
	}
	from, to, ranged := strings.Cut(text, "-")
	if !ranged {
		from, to = "1", text
	}
	first, err := strconv.ParseUint(from, 10, 16)
	last, errOfLast := strconv.ParseUint(to, 10, 16)
	if err := errors.Join(err, errOfLast); err != nil {
		t.Fatalf("STACKREEVE_TEST_SEEDS: %v", err)
	}
	for seed := first; seed <= last; seed++ {
		all = append(all, seed)
	}
	return all
}
