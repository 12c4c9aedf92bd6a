// Package redact removes secrets from texts of other programs. A cloud may repeat the data of a request, in
// clear text or encoded, complete or only in part.
//
// The package gets the values of secrets, and does not depend on where they come from. It does not list all ways
// to write a secret. It undoes the usual encodings of a text, twice, and searches all results for six
// consecutive bytes of any secret:
//
//	found in                   the text becomes
//	-------------------------  ----------------------------------------
//	the unchanged text         the words that show the secret become "[redacted]"
//	one word of the text,      the word becomes "[redacted]"
//	decoded once or twice
//	several decoded words      the whole text is withheld, because the encoding of
//	                           the secret cannot be separated from the rest
//
// White space and letter case are ignored. Time and memory are limited.
package redact

import (
	"bytes"
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/printable"
)

const (
	// Hidden replaces a secret.
	Hidden = "[redacted]"
	// Withheld replaces a text that contains a secret in another form.
	Withheld = "[withheld: it repeats a secret]"
	// TooMany replaces every foreign text if there are more secrets than can be searched for.
	TooMany = "[withheld: this stack has more text in secrets than can be looked for]"
)

// In reports whether a text contains one of the marks that replace secrets.
func In(text string) bool {
	return strings.Contains(text, Hidden) || strings.Contains(text, Withheld) || strings.Contains(text, TooMany)
}

// Shortest is the minimum length in bytes of a secret, without white space. Hiding shorter values such as "1" or
// "yes" would only damage texts.
const Shortest = 4

const (
	maxText    = 16 << 10 // bytes of one text that are searched; the rest is cut off.
	maxDecoded = 4 << 20  // bytes of all decoded forms of one text together.
	maxHeld    = 64 << 10 // bytes of a text in [Redactor.Holds].
	maxDepth   = 2        // nested encodings.
)

// Redactor contains the secrets of a stack. It reads them once, at the first use. It is safe for concurrent use.
// A nil Redactor contains none.
type Redactor struct {
	secrets, public iter.Seq[string]

	once  sync.Once
	known *index
}

// New returns a redactor for secrets. Words in public, such as the names of objects, are shown even if a secret
// contains them.
func New(secrets, public iter.Seq[string]) *Redactor {
	return &Redactor{secrets: secrets, public: public}
}

// Text returns the text that may be shown. If it contains no secret, it is the text itself, up to 16 KiB of it.
func (r *Redactor) Text(text string) string {
	if r == nil || len(text) < Shortest {
		return text
	}
	known := r.index()
	switch {
	case known.full:
		return TooMany
	case known.empty():
		return text
	}
	return known.redact(printable.Clip(text, maxText))
}

func (x *index) redact(text string) string {
	left := maxDecoded
	spans := x.spans([]byte(text))
	masked := mask(text, spans)
	// A secret may be partly in clear text and partly escaped. So the decoded text must not show more bytes of
	// secrets than were removed.
	if len(spans) > 0 && x.decoded(text, &left) > bytesIn(spans) {
		return Withheld
	}
	shown := x.decoded(masked, &left)
	if shown == 0 {
		return masked
	}
	word := x.onlyWord(masked, &left)
	if word == "" || x.decoded(word, &left) < shown {
		return Withheld
	}
	if masked = strings.ReplaceAll(masked, word, Hidden); x.decoded(masked, &left) > 0 {
		return Withheld
	}
	return masked
}

// onlyWord returns the only word of a text that contains an encoded secret. It returns "" if there are several
// or none.
func (x *index) onlyWord(text string, left *int) (only string) {
	for word := range strings.FieldsSeq(text) {
		if word == only || x.decoded(word, left) == 0 {
			continue
		}
		if only != "" {
			return ""
		}
		only = word
	}
	return only
}

// None reports whether there are no secrets.
func (r *Redactor) None() bool { return r == nil || r.index().empty() }

func (r *Redactor) index() *index {
	r.once.Do(func() { r.known = indexOf(r.secrets, r.public) })
	return r.known
}

// Holds reports whether a text contains a secret in its first 64 KiB.
func (r *Redactor) Holds(text string) bool {
	if r.None() {
		return false
	}
	if len(text) > maxHeld {
		text = text[:maxHeld]
	}
	x, left := r.index(), maxDecoded
	return x.full || len(x.spans([]byte(text))) > 0 || x.decoded(text, &left) > 0
}

// Clean reports whether a text may be shown unchanged.
func (r *Redactor) Clean(text string) bool { return r.Text(text) == text }

// mask replaces parts of a text, with the whole words around them, because the characters next to a
// secret may be an escaped part of it.
func mask(text string, spans []span) string {
	var b strings.Builder
	last := 0
	for _, s := range spans {
		from, to := last+1+strings.LastIndexAny(text[last:max(last, s.from)], blanks), len(text)
		if n := strings.IndexAny(text[s.to:], blanks); n >= 0 {
			to = s.to + n
		}
		if s.to <= last {
			continue // in a word that is already replaced
		}
		b.WriteString(text[last:from])
		b.WriteString(Hidden)
		last = to
	}
	b.WriteString(text[last:])
	return b.String()
}

const blanks = " \t\r\n\v\f"

// decoded returns the number of bytes of secrets in the decoded forms of a text. It is the number in the form
// that shows most. If there is more to decode than left allows, it returns the largest int.
func (x *index) decoded(text string, left *int) int {
	return x.inForms([]byte(text), maxDepth, left)
}

func (x *index) inForms(text []byte, depth int, left *int) (most int) {
	if depth == 0 {
		return 0
	}
	var seen [][]byte
	for _, decode := range decoders {
		form := decode(text)
		if len(form) < Shortest || slices.ContainsFunc(seen, func(f []byte) bool { return bytes.Equal(f, form) }) {
			continue
		}
		seen = append(seen, form)
		if *left -= len(form); *left < 0 {
			return math.MaxInt
		}
		most = max(most, bytesIn(x.spans(form)), x.inForms(form, depth-1, left))
	}
	return most
}

type contextKey struct{}

// With returns a context that contains a redactor.
func With(ctx context.Context, r *Redactor) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// From returns the redactor of the context, or nil.
func From(ctx context.Context) *Redactor {
	r, _ := ctx.Value(contextKey{}).(*Redactor)
	return r
}
