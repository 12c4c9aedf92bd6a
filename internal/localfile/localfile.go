// Package localfile reads files of this machine that are named in the configuration, or that are found without
// being named. It reads only regular files and limits their size. It finds folders to which other users can
// write. It also replaces files of the program itself atomically.
//
// It does not depend on the contents of the files.
package localfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// These are the maximum sizes of files, in bytes.
const (
	Secret       = 64 << 10 // tokens, keys
	Config       = 1 << 20  // configuration, credentials of clouds
	Certificates = 4 << 20  // a system's whole bundle of certificates has about 0.2 MiB
)

// Read reads a regular file of at most limit bytes. It never blocks, because it refuses a pipe or a device.
func Read(path string, limit int64) ([]byte, error) {
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
	case info.Size() > limit:
		return nil, tooLarge(path, limit)
	}
	return bounded(f, path, limit)
}

// ReadOwn does the same as [Read] for a file that the program itself has written. It refuses a file that another
// user may have written. If the file is missing, the error is fs.ErrNotExist.
func ReadOwn(path string, most int64) ([]byte, error) {
	text, err := Read(path, most)
	if err != nil {
		return nil, err
	}
	if why := Foreign(path); why != "" {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New(why)}
	}
	return text, nil
}

// Replace writes the whole file or leaves it unchanged. No other user can read the file.
func Replace(path string, text []byte) error {
	made, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-")
	if err != nil {
		return err
	}
	_, err = made.Write(text)
	if err = errors.Join(err, made.Close()); err == nil {
		err = os.Rename(made.Name(), path)
	}
	if err != nil {
		_ = os.Remove(made.Name())
	}
	return err
}

func tooLarge(path string, most int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d bytes", most)}
}

// ReadNamed does the same as [Read] for a file that a person has named. It also reads pipes, such as a shell's
// <(command).
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

// control contains the names that version control systems use at the root of a work tree.
var control = []string{".git", ".hg", ".jj", ".svn"}

// WorkTree returns the root of the checkout that contains a path or the target of the path, or "" if there is
// none. Anybody who can push to a repository can write the files of its checkouts.
func WorkTree(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path // the folder is unknown, so nothing in it is trusted
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

// Foreign returns the reason why another user may have written a file that nobody has named, or "". It accepts
// files of this user or of root, as git does with repositories. It accepts no file below a folder of another
// user, because that user could replace the file.
func Foreign(path string) string {
	if root := WorkTree(path); root != "" {
		return fmt.Sprintf("it is in the work tree of %s, and everybody who can push to that repository can change it", root)
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm()&0o002 != 0 {
		return fmt.Sprintf("everybody on this machine can write into its folder %s", folder)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o002 != 0 {
		return "everybody on this machine can write into it"
	}
	return ofOthers(path, ownerOf, trustedUsers())
}

// ofOthers returns why an untrusted user may own or replace a part of a path or of its target. It returns ""
// if none can.
func ofOthers(path string, owner func(string) (uid int, mode fs.FileMode, err error), trusted []int) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return "its absolute path cannot be found"
	}
	paths := []string{full}
	if direct, err := filepath.EvalSymlinks(full); err == nil && direct != full {
		paths = append(paths, direct)
	}
	for _, path := range paths {
		for at := path; ; at = filepath.Dir(at) {
			uid, mode, err := owner(at)
			replaced := at != path && mode.IsDir() && mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0
			switch {
			case err != nil:
				return fmt.Sprintf("the owner of %s is not known", at)
			case !slices.Contains(trusted, uid):
				return fmt.Sprintf("%s belongs to another user of this machine (%d)", at, uid)
			case replaced:
				return fmt.Sprintf("everybody on this machine can write into %s", at)
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return ""
}

// ownerOf returns the owner and the mode of a file, a folder or a link itself.
func ownerOf(path string) (uid int, mode fs.FileMode, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, 0, err
	}
	system, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, errors.New("the system does not show the owner of the file")
	}
	return int(system.Uid), info.Mode(), nil
}

// trustedUsers returns this user, root and, under sudo, the user who called sudo.
func trustedUsers() []int {
	users := []int{0, os.Geteuid()}
	if caller, err := strconv.Atoi(os.Getenv("SUDO_UID")); err == nil && os.Geteuid() == 0 {
		users = append(users, caller)
	}
	return users
}

// Exposed reports whether everybody on this machine can read or replace the content of a file.
func Exposed(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o006 != 0
}
