// Package failure has the errors of reading a repository. The class of an error says who has to
// act, and its text is written for people.
//
// It knows nothing about Git.
package failure

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// The class of an error decides what the caller does next.
//
//	ErrConfig, ErrCredentials, ErrNotFound, ErrContent   a person or a commit has to fix the problem
//	ErrUnavailable                                       the caller tries again at the next poll
var (
	// ErrConfig means that the config is wrong.
	ErrConfig = errors.New("source: wrong config")
	// ErrCredentials means that a login, a key or a host key was refused or is missing.
	ErrCredentials = errors.New("source: wrong credentials")
	// ErrNotFound means that there is no such repository, branch, reference or path.
	ErrNotFound = errors.New("source: not found")
	// ErrContent means that the repository contains something that is refused.
	ErrContent = errors.New("source: refused content")
	// ErrUnavailable means that the server is unreachable, too slow or failing.
	ErrUnavailable = errors.New("source: unavailable")
)

// NeedsPerson reports whether err remains until a person changes the config, the credentials or the
// repository. A person can do that at any time, without a restart. So after such an error, the
// caller notifies somebody and continues to poll. Any other error can disappear without a person.
func NeedsPerson(err error) bool {
	for _, class := range []error{ErrConfig, ErrCredentials, ErrNotFound, ErrContent} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// Error is an error with a text for people. errors.Is finds only its class and, if the caller's
// context has ended, the error of the context.
type Error struct {
	Class error  // one of the classes of this package
	Text  string // says what is wrong and how to fix it
	// Public says what is wrong with the content of a commit, in words that everybody may read. It
	// is empty if the problem is not the content of a commit.
	Public string
	Ended  error // the error of the caller's context; nil if it has not ended
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// Unwrap makes errors.Is find the class and the error of the context.
func (e *Error) Unwrap() []error {
	if e.Ended != nil {
		return []error{e.Class, e.Ended}
	}
	return []error{e.Class}
}

// New returns an error of a class. If the class is ErrContent, the text is public, too.
func New(class error, format string, args ...any) error {
	e := &Error{Class: class, Text: fmt.Sprintf(format, args...)}
	if class == ErrContent { //nolint:errorlint // class is one of the values above, never wrapped
		e.Public = e.Text
	}
	return e
}

// NewLocal returns an error about the copy of a repository on this machine. Its text is not public,
// because the names of files here are not.
func NewLocal(class error, format string, args ...any) error {
	return &Error{Class: class, Text: fmt.Sprintf(format, args...)}
}

// NewMissing returns an ErrNotFound about a commit. It is public, because the commit's author has
// to know what is missing in it.
func NewMissing(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &Error{Class: ErrNotFound, Text: text, Public: text}
}

// WithoutAddresses returns a text of other code in one line of at most limit bytes, without addresses. They could contain a login, and
// every error begins with our own address instead.
func WithoutAddresses(text string, limit int) string {
	words := strings.Fields(text)
	for i, word := range words {
		if strings.Contains(word, "://") || strings.Contains(word, "@") {
			words[i] = "[address]"
		}
	}
	return printable.Clip(printable.Line(strings.Join(words, " ")), limit)
}
