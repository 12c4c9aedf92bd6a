// Package fingerprint makes short texts that show later whether a secret is still
// the same. They do not help to guess the secret: they are stored where all users
// of a project, and every machine in it, can read them.
//
// With a key a fingerprint is a MAC: without the key nothing can be guessed.
// Without one it is a slow, salted hash (Argon2id): a guess costs about a
// millisecond and a megabyte. It counts for one holder of secrets in one stack of
// one project only. That stops tables made beforehand and makes guessing a
// password hopeless; a PIN of six digits still falls within an hour.
//
//	s-<16 characters>            salted
//	k<6 characters>-<16 …>       keyed, after the identifier of the key
//
// It knows neither stacks nor clouds. Everything is a function of the arguments;
// slow hashes are remembered, in bounded memory.
package fingerprint

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/crypto/argon2"
)

// The cost of one slow hash: 1 MiB, one pass. A pass over a thousand machines,
// each with secrets of its own, costs two thousand of them when a process
// starts, and none after that.
const (
	slowTime   = 1
	slowMemory = 1024 // KiB
)

const (
	maxRemembered = 1 << 15 // slow hashes
	characters    = 16      // of base32: 80 bits
	keyCharacters = 6
)

// ShortestKey is the length in bytes that a key must have.
const ShortestKey = 16

// Printer makes fingerprints. It is safe for concurrent use.
type Printer struct {
	salt string
	keys []key

	mu    sync.Mutex
	slow  map[[sha256.Size]byte][]byte
	count int // slow hashes that were worked out
}

type key struct {
	id  string
	mac []byte
}

// Subject is what a fingerprint is of.
type Subject struct {
	// Holder names who holds the secret, such as a Secret: what it holds is hashed
	// once, however many objects refer to it.
	Holder string
	// Object names what bears the fingerprint, and what it is for. Equal secrets
	// have different fingerprints on different objects.
	Object string
	// Public is what else the fingerprint covers.
	Public string
	Secret string
}

// New makes a printer. salt is what sets the stack apart from all others in the
// world. The first of the keys is used, the others are still recognised.
func New(salt string, keys ...[]byte) (*Printer, error) {
	p := &Printer{salt: salt, slow: map[[sha256.Size]byte][]byte{}}
	for i, secret := range keys {
		if len(secret) < ShortestKey {
			return nil, fmt.Errorf("key %d has %d bytes, at least %d are needed", i+1, len(secret), ShortestKey)
		}
		mac, err := hkdf.Key(sha256.New, secret, nil, "stackreeve fingerprint", sha256.Size)
		if err != nil {
			return nil, err
		}
		id, err := hkdf.Key(sha256.New, secret, nil, "stackreeve fingerprint key identifier", sha256.Size)
		if err != nil {
			return nil, err
		}
		p.keys = append(p.keys, key{"k" + short(id, keyCharacters) + "-", mac})
	}
	return p, nil
}

// Print is the fingerprint to store.
func (p *Printer) Print(s Subject) string {
	if len(p.keys) > 0 {
		return p.keys[0].print(s)
	}
	return p.salted(s)
}

// Sum is the whole of a fingerprint, which is never stored: 32 bytes, and nobody can make two subjects that share them.
// Guessing a secret by it costs as much as by a fingerprint.
func (p *Printer) Sum(s Subject) (out [sha256.Size]byte) {
	if len(p.keys) > 0 {
		return [sha256.Size]byte(sum(p.keys[0].mac, "sum", s.Holder, s.Object, s.Public, s.Secret))
	}
	return [sha256.Size]byte(sum(p.stretched(s.Holder, s.Secret), "sum", s.Object, s.Public))
}

// Match is what a stored fingerprint says.
type Match int

// The matches.
const (
	Unknown Match = iota // made with a key that is not known, or not a fingerprint
	Other                // of another subject
	Same                 // of this subject
)

// Compare returns what a stored fingerprint says about a subject, whichever of the
// keys it was made with, or without one.
func (p *Printer) Compare(print string, s Subject) Match {
	same := func(own string) Match {
		if hmac.Equal([]byte(own), []byte(print)) {
			return Same
		}
		return Other
	}
	if strings.HasPrefix(print, saltedPrefix) {
		return same(p.salted(s))
	}
	for _, k := range p.keys {
		if strings.HasPrefix(print, k.id) {
			return same(k.print(s))
		}
	}
	return Unknown
}

// Count is how many slow hashes were worked out so far.
func (p *Printer) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

const saltedPrefix = "s-"

func (k key) print(s Subject) string {
	return k.id + short(sum(k.mac, s.Holder, s.Object, s.Public, s.Secret), characters)
}

func (p *Printer) salted(s Subject) string {
	return saltedPrefix + short(sum(p.stretched(s.Holder, s.Secret), s.Object, s.Public), characters)
}

// stretched is the slow hash of a secret.
func (p *Printer) stretched(holder, secret string) []byte {
	salt := sum([]byte("stackreeve salt"), p.salt, holder)
	at := [sha256.Size]byte(sum(salt, secret))
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.slow[at]; known != nil {
		return known
	}
	if len(p.slow) >= maxRemembered {
		clear(p.slow)
	}
	p.slow[at] = argon2.IDKey([]byte(secret), salt, slowTime, slowMemory, 1, sha256.Size)
	p.count++
	return p.slow[at]
}

// sum is a MAC over texts, each with its length.
func sum(key []byte, texts ...string) []byte {
	mac := hmac.New(sha256.New, key)
	for _, text := range texts {
		mac.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		mac.Write([]byte(text))
	}
	return mac.Sum(nil)
}

func short(sum []byte, n int) string {
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum))[:n]
}
