package store

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// spool is a pack that is being received. It is a file on disk, or in memory.
type spool interface {
	io.ReadWriteSeeker
	Truncate(size int64) error
}

// Without a cache folder, a small pack is in memory. A larger pack is in a temporary file without a
// name, so the file is gone after this process ends, however it ends. If no such file can be made,
// packs must be small.
const (
	maxInMemory = 4 << 20
	maxNoDisk   = 32 << 20
)

// overflow is a spool that is first in memory, and moves to a file when it grows.
type overflow struct {
	text []byte
	at   int64
	file *os.File // nil while the pack is in memory
	bare bool     // whether no file can be made
	// temporary makes the file. Tests replace it by a function that returns an error.
	temporary func() (*os.File, error)
}

// unnamed returns a file that is deleted when it is closed, or when the process ends. If the system
// cannot delete a file that is in use, the file remains until the system clears its temporary
// folder.
func unnamed() (*os.File, error) {
	f, err := os.CreateTemp("", "stackreeve-pack-")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}

func (o *overflow) Write(p []byte) (int, error) {
	if o.file == nil && !o.bare && o.at+int64(len(p)) > maxInMemory {
		o.spill()
	}
	if o.file != nil {
		n, err := o.file.Write(p)
		if err != nil {
			err = failure.New(failure.ErrUnavailable, "a temporary file for the server's answer cannot be written (%s); free some space in %s, set TMPDIR, or give this program a --data-dir", cause(err), os.TempDir())
		}
		return n, err
	}
	end := o.at + int64(len(p))
	if end > maxNoDisk {
		return 0, failure.New(failure.ErrContent, "the server's answer has more than %d bytes, and %s cannot be written to; set TMPDIR to a writable folder, or give this program a --data-dir", maxNoDisk, os.TempDir())
	}
	if end > int64(len(o.text)) {
		o.text = append(o.text, make([]byte, end-int64(len(o.text)))...)
	}
	copy(o.text[o.at:], p)
	o.at = end
	return len(p), nil
}

// spill moves the content to a file. If that fails, it sets bare, so that it is not tried again.
func (o *overflow) spill() {
	f, err := o.temporary()
	if err == nil {
		if _, err = f.Write(o.text); err == nil {
			_, err = f.Seek(o.at, io.SeekStart)
		}
		if err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		o.bare = true
		return
	}
	o.file, o.text = f, nil
}

func (o *overflow) Read(p []byte) (int, error) {
	if o.file != nil {
		return o.file.Read(p)
	}
	if o.at >= int64(len(o.text)) {
		return 0, io.EOF
	}
	n := copy(p, o.text[o.at:])
	o.at += int64(n)
	return n, nil
}

func (o *overflow) Seek(offset int64, whence int) (int64, error) {
	if o.file != nil {
		return o.file.Seek(offset, whence)
	}
	at, err := bytes.NewReader(o.text).Seek(offset, whence)
	if whence == io.SeekCurrent {
		at, err = o.at+offset, nil
	}
	if err != nil || at < 0 {
		return 0, errors.New("seek: before the beginning")
	}
	o.at = at
	return at, nil
}

func (o *overflow) Truncate(size int64) error {
	if o.file != nil {
		return o.file.Truncate(size)
	}
	o.text = o.text[:min(size, int64(len(o.text)))]
	return nil
}

// close closes the file, unless it belongs to a memory now.
func (o *overflow) close() {
	if o.file != nil {
		_ = o.file.Close()
	}
}

// cause returns an error without the file's name, which does not help a reader.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
