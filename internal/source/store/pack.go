package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// packed is one object of a pack.
type packed struct {
	hash   plumbing.Hash // zero for a delta that is not resolved yet
	kind   plumbing.ObjectType
	offset int64
	size   int64 // size of the object, inflated and with its deltas applied
	cost   int64 // number of bytes that are read and written to make the object from the pack
	crc    uint32
	depth  int32 // number of deltas between the object and one that is stored in full.
	base   int32 // the object that the delta changes; none if it is unknown, or if this is no delta.
	child  int32 // the first delta that changes this object.
	next   int32 // the next delta of the same base.
}

const none = -1

// packScan is the result of one scan of a pack.
type packScan struct {
	scanner *packfile.Scanner
	objects []packed
	sum     plumbing.Hash
	// named has, by the hash of a base, the first delta that names that base by its hash. The field
	// next leads to the other deltas of the base.
	named map[plumbing.Hash]int32
}

// scanPack reads a pack from its first byte to its checksum. It refuses a pack whose inflated size
// is larger than any repository of manifests needs. In memory, it only stores the positions and
// sizes of the objects.
func scanPack(ctx context.Context, pack io.ReadSeeker) (*packScan, error) {
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return nil, cacheError(err)
	}
	p := &packScan{scanner: packfile.NewScanner(watched{ctx, pack}), named: map[plumbing.Hash]int32{}}
	_, count, err := p.scanner.Header()
	if err != nil {
		return nil, fmt.Errorf("reading the pack: %w", err)
	}
	if count > maxObjects {
		return nil, failure.New(failure.ErrContent, "the commit has %d objects; at most %d are accepted", count, maxObjects)
	}
	var total int64
	for range count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := p.readObject(); err != nil {
			return nil, fmt.Errorf("reading the pack: %w", err)
		}
		size := p.objects[len(p.objects)-1].size
		if size > maxObjectBytes {
			return nil, failure.New(failure.ErrContent, "the commit has a file of %d bytes; at most %d are accepted", size, maxObjectBytes)
		}
		if total += size; total > maxInflated {
			return nil, failure.New(failure.ErrContent, "the commit's files are more than %d bytes; at most that many are accepted", int64(maxInflated))
		}
	}
	if p.sum, err = p.scanner.Checksum(); err != nil {
		return nil, fmt.Errorf("reading the pack: %w", err)
	}
	end, err := p.scanner.SeekFromStart(0)
	if err != nil {
		return nil, cacheError(err)
	}
	if size, err := pack.Seek(0, io.SeekEnd); err != nil || size != end {
		return nil, fmt.Errorf("reading the pack: %w: there is more after its end", packfile.ErrMalformedPackFile)
	}
	return p, nil
}

// readObject reads one object. It records an object that is too large, but does not inflate it.
func (p *packScan) readObject() error {
	h, err := p.scanner.NextObjectHeader()
	if err != nil {
		return err
	}
	o := packed{kind: h.Type, offset: h.Offset, size: h.Length, base: none, child: none, next: none}
	if o.size > maxObjectBytes {
		p.objects = append(p.objects, o)
		return nil
	}
	if h.Type.IsDelta() {
		o.size, o.crc, err = p.delta(h)
		if err != nil {
			return err
		}
		return p.link(o, h)
	}
	if h.Type < plumbing.CommitObject || h.Type > plumbing.TagObject {
		return packfile.ErrMalformedPackFile
	}
	hasher := plumbing.NewHasher(h.Type, h.Length)
	n, crc, err := p.scanner.NextObject(hasher)
	if err != nil {
		return err
	}
	if n != h.Length {
		return packfile.ErrMalformedPackFile
	}
	o.hash, o.crc, o.cost = hasher.Sum(), crc, h.Length
	p.objects = append(p.objects, o)
	return nil
}

// delta reads a delta and drops its content, except the first bytes, which contain the size of the
// result.
func (p *packScan) delta(h *packfile.ObjectHeader) (size int64, crc uint32, err error) {
	var first head
	n, crc, err := p.scanner.NextObject(&first)
	if err != nil {
		return 0, 0, err
	}
	_, skip := binary.Uvarint(first.b[:first.n]) // the base's size
	if n != h.Length || skip <= 0 {
		return 0, 0, packfile.ErrMalformedPackFile
	}
	made, m := binary.Uvarint(first.b[skip:first.n])
	if m <= 0 {
		return 0, 0, packfile.ErrMalformedPackFile
	}
	return max(h.Length, int64(min(made, maxObjectBytes+1))), crc, nil
}

// link adds a delta to the list of its base's deltas.
func (p *packScan) link(o packed, h *packfile.ObjectHeader) error {
	at := int32(len(p.objects))
	if h.Type == plumbing.REFDeltaObject {
		if other, ok := p.named[h.Reference]; ok {
			o.next = other
		}
		p.named[h.Reference] = at
	} else {
		base, ok := slices.BinarySearchFunc(p.objects, h.OffsetReference, func(o packed, offset int64) int { return int(o.offset - offset) })
		if !ok {
			return packfile.ErrMalformedPackFile
		}
		o.base, o.next, p.objects[base].child = int32(base), p.objects[base].child, at
	}
	p.objects = append(p.objects, o)
	return nil
}

// missing lists the bases that deltas name and that the pack does not store in full.
func (p *packScan) missing() (list []plumbing.Hash) {
	here := map[plumbing.Hash]bool{}
	for _, o := range p.objects {
		if _, ok := p.named[o.hash]; ok {
			here[o.hash] = true
		}
	}
	for h := range p.named {
		if !here[h] {
			list = append(list, h)
		}
	}
	plumbing.HashesSort(list)
	return list
}

// adopt makes object i the base of the deltas that name its hash.
func (p *packScan) adopt(i int32) {
	o := &p.objects[i]
	at, ok := p.named[o.hash]
	if !ok {
		return
	}
	delete(p.named, o.hash)
	for at != none {
		next := p.objects[at].next
		p.objects[at].base, p.objects[at].next, o.child = i, o.child, at
		at = next
	}
}

// head stores the first bytes that are written to it.
type head struct {
	b [2 * binary.MaxVarintLen64]byte
	n int
}

func (h *head) Write(p []byte) (int, error) {
	h.n += copy(h.b[h.n:], p)
	return len(p), nil
}

// watched is a pack whose reads return an error after ctx has ended.
type watched struct {
	ctx context.Context
	io.ReadSeeker
}

func (w watched) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.ReadSeeker.Read(p)
}
