// Package checksum computes sums of texts and of lists of texts. It does not depend on the meaning of the texts.
package checksum

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash"
	"io"
	"strings"
)

// Sum is a whole SHA-256 sum. It identifies plans, proofs and approvals, because nobody can make two texts with the
// same sum. Marks contain only the form [Sum.Short], because their space is limited. If two texts have the same short
// form, a mark is updated without need, or is not updated; there is no other effect.
type Sum [sha256.Size]byte

// Sums computes the [Sum] of several parts. The length of each part is included, so two different lists of parts have
// different bytes.
type Sums struct{ hash hash.Hash }

// New starts a sum. use is the purpose of the sum, so that sums for different purposes differ.
func New(use string) Sums {
	s := Sums{sha256.New()}
	s.Add(use)
	return s
}

// Add appends parts.
func (s Sums) Add(parts ...string) {
	for _, part := range parts {
		_, _ = s.hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part)))) // a hash accepts all bytes
		_, _ = io.WriteString(s.hash, part)
	}
}

// AddSums appends sums.
func (s Sums) AddSums(sums ...Sum) {
	for _, one := range sums {
		s.Add(string(one[:]))
	}
}

// Sum returns the sum of all parts so far.
func (s Sums) Sum() (out Sum) {
	s.hash.Sum(out[:0])
	return out
}

// Of returns the SHA-256 sum of a text.
func Of(text string) Sum { return sha256.Sum256([]byte(text)) }

// ShortLength is the length of the result of [Short].
const ShortLength = 12

// Text returns the whole sum as 52 printable characters.
func (s Sum) Text() string {
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(s[:]))
}

// Short returns the beginning of Text: 12 characters, which are 60 bits. It is only for marks and names.
func (s Sum) Short() string { return s.Text()[:ShortLength] }

// Stored reports whether a stored text represents the sum. It is either Text, or the form Short of earlier releases.
func (s Sum) Stored(text string) bool { return text == s.Text() || text == s.Short() }

// Short returns the short form of the sum of a text, for marks and names.
func Short(text string) string { return Of(text).Short() }
