package oslo

import (
	crand "crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

func newRandom(seed uint64) *rand.Rand {
	var key [32]byte
	if seed == 0 {
		// crypto/rand.Read never fails since Go 1.24.
		_, _ = crand.Read(key[:])
	} else {
		binary.LittleEndian.PutUint64(key[:], seed)
	}
	return rand.New(rand.NewChaCha8(key))
}

func (c *Cloud) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(c.random.Uint32())
	}
	return b
}

// UUID returns a new random UUID with dashes.
func (c *Cloud) UUID() string {
	b := c.bytes(16)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// HexID returns a new random ID of 32 hex digits, as Keystone's are.
func (c *Cloud) HexID() string { return hex.EncodeToString(c.bytes(16)) }

// Secret returns n random bytes in URL-safe base64.
func (c *Cloud) Secret(n int) string { return base64.RawURLEncoding.EncodeToString(c.bytes(n)) }

// Intn returns a random number in [0,n).
func (c *Cloud) Intn(n int) int { return c.random.IntN(n) }
