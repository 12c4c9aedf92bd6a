package secretstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/private"
	"strings"
)

// MaxValue is the largest size of a value, in bytes.
const MaxValue = 64 << 10

// Store has secrets. It can be used by several goroutines.
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

func (p Place) compare(o Place) int {
	return cmp.Or(cmp.Compare(p.Path, o.Path), cmp.Compare(p.Version, o.Version))
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
	// ErrTime is the error that the time of a reading was over before the store answered. It says nothing about the store.
	ErrTime = fmt.Errorf("was not read within %d seconds, the time for all values; the next pass continues with it", int(askTime.Seconds()))
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

// only returns the secret with only some of its fields. The fields are copies, so that nothing else of an answer stays in memory.
func (s *Secret) only(names []string) *Secret {
	kept := &Secret{Version: s.Version, Fields: make(map[string]string, len(names))}
	for _, name := range names {
		if value, ok := s.Fields[name]; ok {
			kept.Fields[name] = strings.Clone(value)
		}
	}
	return kept
}

// Down returns an error that is [ErrDown]. Everybody may see the text public; the log also has err.
func Down(public string, err error) error {
	return private.Hide(public, fmt.Errorf("%w: %w", ErrDown, err))
}
