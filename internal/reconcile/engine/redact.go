package engine

import (
	"errors"

	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/confidential"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

func (e *Engine) secretsOf(want []kind.Desired) *redact.Redactor {
	if e.Secrets == nil {
		return confidential.Redactor(want)
	}
	return redact.New(func(yield func(string) bool) {
		for _, value := range e.Secrets() {
			if !yield(value) {
				return
			}
		}
		confidential.Values(want)(yield)
	}, confidential.Words(want))
}

// hide redacts an error and keeps its classes.
func hide(r *redact.Redactor, err error) error {
	if err == nil || r.Clean(err.Error()) && r.Clean(private.Text(err)) {
		return err
	}
	out := &redacted{text: errorText(r, err), classes: kind.ClassesOf(err)}
	var later *kind.RetryAfterError
	if errors.As(err, &later) {
		out.classes = append(out.classes, &kind.RetryAfterError{After: later.After, Err: errors.New(errorText(r, later.Err))})
	}
	return out
}

// errorText returns the text of an error that may be shown. If the text is withheld, it returns
// only the part that the agent itself wrote.
func errorText(r *redact.Redactor, err error) string {
	text := r.Text(err.Error())
	if text != redact.Withheld && text != redact.TooMany {
		return text
	}
	var own kind.Unquoted
	if errors.As(err, &own) {
		if said := own.Unquoted(); text == redact.TooMany || r.Clean(said) {
			return said + ": " + text
		}
	}
	return text
}

// redacted is an error with a part of its text removed. Unwrap returns only its classes, so that
// nobody can get the original text.
type redacted struct {
	text    string
	classes []error
}

// Error implements error.
func (e *redacted) Error() string { return e.text }

// Unwrap returns the classes.
func (e *redacted) Unwrap() []error { return e.classes }
