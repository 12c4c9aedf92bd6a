package readapi

import (
	"fmt"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// If commits define new kinds again and again, only a limited number of old kinds stays in memory. A client that
// watches a kind that was dropped must list again.
func TestKindsThatWentAreForgotten(t *testing.T) {
	testcost.Long(t)
	s := NewStore([]string{"prod"}, nil, time.Unix(1, 0))
	kindOf := func(n int) manifest.GroupVersionKind {
		return manifest.GroupVersionKind{Group: "example.com", Version: "v1", Kind: fmt.Sprintf("Thing%d", n)}
	}
	shown := func(n int) draft {
		d := thingNamed("a", "in sync")
		d.gvk = kindOf(n)
		return d
	}
	s.shows(shown(0))
	listed := s.at("").version
	const commits = maxEmptyKinds + 100
	for n := 1; n < commits; n++ {
		s.shows(shown(n), thingNamed("b", "in sync"))
	}
	v := s.at("").views["prod"]
	if most := maxEmptyKinds + 10; len(v.gone) > most || len(v.newest) > most {
		t.Errorf("of %d kinds it is remembered when they went, of %d when they changed", len(v.gone), len(v.newest))
	}
	for n, want := range map[int]bool{0: true, 1: true, commits - 2: true, commits - 1: true} {
		if got := s.at("").deletedVersion(kindOf(n)) > listed; got != want {
			t.Errorf("a client of kind %d that listed at the beginning has to list again: %v", n, got)
		}
	}
	if now := s.at(""); now.deletedVersion(thing) > now.version-10 {
		t.Error("what stays does not stay known")
	}
	before := s.at("").version
	s.shows(thingNamed("b", "in sync"), shown(0))
	if now := s.at(""); now.deletedVersion(kindOf(0)) <= listed || now.newest(kindOf(0)) <= before {
		t.Error("a kind that comes again is not as new as it is")
	}
}
