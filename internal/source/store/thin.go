package store

import (
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// completePack completes a thin pack. A thin pack has deltas whose bases are not in it, because the
// server knows that the client has these bases. completePack copies the bases to the end of the
// pack, so that each pack can be read, checked and indexed without the others.
//
//	"PACK" 2 count │ objects … │ checksum   ──▶   "PACK" 2 count+n │ objects … │ n bases │ checksum
//
// added is false if no base had to be added.
func (s *Store) completePack(ctx context.Context, pack spool, bases []plumbing.Hash) (added bool, err error) {
	var here []plumbing.EncodedObject
	var total int64
	for _, h := range bases {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		// A base that is not in the store can be the result of another delta. If it is not, resolve
		// reports that it is missing.
		o, err := s.object(plumbing.AnyObject, h)
		if err != nil {
			continue
		}
		if total += o.Size(); total > maxInflated {
			return false, failure.New(failure.ErrContent, "the pack changes files of more than %d bytes; at most that many are accepted", int64(maxInflated))
		}
		here = append(here, o)
	}
	if len(here) == 0 {
		return false, nil
	}
	end, err := pack.Seek(-sha1.Size, io.SeekEnd)
	if err != nil {
		return false, cacheError(err)
	}
	if err := appendObjects(ctx, pack, end, here); err != nil {
		return false, fmt.Errorf("completing the pack: %w", err)
	}
	if err := addCount(pack, uint32(len(here))); err != nil {
		return false, fmt.Errorf("completing the pack: %w", err)
	}
	if end, err = pack.Seek(0, io.SeekEnd); err != nil {
		return false, cacheError(err)
	}
	sum, err := sumOf(watched{ctx, pack}, end)
	if err != nil {
		return false, err
	}
	_, err = cacheWriter{pack}.Write(sum)
	return true, err
}

// appendObjects writes objects to the end of a pack. They replace the pack's checksum.
func appendObjects(ctx context.Context, pack spool, end int64, objects []plumbing.EncodedObject) error {
	if err := pack.Truncate(end); err != nil {
		return cacheError(err)
	}
	if _, err := pack.Seek(end, io.SeekStart); err != nil {
		return cacheError(err)
	}
	deflate, err := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeObject(cacheWriter{pack}, deflate, o); err != nil {
			return err
		}
	}
	return nil
}

// addCount adds n to the number of objects in a pack's header.
func addCount(pack spool, n uint32) error {
	var count [4]byte
	if _, err := pack.Seek(8, io.SeekStart); err != nil {
		return cacheError(err)
	}
	if _, err := io.ReadFull(pack, count[:]); err != nil {
		return cacheError(err)
	}
	binary.BigEndian.PutUint32(count[:], binary.BigEndian.Uint32(count[:])+n)
	if _, err := pack.Seek(8, io.SeekStart); err != nil {
		return cacheError(err)
	}
	_, err := cacheWriter{pack}.Write(count[:])
	return err
}

// checkSum compares a pack with the checksum at its end, and returns the checksum's offset.
func checkSum(pack io.ReadSeeker) (end int64, err error) {
	if end, err = pack.Seek(-sha1.Size, io.SeekEnd); err != nil {
		return 0, fmt.Errorf("reading the pack: %w: it is cut short", packfile.ErrMalformedPackFile)
	}
	var trailer [sha1.Size]byte
	if _, err := io.ReadFull(pack, trailer[:]); err != nil {
		return 0, cacheError(err)
	}
	sum, err := sumOf(pack, end)
	if err != nil {
		return 0, err
	}
	if string(sum) != string(trailer[:]) {
		return 0, fmt.Errorf("reading the pack: %w: its checksum does not match", packfile.ErrMalformedPackFile)
	}
	return end, nil
}

// sumOf computes the checksum of the first n bytes.
func sumOf(pack io.ReadSeeker, n int64) ([]byte, error) {
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return nil, cacheError(err)
	}
	sum := sha1.New()
	if _, err := io.CopyN(sum, pack, n); err != nil {
		return nil, cacheError(err)
	}
	return sum.Sum(nil), nil
}
