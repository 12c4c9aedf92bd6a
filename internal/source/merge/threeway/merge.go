// Package threeway merges two texts with a common ancestor, line by line, with the same result as
// git (merge-ort with its defaults).
//
// It knows lines, but no files, folders or commits. Its time is limited for all texts. If texts are
// too complex to compare, it finds larger changes than git does. So it may report conflicts that
// git does not have.
package threeway

import (
	"bytes"
	"slices"
)

const (
	// binaryHead is the number of bytes in which git searches for a NUL byte. A file with a NUL
	// byte there is binary.
	binaryHead = 8000
	// maxLines is the maximal number of lines of a text that is merged.
	maxLines = 200_000
)

// Work is the number of lines that may still be visited. If it is below zero, it was not enough,
// and the result of the last merge must not be used.
type Work int

// Merge does the same as the function Merge, and subtracts its work from w.
func (w *Work) Merge(before, ours, theirs []byte) (merged []byte, ok bool) {
	merged, ok, steps := counted(before, ours, theirs)
	*w -= Work(steps)
	return merged, ok
}

// Merge applies the changes from before to ours and from before to theirs together. ok is false
// when they change the same or adjacent lines in different ways, or when one of the three is binary
// or too long.
func Merge(before, ours, theirs []byte) (merged []byte, ok bool) {
	merged, ok, _ = counted(before, ours, theirs)
	return merged, ok
}

// counted merges, and also returns the number of visited lines.
func counted(before, ours, theirs []byte) (merged []byte, ok bool, steps int) {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(before, theirs):
		return ours, true, 0
	case bytes.Equal(before, ours):
		return theirs, true, 0
	}
	for _, text := range [][]byte{before, ours, theirs} {
		if bytes.IndexByte(text[:min(len(text), binaryHead)], 0) >= 0 || bytes.Count(text, []byte{'\n'}) > maxLines {
			return nil, false, 0
		}
	}
	ids := map[string]int{}
	o, a, b := split(before, ids), split(ours, ids), split(theirs, ids)
	m := merge{ours: a, theirs: b}
	left, leftSteps := compare(o.ids, a.ids)
	right, rightSteps := compare(o.ids, b.ids)
	steps = leftSteps + rightSteps + len(o.ids) + len(a.ids) + len(b.ids)
	if !m.chunks(left, right) {
		return nil, false, steps
	}
	return m.text(), true, steps
}

// text is a text as lines, with their line ends. Equal lines have equal ids.
type text struct {
	lines [][]byte
	ids   []int
}

func split(all []byte, known map[string]int) (t text) {
	for line := range bytes.Lines(all) {
		id, ok := known[string(line)]
		if !ok {
			id = len(known)
			known[string(line)] = id
		}
		t.lines, t.ids = append(t.lines, line), append(t.ids, id)
	}
	return t
}

// span is a run of lines. from is its first line, and to is the line after its last one.
type span struct{ from, to int }

// shifted returns the span moved by n lines.
func (s span) shifted(n int) span { return span{s.from + n, s.to + n} }

// change says that the lines old of the old text became the lines new of the new text.
type change struct{ old, new span }

// shift returns the number of lines by which the change moves the lines after it.
func (c change) shift() int { return c.new.to - c.old.to }

// chunk is a part of the merged text where the sides differ. take says which side's lines are used.
type chunk struct {
	ours, theirs span
	take         side
}

type side int

const (
	both  side = iota // both sides changed it: a conflict, unless their lines are equal
	left              // our lines are used
	right             // their lines are used
)

type merge struct {
	ours, theirs text
	list         []chunk
}

// chunks aligns the changes of both sides. It returns false if they conflict.
func (m *merge) chunks(ours, theirs []change) bool {
	var ourShift, theirShift int // by how many lines the next lines of each side have moved
	for len(ours) > 0 || len(theirs) > 0 {
		switch {
		case len(theirs) == 0 || len(ours) > 0 && ours[0].old.to < theirs[0].old.from:
			c := ours[0]
			m.add(chunk{c.new, c.old.shifted(theirShift), left})
			ourShift, ours = c.shift(), ours[1:]
			continue
		case len(ours) == 0 || theirs[0].old.to < ours[0].old.from:
			c := theirs[0]
			m.add(chunk{c.old.shifted(ourShift), c.new, right})
			theirShift, theirs = c.shift(), theirs[1:]
			continue
		}
		a, b := ours[0], theirs[0]
		if !m.alike(a, b) {
			m.add(conflict(a, b))
		}
		if a.old.to >= b.old.to {
			theirShift, theirs = b.shift(), theirs[1:]
		}
		if b.old.to >= a.old.to {
			ourShift, ours = a.shift(), ours[1:]
		}
	}
	return !slices.ContainsFunc(m.list, func(c chunk) bool { return c.take == both && !m.same(c.ours, c.theirs) })
}

// alike reports whether both sides made the same change.
func (m *merge) alike(a, b change) bool { return a.old == b.old && m.same(a.new, b.new) }

func (m *merge) same(ours, theirs span) bool {
	return slices.Equal(m.ours.ids[ours.from:ours.to], m.theirs.ids[theirs.from:theirs.to])
}

// conflict returns the chunk that covers two changes that touch, with the lines of each side.
func conflict(a, b change) chunk {
	c := chunk{ours: a.new, theirs: b.new, take: both}
	if off := a.old.from - b.old.from; off > 0 {
		c.ours.from -= off
	} else {
		c.theirs.from += off
	}
	if off := a.old.to - b.old.to; off < 0 {
		c.ours.to -= off
	} else {
		c.theirs.to += off
	}
	return c
}

// add appends a chunk, or extends the last chunk if both touch.
func (m *merge) add(c chunk) {
	if n := len(m.list); n > 0 {
		last := &m.list[n-1]
		if c.ours.from <= last.ours.to || c.theirs.from <= last.theirs.to {
			if c.take != last.take {
				last.take = both
			}
			last.ours.to, last.theirs.to = c.ours.to, c.theirs.to
			return
		}
	}
	m.list = append(m.list, c)
}

// text returns our text with the changes that only their side has made.
func (m *merge) text() []byte {
	var out [][]byte
	at := 0
	for _, c := range m.list {
		if c.take != right {
			continue
		}
		out = append(out, m.ours.lines[at:c.ours.from]...)
		out = append(out, m.theirs.lines[c.theirs.from:c.theirs.to]...)
		at = c.ours.to
	}
	return bytes.Join(append(out, m.ours.lines[at:]...), nil)
}
