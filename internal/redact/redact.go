// Package redact takes secrets out of texts that others wrote: a cloud that
// repeats what it was sent, as it is or in another encoding, whole or cut.
//
// It knows secrets by their value and nothing of where they come from. It does
// not list how a secret could be written; it undoes the usual encodings of a
// text, twice over, and looks for six bytes in a row of any secret in all that
// comes out:
//
//	found in                   what becomes of the text
//	-------------------------  ----------------------------------------
//	the text as it is          those bytes become "[redacted]"
//	the text, once or twice    the whole text is withheld: what stands for
//	decoded                    the secret cannot be told from what does not
//
// White space and letter case do not count. Work and memory are bounded.
package redact

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// Hidden stands where a secret was.
	Hidden = "[redacted]"
	// Withheld stands for a text that holds a secret in another form.
	Withheld = "[withheld: it repeats a secret]"
	// TooMany stands for every foreign text when there are more secrets than can
	// be looked for.
	TooMany = "[withheld: this stack has more text in secrets than can be looked for]"
)

// Shortest is the length in bytes, white space left out, below which a value is
// no secret: hiding "1" or "yes" would only spoil texts.
const Shortest = 4

const (
	maxText    = 16 << 10 // bytes of one text that are looked at; the rest is cut off
	maxDecoded = 4 << 20  // bytes that one text may be decoded to, all forms together
	maxDepth   = 2        // encodings within each other
)

// Redactor knows the secrets of a stack. It reads them when first asked, once,
// and is safe for concurrent use. A nil one knows none.
type Redactor struct {
	secrets, public iter.Seq[string]

	once  sync.Once
	known *index
}

// New makes a redactor of secrets. Words in public, such as the names of
// objects, are shown even where a secret contains them.
func New(secrets, public iter.Seq[string]) *Redactor {
	return &Redactor{secrets: secrets, public: public}
}

// Text is what may be shown of a text: the text itself when it holds no secret.
func (r *Redactor) Text(text string) string {
	if r == nil || len(text) < Shortest {
		return text
	}
	r.once.Do(func() { r.known = indexOf(r.secrets, r.public) })
	switch {
	case r.known.full:
		return TooMany
	case r.known.empty():
		return text
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	spans := r.known.spans([]byte(text))
	masked := mask(text, spans)
	left := maxDecoded
	// Decoded, the text as it came must not show more than was taken out of it: a
	// secret may be partly as it is and partly escaped.
	if len(spans) > 0 && r.known.inForms([]byte(text), maxDepth, bytesIn(spans), &left) || r.known.inForms([]byte(masked), maxDepth, 0, &left) {
		return Withheld
	}
	return masked
}

// Clean tells whether a text may be shown as it is.
func (r *Redactor) Clean(text string) bool { return r.Text(text) == text }

// mask replaces parts of a text.
func mask(text string, spans []span) string {
	if len(spans) == 0 {
		return text
	}
	var b strings.Builder
	last := 0
	for _, s := range spans {
		b.WriteString(text[last:s.from])
		b.WriteString(Hidden)
		last = s.to
	}
	b.WriteString(text[last:])
	return strings.ToValidUTF8(b.String(), "")
}

// inForms tells whether more than the given number of bytes of secrets show in
// what text is an encoding of. When there is more to decode than left, they are
// taken to.
func (x *index) inForms(text []byte, depth, given int, left *int) bool {
	if depth == 0 {
		return false
	}
	var seen [][]byte
	for _, decode := range decoders {
		form := decode(text)
		if len(form) < Shortest || slices.ContainsFunc(seen, func(f []byte) bool { return string(f) == string(form) }) {
			continue
		}
		seen = append(seen, form)
		if *left -= len(form); *left < 0 {
			return true
		}
		if bytesIn(x.spans(form)) > given || x.inForms(form, depth-1, given, left) {
			return true
		}
	}
	return false
}

// Cut shortens a text to most runes, after it was redacted.
func Cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}

type contextKey struct{}

// With lets whoever works under the context know what must not be shown.
func With(ctx context.Context, r *Redactor) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// From is the redactor of the context; nil when there is none.
func From(ctx context.Context) *Redactor {
	r, _ := ctx.Value(contextKey{}).(*Redactor)
	return r
}
