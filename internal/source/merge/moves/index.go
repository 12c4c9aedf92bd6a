// Package moves finds the files that were moved between two trees: the same file has another path.
// It finds a move only if git is sure to find it, too.
//
// It knows paths, hashes and texts, but no trees or commits. git's result depends on its version,
// and on the other files that it compares. So a move is either sure, in all versions of git, or one
// of several possibilities.
package moves

import (
	"bytes"
	"cmp"
	"slices"
)

// These are degrees of similarity, in git's unit.
const (
	full   = 60_000   // the files are equal.
	enough = full / 2 // git's default: half of the longer file is equal.
)

// span is the part of a file that consists of equal lines (of a long line, equal pieces of 64
// bytes). id is a number for their content, and bytes is their total length.
type span struct{ id, bytes uint32 }

// index is the data of a text that is compared. Versions of git differ in the treatment of a last
// line without a line end, and attributes decide whether CR LF is a line end. So the spans of such
// a text are counted in several ways.
type index struct {
	size  int
	ways  [4][]span // the index is the sum of crlf and tail; equal ways share one slice
	plain bool      // whether all ways are the same
}

const (
	crlf = 1 // a CR before LF is counted
	tail = 2 // a last line without a line end is counted
)

func indexOf(text []byte) *index {
	x := &index{size: len(text)}
	pairs, open := bytes.Contains(text, []byte("\r\n")), len(text) > 0 && text[len(text)-1] != '\n'
	x.plain = !pairs && !open
	for way := range x.ways {
		switch {
		case way&crlf != 0 && !pairs:
			x.ways[way] = x.ways[way&^crlf]
		case way&tail != 0 && !open:
			x.ways[way] = x.ways[way&^tail]
		default:
			x.ways[way] = spans(text, way)
		}
	}
	return x
}

const (
	longest = 64      // maximal number of bytes of a piece; a longer line is several pieces
	numbers = 107_927 // number of ids in git; so two different spans can have the same id
)

func spans(text []byte, way int) []span {
	var list []span
	var low, high, n uint32
	add := func() {
		list = append(list, span{(low + high*0x61) % numbers, n})
		low, high, n = 0, 0, 0
	}
	for i, c := range text {
		if way&crlf == 0 && c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			continue
		}
		low, high = low<<7^high>>25, high<<7^low>>25
		low += uint32(c)
		if n++; n == longest || c == '\n' {
			add()
		}
	}
	if n > 0 && way&tail != 0 {
		add()
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.id, b.id) })
	out := list[:0]
	for _, s := range list {
		if len(out) > 0 && out[len(out)-1].id == s.id {
			out[len(out)-1].bytes += s.bytes
		} else {
			out = append(out, s)
		}
	}
	return slices.Clip(out)
}

// score is the similarity of two files: the lowest and the highest possible value.
type score struct{ low, high int }

// alike returns the similarity of two texts, and the number of compared spans.
func alike(a, b *index) (s score, steps int) {
	longer := max(a.size, b.size)
	if min(a.size, b.size) == 0 {
		return score{}, 1
	}
	s.low = full
	for one := range a.ways {
		for other := range b.ways {
			if one&tail != other&tail {
				continue
			}
			common, n := commonBytes(a.ways[one], b.ways[other])
			steps += n
			here := int(int64(common) * full / int64(longer))
			s.low, s.high = min(s.low, here), max(s.high, here)
			if a.plain && b.plain {
				return s, steps
			}
		}
	}
	return s, steps
}

func commonBytes(a, b []span) (common, steps int) {
	for i, j := 0, 0; i < len(a) && j < len(b); steps++ {
		switch {
		case a[i].id < b[j].id:
			i++
		case a[i].id > b[j].id:
			j++
		default:
			common += int(min(a[i].bytes, b[j].bytes))
			i, j = i+1, j+1
		}
	}
	return common, steps + 1
}
