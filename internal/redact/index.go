package redact

import (
	"bytes"
	"iter"
	"strings"
)

// gram is the number of consecutive bytes that reveal a secret.
const gram = 6

// maxGrams is a limit for the memory: about as many bytes of text without repetitions, and 40 MB of memory.
const maxGrams = 1 << 20

// index finds secrets in texts.
type index struct {
	grams   map[uint64]struct{} // all sequences of six bytes in a secret.
	context map[uint64]struct{} // all sequences of six bytes in a text around its secrets.
	short   map[string]struct{} // secrets that are shorter than six bytes.
	public  map[string]struct{} // words that may be shown.
	full    bool                // reports whether there were more than maxGrams.
}

func indexOf(secrets, public iter.Seq[string]) *index {
	x := &index{grams: map[uint64]struct{}{}, context: map[uint64]struct{}{}, short: map[string]struct{}{}, public: map[string]struct{}{}}
	seen := map[string]struct{}{}
	for value := range secrets {
		if _, twice := seen[value]; twice {
			continue
		}
		seen[value] = struct{}{}
		if x.add(value); x.full {
			return &index{full: true}
		}
	}
	if x.empty() {
		return x
	}
	for name := range public {
		x.public[strings.ToLower(name)] = struct{}{}
	}
	return x
}

func (x *index) empty() bool { return !x.full && len(x.grams)+len(x.context)+len(x.short) == 0 }

// add adds a value. It is a secret as a whole, unless it is structured. Of a structured value, add adds the
// secret parts as secrets, and the rest as their context.
func (x *index) add(value string) {
	if !structured(value) {
		x.addGrams(x.grams, value)
		x.addShort(value)
		return
	}
	x.addGrams(x.context, value)
	for part := range parts(value) {
		if x.full {
			return
		}
		x.addGrams(x.grams, part)
		x.addShort(part)
	}
}

func (x *index) addGrams(to map[uint64]struct{}, value string) {
	var g uint64
	n := 0
	for i := range len(value) {
		c, shown := fold(value[i])
		if !shown {
			continue
		}
		g, n = next(g, c), n+1
		if n >= gram {
			to[g] = struct{}{}
		}
		if len(x.grams)+len(x.context) > maxGrams {
			x.full = true
			return
		}
	}
}

// addShort adds a value that is shorter than a gram.
func (x *index) addShort(value string) {
	var text []byte
	for i := 0; i < len(value) && len(text) < gram; i++ {
		if c, shown := fold(value[i]); shown {
			text = append(text, c)
		}
	}
	if len(text) >= Shortest && len(text) < gram {
		x.short[string(text)] = struct{}{}
	}
	x.full = x.full || len(x.short) > maxGrams
}

// fold returns a byte in the form for comparisons. It returns false for white space and control characters, which
// comparisons ignore.
func fold(c byte) (_ byte, shown bool) {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c, c > ' ' && c != 0x7f
}

func next(g uint64, c byte) uint64 { return (g<<8 | uint64(c)) & (1<<(8*gram) - 1) }

// visibleOf returns the bytes of a text that are compared, and the offset of each in the text.
func visibleOf(text []byte) (visible []byte, at []int) {
	visible, at = make([]byte, 0, len(text)), make([]int, 0, len(text))
	for i, c := range text {
		if c, shown := fold(c); shown {
			visible, at = append(visible, c), append(at, i)
		}
	}
	return visible, at
}

// span is a part of a text. secret is false if the span contains only the context of secrets.
type span struct {
	from, to int
	secret   bool
}

// spans returns the parts of a text that show secrets, in their order.
func (x *index) spans(text []byte) (list []span) {
	visible, at := visibleOf(text)
	add := func(from, to int, secret bool) {
		if n := len(list); n > 0 && at[from] < list[n-1].to {
			list[n-1].to, list[n-1].secret = max(list[n-1].to, at[to-1]+1), secret || list[n-1].secret
			return
		}
		list = append(list, span{at[from], at[to-1] + 1, secret})
	}
	var g uint64
	for i, c := range visible {
		g = next(g, c)
		_, secret := x.grams[g]
		_, hit := x.context[g]
		if (hit || secret) && i+1 >= gram {
			add(i+1-gram, i+1, secret)
		} else if len(x.short) > 0 {
			for n := Shortest; n < gram && n <= i+1; n++ {
				if _, hit := x.short[string(visible[i+1-n:i+1])]; hit && alone(text, at[i+1-n], at[i]+1) {
					add(i+1-n, i+1, true)
				}
			}
		}
	}
	kept := list[:0]
	for _, s := range list {
		if !x.harmless(text, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// alone reports whether there is no letter or digit directly before or after a part of a text.
func alone(text []byte, from, to int) bool {
	return (from == 0 || !isWord(text[from-1])) && (to == len(text) || !isWord(text[to]))
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isWord(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c >= 0x80 }

func isName(c byte) bool { return isWord(c) || c == '-' || c == '_' || c == '.' }

func bytesIn(spans []span) (n int) {
	for _, s := range spans {
		n += s.to - s.from
	}
	return n
}

// maxHarmless is the number of bytes of plain words that may be equal to words of a secret by chance.
const maxHarmless = 16

// harmless reports whether a part of a text consists of names of objects, and of a few words that clouds and
// this program use all the time. A few words of the context of a secret are also harmless.
func (x *index) harmless(text []byte, s span) bool {
	plain, words := 0, 0
	for word := range bytes.FieldsFuncSeq(bytes.ToLower(around(text, s)), isSeparator) {
		word = bytes.Trim(word, "._-")
		if _, public := x.public[string(word)]; public || len(word) == 0 {
			continue
		}
		if _, known := plainWords[string(word)]; !known && s.secret {
			return false
		}
		plain, words = plain+len(word), words+1
	}
	return !s.secret && words <= 1 || min(plain, s.to-s.from) <= maxHarmless
}

func isSeparator(r rune) bool { return strings.ContainsRune(" ,:;'\"()/", r) }

// around returns a part of a text, extended to whole words.
func around(text []byte, s span) []byte {
	for s.from > 0 && isName(text[s.from-1]) && isName(text[s.from]) {
		s.from--
	}
	for s.to < len(text) && isName(text[s.to]) && isName(text[s.to-1]) {
		s.to++
	}
	return text[s.from:s.to]
}
