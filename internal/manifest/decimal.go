package manifest

import (
	"encoding/json"
	"errors"
	"math/big"

	"github.com/stackreeve/stackreeve/internal/pattern"
)

// Decimal is a field for an amount of 0 or more, such as 0.0208. It may be written as a number or as a string, and the
// text is stored unchanged.
type Decimal struct{ text string }

// decimal matches an amount; a number in JSON may be written as 1e-07.
var decimal = pattern.Of(`^[0-9]{1,12}(\.[0-9]{1,12})?([eE][-+]?[0-9]{1,2})?$`)

// UnmarshalJSON accepts a JSON number or string.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	written := string(text)
	if len(text) > 0 && text[0] == '"' {
		if err := json.Unmarshal(text, &written); err != nil {
			return err
		}
	}
	if !decimal.MatchString(written) {
		return errors.New("must be an amount of 0 or more with at most 12 digits on each side of the point, such as 0.0208")
	}
	d.text = written
	return nil
}

// MarshalJSON writes a form that UnmarshalJSON accepts.
func (d Decimal) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// String returns the amount as written.
func (d Decimal) String() string {
	if d.text == "" {
		return "0"
	}
	return d.text
}

// Rat returns the amount as a rational number.
func (d Decimal) Rat() *big.Rat {
	r, _ := new(big.Rat).SetString(d.String()) // UnmarshalJSON has checked the text
	return r
}

// JSONSchema returns the schema of the field: a number or a string.
func (Decimal) JSONSchema() map[string]any {
	return map[string]any{"type": []string{"number", "string"}}
}
