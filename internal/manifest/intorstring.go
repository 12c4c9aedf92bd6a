package manifest

import (
	"encoding/json"
	"errors"
	"strconv"
)

// IntOrString is a field for a number or a string, such as maxDeletes: 3 or "30%".
type IntOrString struct {
	IsString bool
	Int      int64
	Text     string // set if IsString is true
}

// String returns the value as written.
func (v IntOrString) String() string {
	if v.IsString {
		return v.Text
	}
	return strconv.FormatInt(v.Int, 10)
}

// UnmarshalJSON accepts a JSON integer or string.
func (v *IntOrString) UnmarshalJSON(text []byte) error {
	*v = IntOrString{}
	if len(text) > 0 && text[0] == '"' {
		v.IsString = true
		return json.Unmarshal(text, &v.Text)
	}
	if json.Unmarshal(text, &v.Int) != nil {
		return errors.New("must be a whole number or a string")
	}
	return nil
}

// MarshalJSON writes a form that UnmarshalJSON accepts.
func (v IntOrString) MarshalJSON() ([]byte, error) {
	if v.IsString {
		return json.Marshal(v.Text)
	}
	return json.Marshal(v.Int)
}

// JSONSchema returns the schema of the field: an integer or a string.
func (IntOrString) JSONSchema() map[string]any {
	return map[string]any{"type": []string{"integer", "string"}}
}
