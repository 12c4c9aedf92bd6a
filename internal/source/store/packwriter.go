package store

import (
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// WritePack writes the objects of list as a pack, version 2, without deltas. Only one object is in
// memory at a time.
func WritePack(ctx context.Context, w io.Writer, objects storer.EncodedObjectStorer, list []plumbing.Hash) error {
	sum := sha1.New()
	out := io.MultiWriter(w, sum)
	head := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	head = binary.BigEndian.AppendUint32(head, uint32(len(list)))
	if _, err := out.Write(head); err != nil {
		return err
	}
	deflate, err := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)
	if err != nil {
		return err
	}
	for _, h := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		o, err := ReadObject(objects, h)
		if err == nil {
			err = writeObject(out, deflate, o)
		}
		if err != nil {
			return fmt.Errorf("packing object %s: %w", h, err)
		}
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// ReadObject reads an object unless it is too large. If the object is stored in another repository
// (an alternate), its size is known only after reading.
func ReadObject(objects storer.EncodedObjectStorer, h plumbing.Hash) (plumbing.EncodedObject, error) {
	if size, err := objects.EncodedObjectSize(h); err == nil {
		if err := checkSize(plumbing.BlobObject, h, size); err != nil {
			return nil, err
		}
	}
	o, err := objects.EncodedObject(plumbing.AnyObject, h)
	if err != nil {
		return nil, err
	}
	return o, checkSize(o.Type(), h, o.Size())
}

func writeObject(out io.Writer, deflate *zlib.Writer, o plumbing.EncodedObject) error {
	r, err := o.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := out.Write(objectHeader(o.Type(), uint64(o.Size()))); err != nil {
		return err
	}
	deflate.Reset(out)
	if _, err := io.Copy(deflate, r); err != nil {
		return err
	}
	return deflate.Close()
}

// objectHeader returns the header of an object: the type in three bits, and the size in groups of
// 4, 7, 7, … bits, the lowest bits first.
func objectHeader(t plumbing.ObjectType, size uint64) []byte {
	b := byte(t)<<4 | byte(size&0x0f)
	size >>= 4
	var out []byte
	for size > 0 {
		out = append(out, b|0x80)
		b = byte(size & 0x7f)
		size >>= 7
	}
	return append(out, b)
}
