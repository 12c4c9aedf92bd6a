// Package fingerprint computes short texts that later show whether a secret is still the same. They must not
// help to guess the secret, because all users of a project, and every machine in it, can read them.
//
// With a key, a fingerprint is a MAC: nobody can guess the secret without the key. Without a key, it is a slow,
// salted hash (Argon2id): each guess costs about a millisecond and a megabyte. The salt is different for each
// holder of secrets, stack and project. So precomputed tables are useless, and guessing a password is hopeless.
// But a PIN of six digits can be guessed within an hour.
//
//	s-<16 characters>            a salted hash
//	k<6 characters>-<16 …>       a MAC, after the identifier of its key
//
// The package depends on neither stacks nor clouds. All results are functions of the arguments. Slow hashes are
// cached in limited memory.
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

// slowTime and slowMemory are the cost of one slow hash: one pass over 1 MiB. For a thousand machines that each
// have their own secrets, two thousand of them are computed when a process starts, and none after that.
const (
	slowTime   = 1
	slowMemory = 1024 // KiB
)

const (
	maxRemembered = 1 << 15 // slow hashes
	characters    = 16      // number of base32 characters: 80 bits
	keyCharacters = 6
)

// ShortestKey is the minimum length of a key in bytes.
const ShortestKey = 16

// Printer makes fingerprints. It is safe for concurrent use.
type Printer struct {
	salt string
	keys []key

	mu    sync.Mutex
	slow  map[[sha256.Size]byte][]byte
	count int // the number of slow hashes that were computed
}

type key struct {
	id  string
	mac []byte
}

// Subject is the secret of a fingerprint, with the data that the fingerprint also depends on.
type Subject struct {
	// Holder is the name of the object that contains the secret, such as a Secret. Its secret is hashed once, even
	// if several objects refer to it.
	Holder string
	// Object is the name of the object that stores the fingerprint, and the purpose of the fingerprint. Equal
	// secrets have different fingerprints on different objects.
	Object string
	// Public contains other data that the fingerprint depends on.
	Public string
	Secret string
}

// New makes a printer. salt is a text that differs from that of every other stack in the world. The first key is
// used for new fingerprints. Fingerprints with the other keys are still recognised.
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

// Print returns the fingerprint to store.
func (p *Printer) Print(s Subject) string {
	if len(p.keys) > 0 {
		return p.keys[0].print(s)
	}
	return p.salted(s)
}

// Sum returns the whole fingerprint, which is never stored: 32 bytes. Nobody can make two subjects with the same
// sum. Guessing a secret from the sum costs as much as guessing it from a fingerprint.
func (p *Printer) Sum(s Subject) (out [sha256.Size]byte) {
	if len(p.keys) > 0 {
		return [sha256.Size]byte(sum(p.keys[0].mac, "sum", s.Holder, s.Object, s.Public, s.Secret))
	}
	return [sha256.Size]byte(sum(p.stretched(s.Holder, s.Secret), "sum", s.Object, s.Public))
}

// Match is the result of comparing a stored fingerprint with a subject.
type Match int

// These are the values of Match.
const (
	Unknown Match = iota // made with an unknown key, or not a fingerprint
	Other                // the fingerprint of another subject
	Same                 // the fingerprint of this subject
)

// Compare compares a stored fingerprint with a subject. The fingerprint may be made with any of the keys, or
// without a key.
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

// Count returns the number of slow hashes that were computed so far.
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

// stretched returns the slow hash of a secret.
func (p *Printer) stretched(holder, secret string) []byte {
	at := sha256.Sum256(append(appendText(make([]byte, 0, 256), holder), secret...))
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.slow[at]; known != nil {
		return known
	}
	if len(p.slow) >= maxRemembered {
		clear(p.slow)
	}
	salt := sum([]byte("stackreeve salt"), p.salt, holder)
	p.slow[at] = argon2.IDKey([]byte(secret), salt, slowTime, slowMemory, 1, sha256.Size)
	p.count++
	return p.slow[at]
}

// sum returns a MAC of texts. It includes the length of each text.
func sum(key []byte, texts ...string) []byte {
	mac := hmac.New(sha256.New, key)
	all := make([]byte, 0, 256) // enough for most texts, so that it is on the stack
	for _, text := range texts {
		all = appendText(all, text)
	}
	mac.Write(all)
	return mac.Sum(nil)
}

// appendText appends the length of a text and the text, so that different texts never result in the same bytes.
func appendText(to []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint64(to, uint64(len(text))), text...)
}

func short(sum []byte, n int) string {
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum))[:n]
}
