package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// fewer returns a smaller number than n under the race detector, where memory is not counted and a
// large n only takes longer.
func fewer(n int) int {
	if testcost.UnderRace {
		return n / 10
	}
	return n
}

// tiny returns a delta whose result has only a few bytes, different ones for each n.
func tiny(baseSize, n int) []byte {
	d := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(baseSize)), 4)
	return binary.BigEndian.AppendUint32(append(d, 4), uint32(n))
}

// deltasOn returns a pack of one blob and n small deltas on it. The deltas refer to the blob by
// hash if named is true, and otherwise by offset.
func deltasOn(t testing.TB, size, n int, named bool) []byte {
	t.Helper()
	blob := make([]byte, size)
	objects := []rawObject{{kind: plumbing.BlobObject, size: uint64(size), data: blob}}
	name := plumbing.ComputeHash(plumbing.BlobObject, blob)
	for i := range n {
		d := tiny(size, i)
		o := rawObject{kind: plumbing.REFDeltaObject, size: uint64(len(d)), base: name[:], data: d}
		if !named {
			o.kind, o.base = plumbing.OFSDeltaObject, nil
		}
		objects = append(objects, o)
	}
	return rawPack(t, objects...)
}

// chainOf returns a pack in which each object repeats the previous one and changes its first bytes.
func chainOf(t testing.TB, size, n int) []byte {
	t.Helper()
	blob := make([]byte, size)
	objects := []rawObject{{kind: plumbing.BlobObject, size: uint64(size), data: bytes.Clone(blob)}}
	for i := range n {
		base := plumbing.ComputeHash(plumbing.BlobObject, blob)
		d := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(size)), uint64(size))
		d = binary.BigEndian.AppendUint32(append(d, 4), uint32(i+1))
		binary.BigEndian.PutUint32(blob, uint32(i+1))
		for at := 4; at < size; at += 0xffff {
			d = append(d, 0x80|0x0f|0x30)
			d = binary.LittleEndian.AppendUint32(d, uint32(at))
			d = binary.LittleEndian.AppendUint16(d, uint16(min(0xffff, size-at)))
		}
		objects = append(objects, rawObject{kind: plumbing.REFDeltaObject, size: uint64(len(d)), base: base[:], data: d})
	}
	return rawPack(t, objects...)
}

// TestAttackDeltas receives packs in which a few bytes cause much work. It checks the error of the
// exceeded limit, and the memory that was allocated.
func TestAttackDeltas(t *testing.T) {
	testcost.Long(t) // The test makes and reads large packs.
	self := bytes.Repeat([]byte{7}, 20)
	for name, c := range map[string]struct {
		pack []byte
		want string
		most int64
	}{
		"50,000 on one blob, by name":   {deltasOn(t, 16<<20, fewer(50_000), true), strconv.Itoa(maxWork), 512 << 20},
		"50,000 on one blob, by offset": {deltasOn(t, 16<<20, fewer(50_000), false), strconv.Itoa(maxWork), 512 << 20},
		"a chain of large objects":      {chainOf(t, 2<<20, 40), strconv.Itoa(64 << 20), 256 << 20},
		"a chain of 50,000":             {chainOf(t, 8, fewer(50_000)), strconv.Itoa(maxDeltaDepth), 512 << 20},
		"based on itself":               {rawPack(t, rawObject{kind: plumbing.REFDeltaObject, size: 7, base: self, data: tiny(4, 1)}), "reference delta not found", 16 << 20},
		"a base that is too long":       {deltasOn(t, maxDeltaBytes+1, 1, true), strconv.Itoa(maxDeltaBytes), 512 << 20},
		"sound":                         {chainOf(t, 1000, 50), "", 32 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			s := New("")
			s.objectWork = 64 << 20
			took := testcost.AllocatedWithoutRace(func() { err = s.Receive(t.Context(), bytes.NewReader(c.pack)) })
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%d bytes: %v, want %q", len(c.pack), err, c.want)
			}
			if took > c.most {
				t.Errorf("%d bytes made it ask for %d", len(c.pack), took)
			}
		})
	}
}

