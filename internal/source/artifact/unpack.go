package artifact

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/source/store"
)

// format is the format of an archive.
type format int

const (
	plain format = iota // tar
	gzipped
	zstandard
)

// These are the limits of an archive. They are far above the size that manifests need.
const (
	maxArchive  = 32 << 20  // bytes, as downloaded
	maxUnpacked = 128 << 20 // bytes of the tar file, and of its files together
	maxEntries  = 20_000    // of the tar file, and of files and folders together
	maxPath     = 1024      // bytes
	maxDepth    = 64        // names of a path
	maxWindow   = 8 << 20
)

// unpack reads a tar file into memory, and returns its folder at a path. It refuses everything but files and folders,
// names that do not suit a file system, and names that differ only in case. An archive without a file in that folder
// is refused, because nothing says that no object is wanted.
func unpack(ctx context.Context, archive []byte, packing format, at string, folders ...string) (fs.FS, error) {
	r, err := open(archive, packing)
	if err != nil {
		return nil, malformed(err)
	}
	defer r.Close()
	// An uncompressed zip in memory is a file system.
	var made bytes.Buffer
	out := zip.NewWriter(&made)
	if err := copyFiles(ctx, tar.NewReader(&limited{r, maxUnpacked}), out); err != nil {
		return nil, err
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	files, err := zip.NewReader(bytes.NewReader(made.Bytes()), int64(made.Len()))
	if err != nil {
		return nil, err
	}
	found, err := below(files, at)
	for _, folder := range folders {
		if err == nil {
			_, err = below(found, folder)
		}
	}
	return found, err
}

func open(archive []byte, packing format) (io.ReadCloser, error) {
	r := bytes.NewReader(archive)
	switch packing {
	case gzipped:
		return gzip.NewReader(r)
	case zstandard:
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxUnpacked))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case plain:
	}
	return io.NopCloser(r), nil
}

// below returns the folder at a path. The folder must contain a file.
func below(files fs.FS, at string) (fs.FS, error) {
	info, err := fs.Stat(files, at)
	if err != nil || !info.IsDir() {
		return nil, failure.NewMissing("there is no folder %q in the artifact; set source.path, or pack the folder", at)
	}
	if files, err = fs.Sub(files, at); err != nil {
		return nil, err
	}
	some := errors.New("some file")
	err = fs.WalkDir(files, ".", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = some
		}
		return err
	})
	switch {
	case err == nil:
		return nil, failure.New(failure.ErrContent, "the folder %q of the artifact contains no file, and no object is deleted for that; pack the manifests", at)
	case !errors.Is(err, some):
		return nil, err
	}
	return files, nil
}

// copyFiles copies the files of a tar file to a zip file.
func copyFiles(ctx context.Context, in *tar.Reader, out *zip.Writer) error {
	names := names{kind: map[string]bool{}, spelling: map[string]string{}}
	left := int64(maxUnpacked)
	for count := 0; ; count++ {
		head, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return malformed(err)
		case count >= maxEntries:
			return tooMany()
		case isSparse(head):
			return failure.New(failure.ErrContent, "%s in the artifact is a sparse file; pack it without --sparse", quoted(head.Name))
		}
		switch head.Typeflag {
		case tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg, tar.TypeDir:
		default:
			return failure.New(failure.ErrContent, "%s in the artifact is a link or a device; pack the file itself", quoted(head.Name))
		}
		name, err := names.add(head.Name, head.Typeflag == tar.TypeDir)
		if err != nil {
			return err
		}
		if len(names.kind) > maxEntries {
			return tooMany()
		}
		if head.Typeflag == tar.TypeDir {
			continue
		}
		if left -= head.Size; left < 0 {
			return tooLarge()
		}
		to, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: head.ModTime})
		if err != nil {
			return err
		}
		if _, err := io.Copy(to, io.LimitReader(in, head.Size)); err != nil {
			return malformed(err)
		}
	}
}

// isSparse reports whether an entry is a sparse file. Its holes take no room in the tar file, and can be of any size.
func isSparse(head *tar.Header) bool {
	for key := range head.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return head.Typeflag == tar.TypeGNUSparse
}

func tooMany() error {
	return failure.New(failure.ErrContent, "the artifact has more than %d files and folders; pack only the manifests", maxEntries)
}

func tooLarge() error {
	return failure.New(failure.ErrContent, "the artifact has more than %d MiB unpacked; pack only the manifests", maxUnpacked>>20)
}

func malformed(err error) error {
	var known *failure.Error
	if errors.As(err, &known) {
		return err
	}
	return failure.New(failure.ErrContent, "the artifact cannot be unpacked: %s; pack it again", printable.Clip(printable.Line(err.Error()), failure.MaxName))
}

func quoted(name string) string { return strconv.Quote(printable.Clip(name, failure.MaxName)) }

// names are the names of an archive.
type names struct {
	kind     map[string]bool   // whether a name is a folder
	spelling map[string]string // the names, by their lower case
}

// add checks the name of an entry against those of earlier entries, and returns its path.
func (n names) add(written string, folder bool) (string, error) {
	wrong := func(why string) error {
		return failure.New(failure.ErrContent, "%s in the artifact %s; pack it again", quoted(written), why)
	}
	if len(written) > maxPath {
		return "", wrong("has a name that is too long")
	}
	if strings.HasPrefix(written, "/") || strings.Contains(written, `\`) {
		return "", wrong("is absolute, or holds a backslash")
	}
	name := strings.TrimSuffix(strings.TrimPrefix(written, "./"), "/")
	if folder && (name == "" || name == ".") {
		return "", nil
	}
	parts := strings.Split(name, "/")
	if len(parts) > maxDepth {
		return "", wrong("is too deep")
	}
	for i, part := range parts {
		if problem := store.NameProblem(part); problem != "" {
			return "", wrong(problem)
		}
		here, isFolder := path.Join(parts[:i+1]...), folder || i < len(parts)-1
		was, known := n.kind[here]
		lower := strings.ToLower(here)
		switch same := n.spelling[lower]; {
		case known && (!was || !isFolder):
			return "", wrong("is there twice")
		case same != "" && same != here:
			return "", wrong("differs from another name only in case")
		}
		n.kind[here], n.spelling[lower] = isFolder, here
	}
	return name, nil
}

// limited is a reader that returns an error beyond a limit.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, tooLarge()
	}
	return n, err
}
