package source

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// What the caller does next about an error of this package.
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
// restart, so such an error is a reason to tell somebody and not to stop
// looking; everything else also passes by itself.
func NeedsPerson(err error) bool {
	for _, class := range []error{ErrConfig, ErrCredentials, ErrNotFound, ErrContent} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// failure is an error whose text was made for people, and from which nothing
// but its class, and the end of the caller's context, can be unwrapped.
type failure struct {
	class error
	text  string
	ended error
	about string // what is wrong with the content, for everybody; "" when that is not what is wrong
}

func (f *failure) Error() string { return f.text }

func (f *failure) Unwrap() []error {
	if f.ended != nil {
		return []error{f.class, f.ended}
	}
	return []error{f.class}
}

func fail(class error, format string, args ...any) error {
	f := &failure{class: class, text: fmt.Sprintf(format, args...)}
	if class == ErrContent { //nolint:errorlint // it is the class itself
		f.about = f.text
	}
	return f
}

// failHere is an error about this machine's copy, whose files are nobody else's
// business.
func failHere(class error, format string, args ...any) error {
	return &failure{class: class, text: fmt.Sprintf(format, args...)}
}

// failContent is what is not found in a commit, which its author has to know.
func failContent(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &failure{class: ErrNotFound, text: text, about: text}
}

func configError(problems []string) error {
	for i, p := range problems {
		problems[i] = "source." + p
	}
	return fail(ErrConfig, "%s", strings.Join(problems, "\n"))
}

const maxErrorText = 500 // for what other code says; a server can make it long

// finish puts the address before err's text, removes the secrets from it and
// gives it a class if it has none yet.
func finish(ctx context.Context, addr address, hidden secrets, err error) error {
	f := &failure{class: ErrUnavailable, text: clip(foreign(hidden.remove(err.Error())), maxErrorText)}
	var known *failure
	if errors.As(err, &known) {
		f.class, f.text, f.about = known.class, known.text, known.about
		f.about = hidden.remove(f.about)
	}
	if ctx.Err() != nil {
		f.ended = ctx.Err()
		f.class, f.about = ErrUnavailable, ""
	}
	f.text = addr.String() + ": " + printable.Line(strings.Join(strings.Fields(hidden.remove(f.text)), " "))
	return f
}

// foreign is what other code says, without the addresses in it: they can hold a
// login, and ours stands before every error.
func foreign(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if strings.Contains(word, "://") || strings.Contains(word, "@") {
			words[i] = "[address]"
		}
	}
	return printable.Line(strings.Join(words, " "))
}
