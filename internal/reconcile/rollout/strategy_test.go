package rollout

import "testing"

// The test computes four results for a group of four members. Unavailable is the number of members that need not serve. AtOnce is the
// number that a bad change can take out of service. Surge is the number of spare members. Stuck reports whether no member can ever be
// interrupted.
func TestAmountsOfAStrategy(t *testing.T) {
	for _, c := range []struct {
		name                       string
		strategy                   Strategy
		unavailable, atOnce, surge int
		stuck                      bool
	}{
		{"what is not said", Strategy{}, 1, 1, 0, false},
		{"none", Strategy{MaxUnavailable: amount("0")}, 0, 1, 0, true},
		{"a share of none", Strategy{MaxUnavailable: amount("0%")}, 0, 1, 0, true},
		{"a small share", Strategy{MaxUnavailable: amount("1%")}, 1, 1, 0, false},
		{"half", Strategy{MaxUnavailable: amount("50%")}, 2, 2, 0, false},
		{"more than there are", Strategy{MaxUnavailable: amount("9")}, 9, 4, 0, false},
		{"further ones instead", Strategy{MaxSurge: amount("2")}, 0, 1, 2, false},
		{"a share of further ones", Strategy{MaxSurge: amount("30%")}, 0, 1, 2, false},
		{"no further ones", Strategy{MaxSurge: amount("0")}, 1, 1, 0, false},
		{"both", Strategy{MaxUnavailable: amount("2"), MaxSurge: amount("1")}, 2, 2, 1, false},
		{"a canary", Strategy{MaxUnavailable: amount("3"), Canary: Canary{Members: 1}}, 3, 1, 0, false},
		{"more canaries than members", Strategy{Canary: Canary{Members: 9}}, 1, 4, 0, false},
		{"all at once", Strategy{Type: Recreate, MaxSurge: amount("2"), MaxUnavailable: amount("1")}, 4, 4, 0, false},
		{"on deletion", Strategy{Type: OnDelete, MaxSurge: amount("2"), MaxUnavailable: amount("0")}, 0, 1, 0, false},
	} {
		s := c.strategy
		if u, a, f, stuck := s.Unavailable(4), s.AtOnce(4), s.Surge(4), s.Stuck(4); u != c.unavailable || a != c.atOnce || f != c.surge || stuck != c.stuck {
			t.Errorf("%s: %d need not serve, %d at once, %d further ones, stuck %v", c.name, u, a, f, stuck)
		}
		if s.Stuck(0) {
			t.Errorf("%s: a group of none is stuck", c.name)
		}
	}
}
