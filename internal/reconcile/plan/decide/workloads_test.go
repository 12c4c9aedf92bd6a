package decide

import (
	"errors"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
)

func TestPlansNameTheirWorkloads(t *testing.T) {
	parent := kind.Desired{Key: manifest.Key{Kind: "Machine", Name: "m"}, Virtual: true, Notes: []kind.Note{{Field: "f", Text: "t"}}}
	secret := kind.Desired{Key: manifest.Key{Kind: "Secret", Name: "s"}, Virtual: true, Data: map[string]string{"a": "b"}}
	p := Compute(world.Input{Want: []kind.Desired{parent, secret}, Have: kind.Snapshot{"Thing": {Err: errors.New("x")}}})
	want := []bool{false, true}
	var got []bool
	for _, w := range p.Workloads {
		got = append(got, w.Data)
	}
	if !slices.Equal(got, want) || len(p.Workloads[0].Notes) != 1 {
		t.Errorf("workloads are %+v", p.Workloads)
	}
}
