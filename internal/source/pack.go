package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// checkPack refuses a pack that would inflate to more than a repository of
// manifests has any use for, before anything is inflated into memory.
// It returns the objects that deltas of the pack are based on by name.
func checkPack(ctx context.Context, pack io.ReadSeeker) (bases []plumbing.Hash, err error) {
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return nil, cacheError(err)
	}
	scanner := packfile.NewScanner(pack)
	_, count, err := scanner.Header()
	if err != nil {
		return nil, fmt.Errorf("reading the pack: %w", err)
	}
	if count > maxObjects {
		return nil, fail(ErrContent, "the commit has %d objects; at most %d are accepted", count, maxObjects)
	}
	var total int64
	seen := map[plumbing.Hash]bool{}
	for range count {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, size, err := declaredSize(scanner)
		if err != nil {
			return nil, fmt.Errorf("reading the pack: %w", err)
		}
		if h.Type == plumbing.REFDeltaObject && !seen[h.Reference] {
			seen[h.Reference] = true
			bases = append(bases, h.Reference)
		}
		if size > maxObjectBytes {
			return nil, fail(ErrContent, "the commit holds a file of %d bytes; at most %d are accepted", size, maxObjectBytes)
		}
		if total += size; total > maxInflated {
			return nil, fail(ErrContent, "the commit's files are more than %d bytes; at most that many are accepted", int64(maxInflated))
		}
	}
	return bases, nil
}

// declaredSize reads past one object. The size of what a delta makes stands
// in the delta's own first bytes.
func declaredSize(scanner *packfile.Scanner) (*packfile.ObjectHeader, int64, error) {
	h, err := scanner.NextObjectHeader()
	if err != nil {
		return nil, 0, err
	}
	if h.Length > maxObjectBytes {
		return h, h.Length, nil
	}
	var first head
	if n, _, err := scanner.NextObject(&first); err != nil {
		return nil, 0, err
	} else if n != h.Length {
		return nil, 0, packfile.ErrMalformedPackFile
	}
	if !h.Type.IsDelta() {
		return h, h.Length, nil
	}
	_, n := binary.Uvarint(first.b[:first.n]) // the base's size
	if n <= 0 {
		return nil, 0, packfile.ErrMalformedPackFile
	}
	size, m := binary.Uvarint(first.b[n:first.n])
	if m <= 0 {
		return nil, 0, packfile.ErrMalformedPackFile
	}
	return h, max(h.Length, int64(min(size, maxObjectBytes+1))), nil
}

// head keeps the first bytes written to it.
type head struct {
	b [2 * binary.MaxVarintLen64]byte
	n int
}

func (h *head) Write(p []byte) (int, error) {
	h.n += copy(h.b[h.n:], p)
	return len(p), nil
}

// indexPack verifies a pack and returns its checksum and index.
func indexPack(pack io.ReadSeeker) (plumbing.Hash, []byte, error) {
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return plumbing.ZeroHash, nil, cacheError(err)
	}
	writer := new(idxfile.Writer)
	parser, err := packfile.NewParser(packfile.NewScanner(pack), writer)
	if err != nil {
		return plumbing.ZeroHash, nil, fmt.Errorf("reading the pack: %w", err)
	}
	sum, err := parser.Parse()
	if err != nil {
		return plumbing.ZeroHash, nil, fmt.Errorf("reading the pack: %w", err)
	}
	index, err := writer.Index()
	if err != nil {
		return plumbing.ZeroHash, nil, fmt.Errorf("indexing the pack: %w", err)
	}
	var out bytes.Buffer
	if _, err := idxfile.NewEncoder(&out).Encode(index); err != nil {
		return plumbing.ZeroHash, nil, fmt.Errorf("indexing the pack: %w", err)
	}
	return sum, out.Bytes(), nil
}