// TestAttackBombs receives objects with false sizes or types, and a large number of objects.
func TestAttackBombs(t *testing.T) {
	testcost.Long(t) // The test makes and reads large packs.
	zeros := make([]byte, 32<<20)
	many := []rawObject{{kind: plumbing.BlobObject, size: 4, data: zeros[:4]}}
	for range 40 {
		d := binary.AppendUvarint(binary.AppendUvarint(nil, 4), 128<<20)
		many = append(many, rawObject{kind: plumbing.OFSDeltaObject, size: uint64(len(d)), data: d})
	}
	flood := make([]rawObject, fewer(200_000))
	for i := range flood {
		flood[i] = rawObject{kind: plumbing.BlobObject, size: 4, data: binary.BigEndian.AppendUint32(nil, uint32(i))}
	}
	for name, c := range map[string]struct {
		pack []byte
		want string
		most int64
	}{
		"makes 5 GB of deltas":   {rawPack(t, many...), strconv.Itoa(maxInflated), 16 << 20},
		"says 1 byte":            {rawPack(t, rawObject{kind: plumbing.BlobObject, size: 1, data: zeros}), "exceeds declared size", 16 << 20},
		"a type that is none":    {rawPack(t, rawObject{kind: 5, size: 1, data: zeros[:1]}), "malformed", 16 << 20},
		"4 billion objects":      {[]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"), "4294967295 objects", 16 << 20},
		"promises one more":      {append([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x02"), rawPack(t, rawObject{kind: plumbing.BlobObject, size: 1, data: zeros[:1]})[12:]...), "reading the pack", 16 << 20},
		"200,000 tiny objects":   {rawPack(t, flood...), "", 400 << 20},
		"more after the end":     {append(rawPack(t), rawPack(t)...), "reading the pack", 16 << 20},
		"offset to another type": {rawPack(t, rawObject{kind: plumbing.OFSDeltaObject, size: 7, base: []byte{3}, data: tiny(4, 1)}), "malformed", 16 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			took := testcost.AllocatedWithoutRace(func() { err = New("").Receive(t.Context(), bytes.NewReader(c.pack)) })
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(strings.ToLower(err.Error()), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if took > c.most {
				t.Errorf("%d bytes made it ask for %d", len(c.pack), took)
			}
		})
	}
}

// TestAttackEndlessPack receives a pack without an end. The pack is written to a file, and little
// memory is used.
func TestAttackEndlessPack(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := New("")
	var opened *os.File
	s.temporary = func() (f *os.File, err error) { opened, err = unnamed(); return opened, err }
	const limit = 200 << 20
	took := testcost.AllocatedWithoutRace(func() {
		err := s.Receive(t.Context(), io.MultiReader(io.LimitReader(endless{}, limit), iotest.ErrReader(failure.ErrContent)))
		if !errors.Is(err, failure.ErrContent) {
			t.Errorf("%v", err)
		}
	})
	if took > 32<<20 {
		t.Errorf("%d bytes on disk asked for %d of memory", limit, took)
	}
	if opened == nil {
		t.Fatal("nothing went to a file")
	}
	if _, err := opened.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is still open: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s.temporary = func() (*os.File, error) { return nil, os.ErrPermission }
	took = testcost.AllocatedWithoutRace(func() {
		err := s.Receive(t.Context(), endless{})
		if !errors.Is(err, failure.ErrContent) || !strings.Contains(err.Error(), "--data-dir") {
			t.Errorf("without a disk: %v", err)
		}
	})
	if took > 8*maxNoDisk {
		t.Errorf("without a disk it asked for %d", took)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// noise returns a text that cannot be compressed.
func noise(n int) []byte {
	text := make([]byte, n)
	random := uint32(1)
	for i := range text {
		random = random*1664525 + 1013904223
		text[i] = byte(random >> 24)
	}
	return text
}

// TestLargePackInMemory reads from a pack that is a file without a name, and from a thin pack whose
// bases are in the first one.
func TestLargePackInMemory(t *testing.T) {
	text := noise(maxInMemory + 1<<20)
	s := New("")
	receive := func(o rawObject) {
		t.Helper()
		if err := s.Receive(t.Context(), bytes.NewReader(rawPack(t, o))); err != nil {
			t.Fatal(err)
		}
	}
	receive(rawObject{kind: plumbing.BlobObject, size: uint64(len(text)), data: text})
	if fs, ok := s.fs.(*memory); !ok || len(fs.large) != 1 {
		t.Fatalf("the store is %+v", s.fs)
	}
	base := plumbing.ComputeHash(plumbing.BlobObject, text)
	d := tiny(len(text), 7)
	receive(rawObject{kind: plumbing.REFDeltaObject, size: uint64(len(d)), base: base[:], data: d})
	if got, err := s.Blob(base); err != nil || !bytes.Equal(got, text) {
		t.Errorf("another text, %v", err)
	}
	if got, err := s.Blob(plumbing.ComputeHash(plumbing.BlobObject, d[len(d)-4:])); err != nil || len(got) != 4 {
		t.Errorf("%q, %v", got, err)
	}
}

// ending is a spool that ends a context after some reads. It counts the reads after that.
type ending struct {
	spool
	left  int
	after int
	end   context.CancelFunc
}

func (e *ending) Read(p []byte) (int, error) {
	if e.left--; e.left == 0 {
		e.end()
	}
	if e.left < 0 {
		e.after++
	}
	return e.spool.Read(p)
}

// TestAttackPackOutlivesItsTime ends the context at every stage of a slow pack. After that, nothing
// more of the pack is read.
func TestAttackPackOutlivesItsTime(t *testing.T) {
	pack := deltasOn(t, 1<<20, 2000, true)
	run := func(end int) (*ending, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f := &overflow{temporary: unnamed}
		if _, err := io.Copy(f, bytes.NewReader(pack)); err != nil {
			t.Fatal(err)
		}
		in := &ending{spool: f, left: end, end: cancel}
		return in, New("").install(ctx, in, func(string) error { return errInstalled })
	}
	const many = 1 << 30
	all, err := run(many)
	if !errors.Is(err, errInstalled) {
		t.Fatal(err)
	}
	total := many - all.left
	for part := range 20 {
		end := 1 + part*total/20
		if in, err := run(end); !errors.Is(err, context.Canceled) || in.after > 0 {
			t.Errorf("after %d of %d reads: %v, %d more", end, total, err, in.after)
		}
	}
}

var errInstalled = errors.New("installed")

// FuzzPatched compares patched with go-git's function. go-git accepts a number without an end and a
// missing size of the result; patched refuses both.
func FuzzPatched(f *testing.F) {
	f.Add([]byte("hello"), []byte("\x05\x0b\x90\x05\x06 world"))
	f.Add([]byte("hello"), []byte("\x05\x05\x80"))
	f.Add([]byte("0"), []byte("\x81\x00"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		want, wrong := packfile.PatchDelta(base, delta)
		got, err := patched(base, delta, 1<<20)
		_, n := binary.Uvarint(delta)
		if err != nil && (n == len(delta) || delta[len(delta)-1] >= 0x80) {
			return
		}
		if wrong == nil && len(want) <= 1<<20 && (err != nil || !bytes.Equal(got, want)) || wrong != nil && err == nil && len(base) > 0 {
			t.Errorf("%x on %x: %x, %v; go-git has %x, %v", delta, base, got, err, want, wrong)
		}
	})
}
