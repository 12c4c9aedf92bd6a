package events

import (
	"slices"
	"testing"
)

// Each type of object that messages name has collections. Of an unknown type, any collection may have changed.
func TestCollections(t *testing.T) {
	for _, s := range services {
		for _, noun := range s.nouns {
			if got := (Look{Service: s.name, Collection: noun}).Collections(); len(got) == 0 {
				t.Errorf("%s %s: no collections", s.name, noun)
			}
		}
	}
	for resource, noun := range tagged {
		if got := (Look{Service: "network", Collection: noun}).Collections(); len(got) == 0 {
			t.Errorf("tags of %s: no collections", resource)
		}
	}
	for _, l := range []Look{{}, {Service: "network"}, {Service: "network", Collection: "weather"}, {Service: "weather", Collection: "network"}} {
		if got := l.Collections(); got != nil {
			t.Errorf("%+v: %v, want any", l, got)
		}
	}
	if got, want := (Look{Service: "network", Collection: "router_interface"}).Collections(), []string{"network/ports", "network/routers"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
