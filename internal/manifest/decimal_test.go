package manifest_test

import (
	"encoding/json"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{`0.0208`: "13/625", `"0.1"`: "1/10", `0`: "0/1", `41`: "41/1", `1e-07`: "1/10000000", `"000.5"`: "1/2"} {
		var d manifest.Decimal
		if err := json.Unmarshal([]byte(text), &d); err != nil || d.Rat().String() != want {
			t.Errorf("%s is %s (%v), want %s", text, d.Rat(), err, want)
		}
	}
	var none manifest.Decimal
	if none.Rat().Sign() != 0 {
		t.Error("the zero value is not 0")
	}
}

// TestAttackDecimal uses exponents for which numbers would fill the memory, and texts that another parser reads
// in another way.
func TestAttackDecimal(t *testing.T) {
	for _, text := range []string{`-1`, `"-0.1"`, `1e999999999`, `"1e-999999999"`, `"1/3"`, `"0x10"`, `"1_000"`, `"inf"`, `""`, `" 1"`, `null`, `true`, `[1]`, `"1234567890123"`, `"1.\n2"`} {
		var d manifest.Decimal
		if err := d.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s is taken for %s", text, d)
		}
	}
}
