package rollout

import "testing"

// A member with Last is changed only when no other must be changed. No other member waits for a member with Stays. If such a member is
// away, it is changed without delay.
func TestLastAndStaying(t *testing.T) {
	for _, c := range []struct {
		members string
		last    int // -1 for none
		stay    int
		want    string
	}{
		{"SSS", 0, -1, "wgw"},
		{"SSS", 1, -1, "gww"},
		{"Sss", 0, -1, "ggg"},
		{"SSS", -1, 0, "lgw"},
		{"SAS", 0, -1, "wgw after 1"},
		{"ASS", -1, 0, "gww after 0"},
		{"XSS", 0, -1, "gww"},
		{"YYY", 0, -1, "wgw"},
	} {
		members := read(c.members)
		if c.last >= 0 {
			members[c.last].Last = true
		}
		if c.stay >= 0 {
			members[c.stay].Stays = true
		}
		if got := show(Decide(Strategy{}, members, now)); got != c.want {
			t.Errorf("%s, %d last, %d stays: %s, want %s", c.members, c.last, c.stay, got, c.want)
		}
	}
}
