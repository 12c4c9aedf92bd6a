package memory

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
)

// Sums are full SHA-256 sums. In a marker they are one text in base64.
type Sums [][sha256.Size]byte

// MarshalJSON implements [json.Marshaler].
func (s Sums) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, len(s)*sha256.Size)
	for i := range s {
		raw = append(raw, s[i][:]...)
	}
	return json.Marshal(base64.RawStdEncoding.EncodeToString(raw))
}

// UnmarshalJSON implements [json.Unmarshaler]. Any text that MarshalJSON would not write is read as no sums.
func (s *Sums) UnmarshalJSON(data []byte) error {
	*s = nil
	var text string
	if json.Unmarshal(data, &text) != nil || len(text) > base64.RawStdEncoding.EncodedLen((1+MaxSteps)*sha256.Size) {
		return nil
	}
	raw, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) == 0 || len(raw)%sha256.Size != 0 || base64.RawStdEncoding.EncodeToString(raw) != text {
		return nil
	}
	for ; len(raw) > 0; raw = raw[sha256.Size:] {
		*s = append(*s, [sha256.Size]byte(raw[:sha256.Size]))
	}
	return nil
}
