package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// These are the limits on deltas. A pack of a megabyte can contain 20,000 deltas that each read 90 megabytes. So the
// work is limited, and not the size of the result. The work is the number of bytes that are read and written for
// every object and all its bases. Reading the objects later one by one takes the same work again.
const (
	maxWork        = 64 << 30  // maximal work for all objects of a pack together.
	maxObjectWork  = 1 << 30   // maximal work for one object.
	maxDeltaBytes  = 128 << 20 // the longest object that a delta reads or makes.
	maxDeltaDepth  = 4095      // the maximum that Git itself writes.
	maxKeptContent = 64 << 20  // contents in memory, of objects that are bases of other objects.
)

// resolver applies the deltas of a pack.
type resolver struct {
	*packScan
	ctx   context.Context
	kept  map[int32][]byte
	bytes int64 // total length of the contents in kept
	limit int64 // the limit of the work for one object
	work  int64
	left  int // number of deltas that are not resolved yet
}

// resolve applies every delta once, and computes the hash of each result. limit is the limit of the work for one
// object. It is an error if deltas have no base, or are bases of each other in a cycle.
func (p *packScan) resolve(ctx context.Context, limit int64) error {
	r := &resolver{packScan: p, ctx: ctx, limit: limit, kept: map[int32][]byte{}}
	var todo []int32 // objects that are bases of deltas
	for i := range p.objects {
		if p.objects[i].kind.IsDelta() {
			r.left++
			continue
		}
		if p.adopt(int32(i)); p.objects[i].child != none {
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		base, err := r.content(at)
		if err != nil {
			return fmt.Errorf("reading the pack: %w", err)
		}
		r.drop(at)
		for c := p.objects[at].child; c != none; c = p.objects[c].next {
			if err := r.resolveDelta(base, at, c); err != nil {
				return fmt.Errorf("reading the pack: %w", err)
			}
			if p.objects[c].child != none {
				todo = append(todo, c)
			}
		}
	}
	if r.left > 0 {
		return fmt.Errorf("reading the pack: %w", packfile.ErrReferenceDeltaNotFound)
	}
	return nil
}

// resolveDelta applies the delta with the index c to base, which is the object with the index at.
func (r *resolver) resolveDelta(base []byte, at, c int32) error {
	o := &r.objects[c]
	o.kind = r.objects[at].kind
	if o.depth = r.objects[at].depth + 1; o.depth > maxDeltaDepth {
		return failure.New(failure.ErrContent, "an object is made of more than %d deltas on top of each other; at most that many are accepted", maxDeltaDepth)
	}
	o.cost = r.objects[at].cost + o.size
	if o.cost > r.limit {
		return failure.New(failure.ErrContent, "an object is made of deltas that read and write %d bytes; at most %d are accepted", o.cost, r.limit)
	}
	if r.work += o.cost; r.work > maxWork {
		return failure.New(failure.ErrContent, "the pack's deltas read and write more than %d bytes; at most that many are accepted", int64(maxWork))
	}
	made, err := r.apply(base, c)
	if err != nil {
		return err
	}
	o.size = int64(len(made))
	o.hash = plumbing.ComputeHash(o.kind, made)
	r.left--
	if r.adopt(c); o.child != none {
		r.keep(c, made)
	}
	return nil
}

func (r *resolver) apply(base []byte, c int32) ([]byte, error) {
	if int64(len(base)) > maxDeltaBytes || r.objects[c].size > maxDeltaBytes {
		return nil, failure.New(failure.ErrContent, "a file that is sent as a delta, or is the base of a delta, has more than %d bytes; remove such large files from the history", maxDeltaBytes)
	}
	delta, err := r.inflate(c)
	if err != nil {
		return nil, err
	}
	return patched(base, delta, r.objects[c].size)
}

// content returns an object with its deltas applied. It takes the object from kept, or applies the deltas again.
func (r *resolver) content(i int32) ([]byte, error) {
	chain := []int32{}
	at := i
	for r.kept[at] == nil && r.objects[at].base != none {
		chain = append(chain, at)
		at = r.objects[at].base
	}
	content, ok := r.kept[at]
	if !ok {
		if r.objects[at].size > maxDeltaBytes {
			return nil, failure.New(failure.ErrContent, "a file that is sent as a delta, or is the base of a delta, has more than %d bytes; remove such large files from the history", maxDeltaBytes)
		}
		var err error
		if content, err = r.inflate(at); err != nil {
			return nil, err
		}
	}
	for n := len(chain) - 1; n >= 0; n-- {
		var err error
		if content, err = r.apply(content, chain[n]); err != nil {
			return nil, err
		}
	}
	return content, nil
}

func (r *resolver) keep(i int32, content []byte) {
	if r.bytes == 0 || r.bytes+int64(len(content)) <= maxKeptContent {
		r.kept[i] = content
		r.bytes += int64(len(content))
	}
}

func (r *resolver) drop(i int32) {
	r.bytes -= int64(len(r.kept[i]))
	delete(r.kept, i)
}

// inflate returns the data of an object or a delta in the pack, decompressed. Deltas are not applied.
func (r *resolver) inflate(i int32) ([]byte, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	h, err := r.scanner.SeekObjectHeader(r.objects[i].offset)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(make([]byte, 0, h.Length))
	_, _, err = r.scanner.NextObject(out)
	return out.Bytes(), err
}

// patched applies a delta. It does the same as packfile.PatchDelta, but never allocates more than size bytes of
// memory.
//
//	base's length │ result's length │ 0ccccccc and c bytes, or 1ssstttt with bytes of an offset and a length in base …
func patched(base, delta []byte, size int64) ([]byte, error) {
	from, n := binary.Uvarint(delta)
	if n <= 0 || from != uint64(len(base)) {
		return nil, packfile.ErrInvalidDelta
	}
	to, m := binary.Uvarint(delta[n:])
	if m <= 0 || to > uint64(size) {
		return nil, packfile.ErrInvalidDelta
	}
	out := make([]byte, 0, to)
	for delta = delta[n+m:]; len(delta) > 0; {
		part, rest, ok := instruction(base, delta)
		if !ok || uint64(len(out)+len(part)) > to {
			return nil, packfile.ErrInvalidDelta
		}
		out, delta = append(out, part...), rest
	}
	if uint64(len(out)) != to {
		return nil, packfile.ErrInvalidDelta
	}
	return out, nil
}

// instruction returns the bytes that the first instruction of a delta adds, and the rest of the delta.
func instruction(base, delta []byte) (part, rest []byte, ok bool) {
	first, rest := delta[0], delta[1:]
	if first&0x80 == 0 {
		n := int(first)
		if n == 0 || n > len(rest) {
			return nil, nil, false
		}
		return rest[:n], rest[n:], true
	}
	var numbers [7]byte
	for i := range numbers {
		if first&(1<<i) == 0 {
			continue
		}
		if len(rest) == 0 {
			return nil, nil, false
		}
		numbers[i], rest = rest[0], rest[1:]
	}
	at := uint64(binary.LittleEndian.Uint32(numbers[:]))
	n := uint64(numbers[4]) | uint64(numbers[5])<<8 | uint64(numbers[6])<<16
	if n == 0 {
		n = 0x10000
	}
	if at+n > uint64(len(base)) {
		return nil, nil, false
	}
	return base[at : at+n], rest, true
}
