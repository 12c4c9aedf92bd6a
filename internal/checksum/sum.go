// Package checksum makes sums over texts and lists of texts. It does not know what they are of.
package checksum

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash"
	"io"
	"strings"
)

// Sum is SHA-256, whole: what plans, proofs and approvals are bound by. Nobody can make two texts that share one.
// Marks hold its [Sum.Short] form, for want of room: two texts that share one cause a needless or a missing update of
// a mark, and decide nothing else.
type Sum [sha256.Size]byte

// Sums makes a [Sum] of several parts, each with its length: no two lists of parts give the same bytes.
type Sums struct{ hash hash.Hash }

// New begins a sum; use says what it is for, so that no sum can be taken for one of another use.
func New(use string) Sums {
	s := Sums{sha256.New()}
	s.Add(use)
	return s
}

// Add appends parts.
func (s Sums) Add(parts ...string) {
	for _, part := range parts {
		_, _ = s.hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part)))) // a hash takes everything
		_, _ = io.WriteString(s.hash, part)
	}
}

// AddSums appends sums.
func (s Sums) AddSums(sums ...Sum) {
	for _, one := range sums {
		s.Add(string(one[:]))
	}
}

// Sum is that of all parts so far.
func (s Sums) Sum() (out Sum) {
	s.hash.Sum(out[:0])
	return out
}

// Of is the SHA-256 of a text.
func Of(text string) Sum { return sha256.Sum256([]byte(text)) }

// ShortLength is the length of what [Short] gives.
const ShortLength = 12

// Text is all of it in 52 printable characters.
func (s Sum) Text() string {
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(s[:]))
}

// Short is the beginning of Text: 12 characters, 60 bits. It is for marks and names only.
func (s Sum) Short() string { return s.Text()[:ShortLength] }

// Stored reports whether a text that was stored stands for the sum: its Text, or the Short form of earlier releases.
func (s Sum) Stored(text string) bool { return text == s.Text() || text == s.Short() }

// Short is the short form of the sum of a text, for marks and names.
func Short(text string) string { return Of(text).Short() }
