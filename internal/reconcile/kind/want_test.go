package kind

import "testing"

// A path in the annotation ignore-fields covers all fields below it. A list without an index covers all
// elements.
func TestIgnores(t *testing.T) {
	for _, c := range []struct {
		path, field string
		want        bool
	}{
		{"spec.ports", "spec.ports[0].algorithm", true},
		{"spec.ports[0]", "spec.ports[0].algorithm", true},
		{"spec.ports[1]", "spec.ports[0].algorithm", false},
		{"spec.ports.algorithm", "spec.ports[0].algorithm", true},
		{"spec.ports.algorithm", "spec.ports[0].algorithms", false},
		{"spec.ports.monitors.delay", "spec.ports[2].monitors[0].delay", true},
		{"spec.ports.monitors", "spec.ports[2].monitors[0].delay", true},
		{"spec.ports[2].monitors.delay", "spec.ports[2].monitors[0].delay", true},
		{"spec.ports[1].monitors.delay", "spec.ports[2].monitors[0].delay", false},
		{"spec.ports.algorithm", "spec.ports", false},
		{"spec.ports", "spec.portsOfCall", false},
		{"spec.data", "spec.data[a.b]", true},
	} {
		if got := (Options{Ignore: []string{c.path}}).Ignores(c.field); got != c.want {
			t.Errorf("%s of %s: %t", c.path, c.field, got)
		}
	}
}

// The annotation ignore-fields names an element of a list by the ID of its object.
func TestLeaves(t *testing.T) {
	for path, want := range map[string]bool{
		"spec.ports.realServers.members[m1]": true,
		"spec.ports.realServers.members[m2]": false,
		"spec.ports[m1]":                     false,
		"spec.ports":                         false,
	} {
		d := Desired{Options: Options{Ignore: []string{path}}}
		if got := NewWant(&d, nil, Mark{}, Lookups{}).IgnoresElement("spec.ports.realServers.members", "m1"); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}
