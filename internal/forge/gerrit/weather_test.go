package gerrit_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
)

// At the end, there is one comment with all its parts, and the status and the vote are the last ones.
func TestBadWeather(t *testing.T) {
	forgetest.Storms(t, start, func(t *testing.T, l lab, _ string, number int) {
		if vote := l.Vote(number, forgetest.Bot); vote != 1 {
			t.Errorf("the vote is %d", vote)
		}
	})
}
