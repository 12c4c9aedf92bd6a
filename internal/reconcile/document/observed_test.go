package document

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
)

type observedState struct {
	Colour string      `json:"colour,omitempty"`
	Code   int         `json:"code,omitempty"`
	Rooms  []houseRoom `json:"rooms,omitempty"`
	ID     string      `json:"id,omitempty"`
}

func TestObserved(t *testing.T) {
	size := 7
	state := observedState{Colour: "red", Code: 7, Rooms: []houseRoom{{Name: "hall", Size: &size}, {Name: "bath"}}, ID: "1"}
	for name, c := range map[string]struct {
		d    *kind.Desired
		want string
	}{
		"no manifest":     {nil, `{"colour":"red","code":7,"rooms":[{"name":"hall","size":7},{"name":"bath"}],"id":"1"}`},
		"nothing":         {&kind.Desired{SpecPath: "spec"}, `{"colour":"red","code":7,"rooms":[{"name":"hall","size":7},{"name":"bath"}],"id":"1"}`},
		"a field":         {&kind.Desired{SpecPath: "spec", Encrypted: []string{"spec.colour"}}, `{"code":7,"colour":"[redacted]","id":"1","rooms":[{"name":"hall","size":7},{"name":"bath"}]}`},
		"a field of all":  {&kind.Desired{SpecPath: "spec", Encrypted: []string{"spec.rooms[1].name"}}, `{"code":7,"colour":"red","id":"1","rooms":[{"name":"[redacted]","size":7},{"name":"[redacted]"}]}`},
		"an equal value":  {&kind.Desired{SpecPath: "spec", Encrypted: []string{"spec.code"}, Spec: &houseSpec{Code: "7"}}, `{"code":"[redacted]","colour":"red","id":"1","rooms":[{"name":"hall","size":"[redacted]"},{"name":"bath"}]}`},
		"a part of a one": {&kind.Desired{SpecPath: "spec", Encrypted: []string{"spec.colour.shade"}}, `{"code":7,"colour":"[redacted]","id":"1","rooms":[{"name":"hall","size":7},{"name":"bath"}]}`},
	} {
		if have := resolve.Canonical(Observed(c.d, state, nil)); have != c.want {
			t.Errorf("%s: got %s, want %s", name, have, c.want)
		}
	}
}
