package localfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// ErrNoFolder is the error of [ReadBelow] if the folder cannot be opened.
var ErrNoFolder = errors.New("the folder cannot be opened")

// ReadBelow reads a regular file below a folder, of at most limit bytes. A link is followed only if it stays below the folder. A file that
// another user may have written is refused: a file of another user than root and this user, and a file into which everybody can write.
func ReadBelow(folder, name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoFolder, err)
	}
	defer func() { _ = root.Close() }() // the folder was only read
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	why := ""
	switch system, ok := info.Sys().(*syscall.Stat_t); {
	case !info.Mode().IsRegular():
		why = "not a regular file"
	case info.Mode().Perm()&0o002 != 0:
		why = "everybody on this machine can write into it"
	case !ok || !slices.Contains(trustedUsers(), int(system.Uid)):
		why = "it belongs to another user of this machine"
	case info.Size() > limit:
		return nil, tooLarge(name, limit)
	}
	if why != "" {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New(why)}
	}
	return bounded(f, name, limit)
}
