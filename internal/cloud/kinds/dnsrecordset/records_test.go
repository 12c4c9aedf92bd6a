package dnsrecordset

import (
	"slices"
	"strings"
	"testing"
)

// FuzzRecords: the spelling of a record does not change when it is spelled again, so that no
// change repeats forever. Everything that the cloud shows can be compared.
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
