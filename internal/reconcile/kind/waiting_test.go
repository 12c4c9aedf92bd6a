package kind_test

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// A list is of no use while the cloud works on every awaited object, or on one of several that are awaited together. It is needed at once if an
// object is gone, has failed or is being deleted.
func TestWhatIsStillPending(t *testing.T) {
	for name, c := range map[string]struct {
		phases         []kind.Phase // "" means that the cloud does not show the object
		each, together bool
	}{
		"nothing is awaited":       {nil, false, false},
		"one":                      {[]kind.Phase{kind.Pending}, true, true},
		"one is ready":             {[]kind.Phase{kind.Ready}, false, false},
		"all of several":           {[]kind.Phase{kind.Pending, kind.Pending}, true, true},
		"one of several":           {[]kind.Phase{kind.Ready, kind.Pending}, false, true},
		"one has failed":           {[]kind.Phase{kind.Failed, kind.Pending}, false, false},
		"one is degraded":          {[]kind.Phase{kind.Pending, kind.Degraded}, false, false},
		"one is gone":              {[]kind.Phase{"", kind.Pending}, false, false},
		"somebody deletes another": {[]kind.Phase{kind.Pending, kind.Deleting}, false, false},
	} {
		phase := func(id string) (kind.Phase, bool) {
			at := c.phases[id[0]-'a']
			return at, at != ""
		}
		w := kind.Waiting{}
		for i := range c.phases {
			w.IDs = append(w.IDs, string(rune('a'+i)))
		}
		if got := w.Still(phase); got != c.each {
			t.Errorf("%s: %t", name, got)
		}
		if w.Together = true; w.Still(phase) != c.together {
			t.Errorf("%s, together: %t", name, !c.together)
		}
	}
}
