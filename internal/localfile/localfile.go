// Package localfile reads files of this machine that are named in configuration
// or found without being named: only regular ones, only so much of them, and
// it finds the folders that others can write into.
//
// It knows nothing of what the files hold.
package localfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// The most that is read of files, in bytes.
const (
	Secret       = 64 << 10 // tokens, keys
	Config       = 1 << 20  // configuration, credentials of clouds
	Certificates = 4 << 20  // a system's whole bundle has a quarter of it
)

// Read reads a regular file of at most so many bytes. It never waits: a pipe or
// a device is refused.
func Read(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	case info.Size() > most:
		return nil, tooLarge(path, most)
	}
	return bounded(f, path, most)
}

func tooLarge(path string, most int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d bytes", most)}
}

// ReadNamed is [Read] for what a person has named: it reads pipes, too, such as
// a shell's <(command).
func ReadNamed(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return Read(path, most)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f, path, most)
}

func bounded(r io.Reader, path string, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if int64(len(text)) > most {
		return nil, tooLarge(path, most)
	}
	return text, err
}

// control are what version control leaves at the root of a work tree.
var control = []string{".git", ".hg", ".jj", ".svn"}

// WorkTree is the root of the checkout that a path lies in, or leads into; ""
// when it lies in none. Anyone who can push to a repository writes what is in its
// checkouts.
func WorkTree(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path // it is unknown: nothing in there is trusted
	}
	if root := rootAbove(full); root != "" {
		return root
	}
	if direct, err := filepath.EvalSymlinks(full); err == nil && direct != full {
		return rootAbove(direct)
	}
	return ""
}

func rootAbove(path string) string {
	for {
		for _, name := range control {
			_, err := os.Lstat(filepath.Join(path, name))
			if err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
				return path
			}
		}
		up := filepath.Dir(path)
		if up == path {
			return ""
		}
		path = up
	}
}

// Foreign says why a file that nobody has named may be a stranger's; "" when
// there is no reason to think so.
func Foreign(path string) string {
	if root := WorkTree(path); root != "" {
		return fmt.Sprintf("it lies in the work tree of %s, and anyone who can push to that repository writes it", root)
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm()&0o002 != 0 {
		return fmt.Sprintf("everybody on this machine can write into its folder %s", folder)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o002 != 0 {
		return "everybody on this machine can write into it"
	}
	return ""
}

// Exposed reports whether everybody on this machine may read or replace the
// content of a file.
func Exposed(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o006 != 0
}
