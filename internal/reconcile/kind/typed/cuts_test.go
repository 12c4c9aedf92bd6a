package typed

import (
	"reflect"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type Gate struct {
	Open *bool `json:"open,omitempty" cuts:"it is shut"`
}

type gateSpec struct {
	Gate
	Rules []string `json:"rules,omitempty" cuts:"nothing passes"`
	Leads string   `json:"leads,omitempty" cuts:"it leads nowhere"`
	Other []string `json:"other,omitempty"`
	Doors []struct {
		Keys []string `json:"keys" cuts:"nobody has a key"`
	} `json:"doors,omitempty" cuts:"there is no way in"`
}

// A change has the text of its field's tag `cuts:"…"` if it removes all or most of the value. It has none if it sets
// another value.
func TestWhatAChangeCutsOff(t *testing.T) {
	open, shut := true, false
	for name, tt := range map[string]struct {
		field      string
		have, want any
		cuts       bool
	}{
		"all rules":             {"spec.resource.rules", []string{"a", "b"}, []string{}, true},
		"most rules":            {"spec.resource.rules", []string{"a", "b", "c", "d", "e"}, []string{"a", "b"}, true},
		"half of the rules":     {"spec.resource.rules", []string{"a", "b", "c", "d"}, []string{"a", "b"}, false},
		"other rules":           {"spec.resource.rules", []string{"a", "b"}, []string{"c", "d"}, false},
		"no rules before":       {"spec.resource.rules", []string{}, []string{"a"}, false},
		"rules known later":     {"spec.resource.rules", []string{"a"}, "known once X is ready", false},
		"switched off":          {"spec.resource.open", true, false, true},
		"switched off, pointer": {"spec.resource.open", &open, &shut, true},
		"switched on":           {"spec.resource.open", false, true, false},
		"led away":              {"spec.resource.leads", "id-1", "", true},
		"led elsewhere":         {"spec.resource.leads", "id-1", "id-2", false},
		"all of a part":         {"spec.resource.doors[1].keys", []string{"a"}, nil, true},
		"a part":                {"spec.resource.doors", "door 1", nil, true},
		"a part is another":     {"spec.resource.doors[1]", "door 1", "door 2", false},
		"says nothing":          {"spec.resource.other", []string{"a"}, []string{}, false},
		"somewhere else":        {"metadata.rules", []string{"a"}, []string{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var c kind.Changes
			kind.Differs(&c, tt.field, tt.have, tt.want, kind.InPlace)
			setCuts(c.List(), reflect.TypeFor[*gateSpec](), "spec.resource")
			if got := c.List()[0].Cuts; (got != "") != tt.cuts {
				t.Errorf("it cuts off %q", got)
			}
		})
	}
}
