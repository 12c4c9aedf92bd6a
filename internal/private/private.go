// Package private keeps what belongs to the operator out of what everybody
// reads. An error of [Hide] has two texts: the one that Error returns may be
// posted to a forge, and [Text] has all of it, for the log and the terminal.
//
// It knows errors, and nothing of clouds, forges or what is secret: passwords
// and tokens belong into neither text.
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

// Hide returns an error that reads as public for everybody, and as err in the
// log. It is of every class that err is of; nil stays nil.
func Hide(public string, err error) error {
	if err == nil {
		return nil
	}
	return &hidden{public, err}
}

// Hidef is [Hide] with the text for the log made of a format.
func Hidef(public, format string, args ...any) error {
	return Hide(public, fmt.Errorf(format, args...))
}

// Error implements error.
func (h *hidden) Error() string { return h.public }

// Unwrap gives what is hidden, for its classes.
func (h *hidden) Unwrap() error { return h.err }

// Text is all of an error's text. It is for the log, and for the terminal of
// whoever runs the program; never for a forge.
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

// parts are the outermost hidden errors that err wraps.
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

// Attr gives a log all of an error's text ([slog.HandlerOptions.ReplaceAttr]).
func Attr(_ []string, a slog.Attr) slog.Attr {
	if err, ok := a.Value.Any().(error); ok {
		return slog.String(a.Key, Text(err))
	}
	return a
}
