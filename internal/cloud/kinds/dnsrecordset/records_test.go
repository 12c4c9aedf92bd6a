package dnsrecordset

import (
	"slices"
	"strings"
	"testing"
)

// FuzzRecords checks that spell does not change a record that spell has returned, because otherwise a change would
// repeat forever. It also checks that every record that the cloud shows can be compared.
func FuzzRecords(f *testing.F) {
	for of, record := range examples {
		f.Add(of, record)
	}
	f.Add("TXT", `"a" "b\"`)
	f.Add("TXT", strings.Repeat(`"\`, 200))
	f.Add("CAA", `0 issue " "`)
	f.Fuzz(func(t *testing.T, of, record string) {
		canonical(of, []string{record})
		spelling, wrong, _ := spell(of, record)
		if wrong != "" {
			return
		}
		again, wrong, _ := spell(of, spelling)
		if wrong != "" || again != spelling {
			t.Errorf("%s %q is written as %q, and that as %q, %s", of, record, spelling, again, wrong)
		}
		if one, other := canonical(of, []string{record}), canonical(of, []string{spelling}); !slices.Equal(one, other) {
			t.Errorf("%s %q is compared as %q, and %q as %q", of, record, one, spelling, other)
		}
	})
}
