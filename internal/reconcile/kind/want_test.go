package kind

import "testing"

// An element is left to others wherever the lists around its own place it.
func TestLeaves(t *testing.T) {
	for path, want := range map[string]bool{
		"spec.ports.realServers.members[m1]":    true,
		"spec.ports[0].realServers.members[m1]": true,
		"spec.ports[0].realServers.members[m2]": false,
		"spec.ports[m1]":                        false,
		"spec.ports":                            false,
	} {
		d := Desired{Options: Options{Ignore: []string{path}}}
		if got := NewWant(&d, nil, Mark{}, Surroundings{}).Leaves("spec.ports.realServers.members", "m1"); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}
