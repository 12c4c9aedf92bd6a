package reconcile

import (
	"cmp"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/private"
)

// shortestSecret is the length in bytes below which a value is no secret:
// hiding "1" or "yes" would only spoil texts.
const shortestSecret = 4

const hidden = "[redacted]"

// redactor takes the data of Secrets, and of every kind that is not said to be
// public, out of texts that come from the cloud, where a service may have repeated what it was sent: as it
// is, in base64, and as a part of something larger in base64.
type redactor struct {
	replacer *strings.Replacer
	forms    []string
}

func redactorOf(revisions ...[]Desired) redactor {
	var forms []string
	for _, d := range slices.Concat(revisions...) {
		if d.public {
			continue
		}
		for _, value := range d.Data {
			forms = append(forms, formsOf(value)...)
			for line := range strings.Lines(value) {
				forms = append(forms, formsOf(line)...)
			}
		}
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	forms = slices.Compact(forms)
	for _, form := range forms {
		pairs = append(pairs, form, hidden)
	}
	return redactor{strings.NewReplacer(pairs...), forms}
}

// redact takes out what is there in full, and what was cut short by an
// ellipsis.
func (r redactor) redact(text string) string {
	before, after, cut := strings.Cut(r.replacer.Replace(text), "…")
	if !cut {
		return before
	}
	for _, form := range r.forms {
		for n := len(form) - 1; n >= shortestSecret; n-- {
			if head, found := strings.CutSuffix(before, form[:n]); found {
				return head + hidden + "…" + r.redact(after)
			}
		}
	}
	return before + "…" + r.redact(after)
}

// formsOf lists the texts that give value away.
func formsOf(value string) []string {
	trimmed := strings.TrimSpace(value)
	if len(trimmed) < shortestSecret {
		return nil
	}
	forms := []string{trimmed, base64.StdEncoding.EncodeToString([]byte(value)), base64.StdEncoding.EncodeToString([]byte(trimmed))}
	for shift := range 3 {
		if inner := innerBase64(trimmed, shift); len(inner) >= 2*shortestSecret {
			forms = append(forms, inner)
		}
	}
	return forms
}

// innerBase64 is what the base64 of any text shows of value when value stands
// shift bytes after a multiple of three: without the characters that its
// neighbours have a part in.
func innerBase64(value string, shift int) string {
	first := (shift*8 + 5) / 6
	last := (shift + len(value)) * 8 / 6
	return base64.RawStdEncoding.EncodeToString([]byte("\x00\x00\x00"[:shift] + value))[first:last]
}

// hide redacts an error and keeps its class.
func (r redactor) hide(err error) error {
	if err == nil {
		return nil
	}
	text := r.redact(err.Error())
	if whole := private.Text(err); text == err.Error() && r.redact(whole) == whole {
		return err
	}
	out := &redacted{text: text}
	for _, class := range []error{ErrBusy, ErrRejected, ErrGone, ErrNoService} {
		if errors.Is(err, class) {
			out.class = append(out.class, class)
		}
	}
	var later *RetryAfterError
	if errors.As(err, &later) {
		out.class = append(out.class, &RetryAfterError{After: later.After, Err: errors.New(r.redact(later.Err.Error()))})
	}
	return out
}

// redacted is an error of whose text something was taken out. Only its classes
// can be unwrapped, so that nothing brings the text back.
type redacted struct {
	text  string
	class []error
}

// Error implements error.
func (e *redacted) Error() string { return e.text }

// Unwrap gives the classes.
func (e *redacted) Unwrap() []error { return e.class }
