package etcdcluster_test

import (
	"strings"
	"testing"
)

// If the manifest changes how members are kept on separate hosts, they move one at a time.
func TestMembersMoveApartOneAtATime(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(2))
	w.settled(2)
	w.armed()
	pass := w.MustSync(sized(2, "haPolicy: hard"))
	w.settled(2)
	if w.fewest < 1 {
		t.Errorf("at some moment %d of 2 machines ran", w.fewest)
	}
	for _, s := range pass.First.Steps {
		if s.Key.Kind == "Server" && !strings.Contains(s.ShortCause(), "after ServerGroup/kv, ") {
			t.Errorf("the plan says %s: %s", s.Key, s.ShortCause())
		}
	}
}
