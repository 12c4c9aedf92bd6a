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
//	the text as it is          the words that show it become "[redacted]"
//	one word of it, once or    so does that word
//	twice decoded
//	several words, decoded     the whole text is withheld: what stands for
//	                           the secret cannot be distinguished from what does not
//
// White space and letter case do not count. Work and memory are bounded.
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
	maxHeld    = 64 << 10 // bytes of one text that is only searched
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
	// A secret may be partly as it is and partly escaped: decoded, the text as it
	// came must not show more than was taken out of it.
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

// onlyWord is the one word of a text that holds an encoded secret; "" when there
// are several or none.
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

// None reports whether there is no secret at all.
func (r *Redactor) None() bool { return r == nil || r.index().empty() }

func (r *Redactor) index() *index {
	r.once.Do(func() { r.known = indexOf(r.secrets, r.public) })
	return r.known
}

// Holds reports whether a text holds a secret in its first 64 KiB.
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

// Clean reports whether a text may be shown as it is.
func (r *Redactor) Clean(text string) bool { return r.Text(text) == text }

// mask replaces parts of a text, with the words that they are in: what touches a
// secret may be a bit of it that was escaped.
func mask(text string, spans []span) string {
	var b strings.Builder
	last := 0
	for _, s := range spans {
		from, to := last+1+strings.LastIndexAny(text[last:max(last, s.from)], blanks), len(text)
		if n := strings.IndexAny(text[s.to:], blanks); n >= 0 {
			to = s.to + n
		}
		if s.to <= last {
			continue // in a word that is out already
		}
		b.WriteString(text[last:from])
		b.WriteString(Hidden)
		last = to
	}
	b.WriteString(text[last:])
	return b.String()
}

const blanks = " \t\r\n\v\f"

// decoded is how many bytes of secrets show in what the text is an encoding of,
// in the form that shows most. It counts without end when there is more to
// decode than left.
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

// With lets what works under the context know what must not be shown.
func With(ctx context.Context, r *Redactor) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// From is the redactor of the context; nil when there is none.
func From(ctx context.Context) *Redactor {
	r, _ := ctx.Value(contextKey{}).(*Redactor)
	return r
}
