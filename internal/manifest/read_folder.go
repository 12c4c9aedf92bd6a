package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/natural"
)

// folder visits a folder's entries in the order of their names.
func (l *loader) folder(dir string, depth int) {
	if depth > l.opts.MaxDepth {
		l.stop(dir, fmt.Sprintf("folders nested deeper than %d", l.opts.MaxDepth), "flatten them")
		return
	}
	names, err := fs.ReadDir(l.files, l.inside(dir))
	if err != nil {
		l.lose(Problem{Origin: Origin{File: dir}, What: "cannot read the folder: " + cause(err)})
		return
	}
	if depth > 0 && slices.ContainsFunc(names, func(d fs.DirEntry) bool { return d.Name() == ".git" }) {
		l.lose(Problem{Origin: Origin{File: dir}, What: "the folder is a repository of its own; a commit can only contain it as a submodule, and submodules are not fetched", Fix: submodule})
		return
	}
	slices.SortStableFunc(names, func(a, b fs.DirEntry) int { return natural.Compare(a.Name(), b.Name()) })
	for _, d := range names {
		l.entries++
		if l.entries > l.opts.MaxEntries {
			l.stop(dir, fmt.Sprintf("more than %d files and folders", l.opts.MaxEntries), "point the stack at a smaller folder")
		}
		if l.over() {
			return
		}
		l.entry(path.Join(dir, d.Name()), d, depth)
	}
}

const submodule = "commit the files themselves, or exclude the folder with spec.source.exclude"

// entry handles an entry of a folder. It checks the type of the entry before the name: a folder that cannot be read may
// contain manifests, whatever its name is.
func (l *loader) entry(name string, d fs.DirEntry, depth int) {
	base := d.Name()
	at := Origin{File: name}
	switch {
	case strings.HasPrefix(base, "."):
	case d.IsDir():
		l.folder(name, depth+1)
	case d.Type()&fs.ModeIrregular != 0:
		l.lose(Problem{Origin: at, What: "a submodule, and submodules are not fetched", Fix: submodule})
	case d.Type()&fs.ModeSymlink != 0:
		if isManifestName(base) && !isKustomization(base) || l.mayLeadToFolder(name) {
			l.lose(Problem{Origin: at, What: "a symbolic link, which is not followed", Fix: "put the file or folder itself at this path"})
		}
	case !isManifestName(base) && !isKustomization(base):
	case !d.Type().IsRegular():
		l.lose(Problem{Origin: at, What: "not a regular file", Fix: "remove it"})
	case isKustomization(base):
		l.kustomization(name)
	default:
		if text, ok := l.readFile(name); ok {
			l.file(name, text)
		}
	}
}

// Named reports whether a file may contain manifests according to its path. Neither its name nor that of a folder above it
// may begin with a dot.
func Named(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	return isManifestName(name) && !isKustomization(path.Base(name))
}

func isManifestName(base string) bool {
	switch strings.ToLower(path.Ext(base)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

func isKustomization(base string) bool {
	return base == "kustomization.yaml" || base == "kustomization.yml" || base == "Kustomization"
}

// mayLeadToFolder reports whether a link may lead to a folder of manifests. A link whose name has an extension may
// lead there only if its target is a folder. Any other link may lead there unless its target is a regular file.
func (l *loader) mayLeadToFolder(name string) bool {
	if path.Ext(name) != "" {
		info, err := fs.Stat(l.files, l.inside(name))
		return err == nil && info.IsDir()
	}
	if target, err := fs.ReadLink(l.files, l.inside(name)); err == nil {
		info, err := fs.Lstat(l.files, path.Join(path.Dir(l.inside(name)), target))
		return err != nil || !info.Mode().IsRegular()
	}
	info, err := fs.Stat(l.files, l.inside(name))
	return err != nil || !info.Mode().IsRegular()
}

// readFile reads a file within the limits. It refuses bytes that are not text.
func (l *loader) readFile(name string) ([]byte, bool) {
	return l.checked(name, func() ([]byte, error) { return l.bounded(name) })
}

// checked reads the named file with read. ok is false if the file is not text, or exceeds a limit.
func (l *loader) checked(name string, read func() ([]byte, error)) ([]byte, bool) {
	l.read++
	if l.read > l.opts.MaxFiles {
		l.stop(name, fmt.Sprintf("more than %d manifest files", l.opts.MaxFiles), l.opts.TooMuch)
		return nil, false
	}
	text, err := read()
	if errors.Is(err, errTooLarge) {
		l.lose(Problem{Origin: Origin{File: name}, What: "larger than " + bytesText(l.opts.MaxFileBytes), Fix: "split it"})
		return nil, false
	}
	if err != nil {
		l.lose(Problem{Origin: Origin{File: name}, What: "cannot read the file: " + cause(err)})
		return nil, false
	}
	if l.bytes += int64(len(text)); l.bytes > l.opts.MaxTotalBytes {
		l.stop(name, "more than "+bytesText(l.opts.MaxTotalBytes)+" of manifests", l.opts.TooMuch)
		return nil, false
	}
	if format, fix := Foreign(text); format != "" {
		l.lose(Problem{Origin: Origin{File: name}, What: format, Fix: fix})
		return nil, false
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if at, what := notText(text); what != "" {
		line := 1 + bytes.Count(text[:at], []byte{'\n'})
		l.lose(Problem{Origin: Origin{name, line}, What: what, Fix: "save the file as UTF-8 text"})
		return nil, false
	}
	return text, true
}

var errTooLarge = errors.New("too large")

// bounded reads a file up to the limit. It reads nothing if the reported size of the file is above the limit.
func (l *loader) bounded(name string) ([]byte, error) {
	f, err := l.files.Open(l.inside(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > l.opts.MaxFileBytes {
		return nil, errTooLarge
	}
	var text bytes.Buffer
	text.Grow(int(info.Size()) + bytes.MinRead)
	n, err := io.Copy(&text, io.LimitReader(f, l.opts.MaxFileBytes+1))
	if n > l.opts.MaxFileBytes {
		err = errTooLarge
	}
	return text.Bytes(), err
}

// notText finds the first byte that does not occur in text files.
func notText(text []byte) (int, string) {
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return i, "a NUL byte"
	}
	if utf8.Valid(text) {
		return 0, ""
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i, "not UTF-8"
		}
		i += size
	}
	return 0, ""
}

// cause returns the error without the operation and the path, because the message already contains them.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
