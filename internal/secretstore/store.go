package secretstore

import (
	"context"
	"errors"
	"fmt"
)

// MaxValue is the largest size of a value, in bytes.
const MaxValue = 64 << 10

// Store has secrets.
type Store interface {
	// Read returns the secret at a place. If the store still has the version of known, Read may return known. known is nil if no version
	// is known. The error is [ErrDown] if the whole store cannot be read. Its text is for everybody: see package private.
	Read(ctx context.Context, at Place, known *Secret) (*Secret, error)
}

// Place is the place of a secret in its store.
type Place struct {
	Path    string // relative; no part is empty, "." or ".."
	Version int    // 0 for the newest
}

// Secret is the content of a place.
type Secret struct {
	Version string            // differs if the values differ
	Fields  map[string]string // by name; the only field of a store without fields has the name ""
}

var (
	// ErrDown is the error that nothing can be read from a store at present, for example because it is sealed or does not answer.
	ErrDown = errors.New("the store cannot be read")
	// ErrMissing is the error that a store has no secret at a place. It may have one later.
	ErrMissing = errors.New("does not exist")
	// ErrTooLarge is the error that a value exceeds MaxValue.
	ErrTooLarge = fmt.Errorf("is larger than %d bytes", MaxValue)
)

// bounded returns an error if a value is too large.
func (s *Secret) bounded() error {
	for _, value := range s.Fields {
		if len(value) > MaxValue {
			return ErrTooLarge
		}
	}
	return nil
}
