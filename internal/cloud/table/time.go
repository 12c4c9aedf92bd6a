package table

import (
	"encoding/json"
	"time"
)

// Time is a time in the form of services; without a zone it is in UTC. Any other text is the zero
// time.
type Time struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(text []byte) error {
	var written string
	if err := json.Unmarshal(text, &written); err != nil {
		return nil //nolint:nilerr // an invalid time is no reason to refuse the object
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, written); err == nil {
			t.Time = at
		}
	}
	return nil
}

// MarshalJSON writes the time in the form of status.
func (t Time) MarshalJSON() ([]byte, error) { return json.Marshal(Timestamp(t.Time)) }

// Timestamp is a time in the form of status (RFC 3339, UTC), "" if there is none.
func Timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Text is an attribute into which anybody may have written anything: a value that is no text is read
// as "".
type Text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(text []byte) error {
	var written string
	if json.Unmarshal(text, &written) == nil {
		*t = Text(written)
	}
	return nil
}
