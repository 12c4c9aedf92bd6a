package report

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/source/signature"
)

// TestVerifiedMetric shows whether the newest commit is verified, and who signed the revision in force.
func TestVerifiedMetric(t *testing.T) {
	m := NewMetrics("test")
	signed := source.Revision{Commit: "one", Signed: source.Signed{By: signature.Signer{Name: "ann", Key: "1234"}}}
	for _, c := range []struct {
		run    Run
		series int
		value  float64
	}{
		{Run{Stack: "s", Revision: source.Revision{Commit: "one"}}, 0, 0},
		{Run{Stack: "s", Revision: signed}, 1, 1},
		{Run{Stack: "s", Revision: signed, Refused: &Refusal{Commit: "two", Unverified: true}}, 1, 0},
		{Run{Stack: "s", Refused: &Refusal{Commit: "two", Unverified: true}}, 1, 0},
	} {
		m.Ran(c.run)
		families, err := m.Registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, f := range families {
			if f.GetName() != "stackreeve_verified" {
				continue
			}
			for _, series := range f.GetMetric() {
				if found++; series.GetGauge().GetValue() != c.value {
					t.Errorf("%+v: %v, want %v", c.run, series, c.value)
				}
			}
		}
		if found != c.series {
			t.Errorf("%+v: %d series, want %d", c.run, found, c.series)
		}
	}
}
