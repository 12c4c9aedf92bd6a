// Package failure has the errors of reading a repository: their classes, which say
// who has to act, and texts that are fit for people.
//
// It knows no Git.
package failure

import (
	"errors"
	"fmt"
)

// The class of an error decides what the caller does next.
//
//	ErrConfig, ErrCredentials, ErrNotFound, ErrContent   a person or a commit has to fix it
//	ErrUnavailable                                       try again at the next poll
var (
	// ErrConfig: the config itself cannot work.
	ErrConfig = errors.New("source: wrong config")
	// ErrCredentials: a login, a key or a host key was refused or is missing.
	ErrCredentials = errors.New("source: wrong credentials")
	// ErrNotFound: there is no such repository, branch, reference or path.
	ErrNotFound = errors.New("source: not found")
	// ErrContent: the repository holds something that is refused.
	ErrContent = errors.New("source: refused content")
	// ErrUnavailable: the server is away, slow or failing.
	ErrUnavailable = errors.New("source: unavailable")
)

// NeedsPerson says whether err stays until a person changes the config, the
// credentials or the repository. That may happen at any time, without a
// restart, so such an error is a reason to notify somebody and not to stop
// polling; everything else also passes by itself.
func NeedsPerson(err error) bool {
	for _, class := range []error{ErrConfig, ErrCredentials, ErrNotFound, ErrContent} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// Error is an error whose text was made for people, and from which nothing but its
// class, and the end of the caller's context, can be unwrapped.
type Error struct {
	Class error  // one of this package's
	Text  string // what is wrong and how to fix it
	// Public is what is wrong with the content of a commit, for everybody; empty when
	// that is not what is wrong.
	Public string
	Ended  error // of the caller's context; nil while it goes on
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// Unwrap has errors.Is find the class, and the end of the context.
func (e *Error) Unwrap() []error {
	if e.Ended != nil {
		return []error{e.Class, e.Ended}
	}
	return []error{e.Class}
}

// New is an error of a class. One of ErrContent is public.
func New(class error, format string, args ...any) error {
	e := &Error{Class: class, Text: fmt.Sprintf(format, args...)}
	if class == ErrContent { //nolint:errorlint // it is the class itself
		e.Public = e.Text
	}
	return e
}

// NewLocal is an error about this machine's copy, whose files are not public.
func NewLocal(class error, format string, args ...any) error {
	return &Error{Class: class, Text: fmt.Sprintf(format, args...)}
}

// NewMissing is an ErrNotFound about a commit, which is public: its author has to
// know what is not found there.
func NewMissing(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &Error{Class: ErrNotFound, Text: text, Public: text}
}
