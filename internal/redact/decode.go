package redact

import (
	"bytes"
	"html"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// decoders contains functions that undo one encoding each, at all places in a text. A function returns nil if
// the text does not change. It skips white space within an encoding, because services fold and wrap the texts
// that they repeat.
var decoders = []func([]byte) []byte{
	func(t []byte) []byte { return escapes(t, '%', false) }, // URL
	func(t []byte) []byte { return escapes(t, '%', true) },  // form
	func(t []byte) []byte { return escapes(t, '=', false) }, // quoted-printable
	backslashes, entities,
	func(t []byte) []byte { return base64Runs(t, 0) },
	func(t []byte) []byte { return base64Runs(t, 1) },
	func(t []byte) []byte { return base64Runs(t, 2) },
	func(t []byte) []byte { return base64Runs(t, 3) },
	func(t []byte) []byte { return hexRuns(t, 0) },
	func(t []byte) []byte { return hexRuns(t, 1) },
}

// visibleFrom copies visible bytes from offset i on into the slice, until it is full. It returns their number,
// and the offset at which it stopped.
func visibleFrom(text []byte, i int, into []byte) (n, end int) {
	for ; i < len(text) && n < len(into); i++ {
		if _, shown := fold(text[i]); shown {
			into[n], n = text[i], n+1
		}
	}
	return n, i
}

// number parses a number that has the given number of hexadecimal digits.
func number(text []byte, i, digits int) (value, end int, ok bool) {
	var buffer [8]byte
	n, end := visibleFrom(text, i, buffer[:digits])
	parsed, err := strconv.ParseUint(string(buffer[:n]), 16, 32)
	return int(parsed), end, n == digits && err == nil
}

// escapes undoes escapes such as %68.
func escapes(text []byte, mark byte, plus bool) []byte {
	if bytes.IndexByte(text, mark) < 0 && !(plus && bytes.IndexByte(text, '+') >= 0) {
		return nil
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		c := text[i]
		i++
		if c == mark {
			if value, end, ok := number(text, i, 2); ok {
				c, i = byte(value), end
			}
		} else if plus && c == '+' {
			c = ' '
		}
		out = append(out, c)
	}
	return out
}

// backslashes undoes the escape sequences of JSON, Python and C.
func backslashes(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return nil
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			out = append(out, text[i])
			i++
			continue
		}
		var after [1]byte
		n, end := visibleFrom(text, i+1, after[:])
		if n == 0 {
			return out
		}
		out, i = escape(out, text, after[0], end)
	}
	return out
}

// escape appends the character that the escape sequence with c represents. end is the offset after c.
func escape(out, text []byte, c byte, end int) ([]byte, int) {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case digits > 0:
		value, after, ok := number(text, end, digits)
		switch {
		case !ok:
			return append(out, '\\', c), end
		case digits == 2:
			return append(out, byte(value)), after
		case utf16.IsSurrogate(rune(value)):
			value, after = pair(text, value, after)
		}
		return utf8.AppendRune(out, rune(value)), after
	case c == 'n' || c == 'r' || c == 't' || c == 'b' || c == 'f' || c == 'v' || c == 'a':
		return append(out, ' '), end
	case c >= '0' && c <= '7':
		value := int(c - '0')
		for n := 0; n < 2 && end < len(text) && text[end] >= '0' && text[end] <= '7'; n++ {
			value, end = value*8+int(text[end]-'0'), end+1
		}
		return append(out, byte(value)), end
	}
	return append(out, c), end
}

// pair parses the second half of a character that JSON writes as two escape sequences.
func pair(text []byte, first, end int) (value, after int) {
	var mark [2]byte
	n, second := visibleFrom(text, end, mark[:])
	if n < 2 || mark != [2]byte{'\\', 'u'} {
		return first, end
	}
	low, after, ok := number(text, second, 4)
	if !ok {
		return first, end
	}
	return int(utf16.DecodeRune(rune(first), rune(low))), after
}

// longestEntity is the maximum distance in bytes at which the end of an entity is searched.
const longestEntity = 12

// entities undoes entities such as &quot;, &#104; and &#x68;.
func entities(text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 {
		return nil
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '&' {
			out = append(out, text[i])
			continue
		}
		entity, end := []byte{'&'}, i+1
		for ; end < len(text) && len(entity) < longestEntity && text[end] != '&'; end++ {
			if _, shown := fold(text[end]); shown {
				entity = append(entity, text[end])
			}
			if text[end] == ';' {
				end++
				break
			}
		}
		out = append(out, html.UnescapeString(string(entity))...)
		i = end - 1
	}
	return out
}

// shortestRun is the number of bytes that an encoded text must contain to be decoded.
const shortestRun = Shortest

// between separates the contents of two runs. It is ignored in comparisons, so that a secret is found even if a
// quote or a bracket divides it.
const between = '\n'

// base64Runs decodes all parts of a text that can be base64, standard or URL, padded or not. It begins with the
// character at the offset in each run. This is needed because a run whose beginning is cut off may begin
// anywhere in a group of four characters.
func base64Runs(text []byte, offset int) (out []byte) {
	var run []byte
	flush := func() {
		if len(run)-offset >= (shortestRun*4+2)/3 {
			out = append(fourToThree(out, run[offset:]), between)
		}
		run = run[:0]
	}
	for _, c := range text {
		if value, ok := sextet(c); ok {
			run = append(run, value)
		} else if _, shown := fold(c); shown {
			flush()
		}
	}
	flush()
	return out
}

func sextet(c byte) (value byte, ok bool) {
	switch {
	case c >= 'A' && c <= 'Z':
		return c - 'A', true
	case c >= 'a' && c <= 'z':
		return c - 'a' + 26, true
	case c >= '0' && c <= '9':
		return c - '0' + 52, true
	case c == '+' || c == '-':
		return 62, true
	case c == '/' || c == '_':
		return 63, true
	}
	return 0, false
}

func fourToThree(out, run []byte) []byte {
	var bits uint32
	n := 0
	for _, value := range run {
		bits, n = bits<<6|uint32(value), n+6
		if n >= 8 {
			n -= 8
			out = append(out, byte(bits>>n))
		}
	}
	return out
}

// hexRuns decodes hexadecimal digits, with or without separators. It begins with the digit at the offset.
func hexRuns(text []byte, offset int) (out []byte) {
	var run []byte
	flush := func() {
		if len(run)-offset >= 2*shortestRun {
			for i := offset; i+1 < len(run); i += 2 {
				out = append(out, run[i]<<4|run[i+1])
			}
			out = append(out, between)
		}
		run = run[:0]
	}
	for i, c := range text {
		c, shown := fold(c)
		switch {
		case c >= '0' && c <= '9':
			run = append(run, c-'0')
		case c >= 'a' && c <= 'f':
			run = append(run, c-'a'+10)
		case c == 'x' && i > 0 && text[i-1] == '0' && len(run) > 0:
			run = run[:len(run)-1] // for texts such as 0x68, 0x75
		case !shown || c == ':' || c == ',' || c == '-':
		default:
			flush()
		}
	}
	flush()
	return out
}
