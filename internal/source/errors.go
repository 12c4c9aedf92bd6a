package source

import (
	"context"
	"errors"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// These are the classes of this package's errors; see [failure].
var (
	ErrConfig      = failure.ErrConfig
	ErrCredentials = failure.ErrCredentials
	ErrNotFound    = failure.ErrNotFound
	ErrContent     = failure.ErrContent
	ErrUnavailable = failure.ErrUnavailable
)

// A revision returns one of these errors for an entry that is not a file.
var (
	ErrSymlink   = store.ErrSymlink
	ErrSubmodule = store.ErrSubmodule
)

// NeedsPerson reports whether err remains until a person changes the config, the credentials or the
// repository; see [failure.NeedsPerson].
func NeedsPerson(err error) bool { return failure.NeedsPerson(err) }

// ConfigError returns an ErrConfig with all problems of a config. Each problem begins with its field.
func ConfigError(problems []string) error {
	for i, p := range problems {
		problems[i] = "source." + p
	}
	return failure.New(ErrConfig, "%s", strings.Join(problems, "\n"))
}

const maxErrorText = 500 // maximal number of bytes of a text from other code; a server can send a long one

// finish adds the address before err's text, and removes the secrets from the text. An error
// without a class becomes ErrUnavailable.
func finish(ctx context.Context, addr address, hidden secrets, err error) error {
	f := &failure.Error{Class: ErrUnavailable, Text: failure.WithoutAddresses(hidden.remove(err.Error()), maxErrorText)}
	var known *failure.Error
	if errors.As(err, &known) {
		f.Class, f.Text, f.Public = known.Class, known.Text, hidden.remove(known.Public)
	}
	if ctx.Err() != nil {
		f.Ended = ctx.Err()
		f.Class, f.Public = ErrUnavailable, ""
	}
	f.Text = addr.String() + ": " + printable.Line(strings.Join(strings.Fields(hidden.remove(f.Text)), " "))
	return f
}
