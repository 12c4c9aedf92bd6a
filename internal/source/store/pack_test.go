package store

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// rawObject is an object of a pack. Its declared size may be false. A delta by offset without a
// base is a delta of the first object.
type rawObject struct {
	kind plumbing.ObjectType
	size uint64
	base []byte
	data []byte
}

func rawPack(t testing.TB, objects ...rawObject) []byte {
	t.Helper()
	out := binary.BigEndian.AppendUint32([]byte("PACK"), 2)
	out = binary.BigEndian.AppendUint32(out, uint32(len(objects)))
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	for _, o := range objects {
		at := len(out)
		out = append(out, objectHeader(o.kind, o.size)...)
		if o.kind == plumbing.OFSDeltaObject && o.base == nil {
			out = append(out, offsetBack(at-len("PACK22224444"))...)
		}
		out = append(out, o.base...)
		z.Reset()
		w.Reset(&z)
		if _, err := w.Write(o.data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out = append(out, z.Bytes()...)
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// offsetBack encodes the distance from a delta to its base, which is before it, as packs do.
func offsetBack(n int) []byte {
	out := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		n--
		out = append([]byte{0x80 | byte(n&0x7f)}, out...)
	}
	return out
}

func TestPacksThatAreRefused(t *testing.T) {
	blob := rawObject{kind: plumbing.BlobObject, size: 5, data: []byte("hello")}
	base := plumbing.ComputeHash(plumbing.BlobObject, []byte("hello"))
	delta := func(target uint64) rawObject {
		d := binary.AppendUvarint(binary.AppendUvarint(nil, 5), target)
		d = append(d, 0x80|0x10, 5)
		return rawObject{kind: plumbing.REFDeltaObject, size: uint64(len(d)), base: base[:], data: d}
	}
	for name, c := range map[string]struct {
		pack []byte
		want string
	}{
		"sound":               {rawPack(t, blob, delta(5)), ""},
		"large object":        {rawPack(t, rawObject{kind: plumbing.BlobObject, size: maxObjectBytes + 1}), "a file of"},
		"large delta":         {rawPack(t, blob, delta(maxObjectBytes+1)), "a file of"},
		"huge delta":          {rawPack(t, blob, delta(1<<63)), "a file of"},
		"more than it says":   {rawPack(t, rawObject{kind: plumbing.BlobObject, size: 2, data: []byte("hello")}), "reading the pack"},
		"less than it says":   {rawPack(t, rawObject{kind: plumbing.BlobObject, size: 9, data: []byte("hello")}), "reading the pack"},
		"delta without sizes": {rawPack(t, blob, rawObject{kind: plumbing.REFDeltaObject, size: 1, base: base[:], data: []byte{0x80}}), "reading the pack"},
		"delta lies":          {rawPack(t, blob, delta(7)), "reading the pack"},
		"no base":             {rawPack(t, delta(5)), "reading the pack"},
		"bad checksum":        {append(rawPack(t, blob)[:38], make([]byte, 20)...), "reading the pack"},
		"many objects":        {append(binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), maxObjects+1), 0), "objects"},
		"not a pack":          {[]byte("<html>"), "reading the pack"},
		"empty":               {nil, "reading the pack"},
	} {
		t.Run(name, func(t *testing.T) {
			err := New("").Receive(context.Background(), bytes.NewReader(c.pack))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestThinPack receives a thin pack whose base is shorter than a checksum.
func TestThinPack(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		s := New(dir)
		receive := func(pack []byte) {
			t.Helper()
			if err := s.Receive(context.Background(), bytes.NewReader(pack)); err != nil {
				t.Fatal(err)
			}
		}
		receive(rawPack(t, rawObject{kind: plumbing.BlobObject, size: 5, data: []byte("hello")}))
		base := plumbing.ComputeHash(plumbing.BlobObject, []byte("hello"))
		receive(rawPack(t, rawObject{kind: plumbing.REFDeltaObject, size: 11, base: base[:], data: []byte("\x05\x0b\x90\x05\x06 world")}))
		got, err := s.Blob(plumbing.ComputeHash(plumbing.BlobObject, []byte("hello world")))
		if err != nil || string(got) != "hello world" {
			t.Errorf("%q, %v", got, err)
		}
		for _, p := range s.packs {
			if dir == "" {
				continue
			}
			if size, err := verifyPack(t.Context(), filepath.Join(dir, p.name)); err != nil || size != p.size {
				t.Errorf("%s: %d, %v", p.name, size, err)
			}
		}
	}
}

func TestObjectHeader(t *testing.T) {
	for size, want := range map[uint64]string{0: "\x30", 15: "\x3f", 16: "\xb0\x01", 2047: "\xbf\x7f", 2048: "\xb0\x80\x01"} {
		if got := string(objectHeader(plumbing.BlobObject, size)); got != want {
			t.Errorf("%d: %x, want %x", size, got, want)
		}
	}
}

func TestFullDiskFallsBackToMemory(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	_, err = cacheWriter{full}.Write([]byte("x"))
	if err == nil || !strings.Contains(err.Error(), ErrCache.Error()) {
		t.Errorf("a full disk gives %v", err)
	}
}

func FuzzPack(f *testing.F) {
	f.Add(rawPack(f, rawObject{kind: plumbing.BlobObject, size: 5, data: []byte("hello")}))
	f.Add([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, pack []byte) {
		s := New("")
		if s.Receive(context.Background(), bytes.NewReader(pack)) == nil && len(s.packs) != 1 {
			t.Error("a pack was accepted and is not there")
		}
	})
}
