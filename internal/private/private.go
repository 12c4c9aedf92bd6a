// Package private separates information for the operator from information for everybody. An error of [Hide] has
// two texts. The text from Error may be posted to a forge. The text from [Text] is complete, for the log and the
// terminal.
//
// The package handles only errors, and does not depend on clouds or forges. Passwords and tokens must be in
// neither text.
package private

import (
	"fmt"
	"log/slog"
	"strings"
)

type hidden struct {
	public string
	err    error
}

// Hide returns an error whose text is public for everybody, and the text of err in the log. It matches every
// error that err matches. Hide returns nil if err is nil.
func Hide(public string, err error) error {
	if err == nil {
		return nil
	}
	return &hidden{public, err}
}

// Hidef does the same as [Hide] with a formatted text for the log.
func Hidef(public, format string, args ...any) error {
	return Hide(public, fmt.Errorf(format, args...))
}

// Error implements error.
func (h *hidden) Error() string { return h.public }

// Unwrap returns the hidden error, so that its class can be found.
func (h *hidden) Unwrap() error { return h.err }

// Text returns the complete text of an error. It is for the log, and for the terminal of the person who runs the
// program, and never for a forge.
func Text(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	for _, h := range parts(err) {
		whole := Text(h.err)
		if strings.Contains(text, h.public) {
			text = strings.Replace(text, h.public, whole, 1)
		} else if !strings.Contains(text, whole) {
			text += " (" + whole + ")"
		}
	}
	return text
}

// parts returns the outermost hidden errors that err wraps.
func parts(err error) []*hidden {
	switch e := err.(type) { //nolint:errorlint // the tree is walked node by node
	case *hidden:
		return []*hidden{e}
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return parts(inner)
		}
	case interface{ Unwrap() []error }:
		var all []*hidden
		for _, inner := range e.Unwrap() {
			if inner != nil {
				all = append(all, parts(inner)...)
			}
		}
		return all
	}
	return nil
}

// Attr makes a log contain the complete text of an error ([slog.HandlerOptions.ReplaceAttr]).
func Attr(_ []string, a slog.Attr) slog.Attr {
	if err, ok := a.Value.Any().(error); ok {
		return slog.String(a.Key, Text(err))
	}
	return a
}
