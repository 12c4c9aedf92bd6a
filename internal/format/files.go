package format

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// MaxFiles is the maximum number of files below one path.
const MaxFiles = 20_000

// Each calls found for each file of a path whose layout differs, and for each that cannot be laid out. With write, it writes the
// layout in place: the whole file or nothing, with the mode of the old one. Files that are encrypted or hold no manifests stay
// as they are, as do those whose names begin with a dot, kustomization files, and whatever is behind a symbolic link.
func Each(name string, write bool, found func(file string, err error)) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return each(name, ".", write, found)
	}
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file and no folder; links are not followed, so name the target of the link", name)
	case !isYAML(name):
		return fmt.Errorf("%s: only .yaml and .yml files are laid out", name)
	}
	return each(filepath.Dir(name), filepath.Base(name), write, found)
}

func each(folder, start string, write bool, found func(string, error)) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // every written file is closed already
	count := 0
	return fs.WalkDir(root.FS(), start, func(name string, e fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			found(filepath.Join(folder, name), err)
			return nil
		case e.IsDir() && name != start && strings.HasPrefix(base, "."):
			return fs.SkipDir
		case !e.Type().IsRegular(), name != start && strings.HasPrefix(base, "."), !isYAML(base), strings.HasPrefix(base, "kustomization."):
			return nil
		}
		if count++; count > MaxFiles {
			return fmt.Errorf("%s: more than %d files; name folders below it one by one", folder, MaxFiles)
		}
		changed, err := file(root, name, write)
		if errors.Is(err, ErrEncrypted) || errors.Is(err, ErrNoManifest) {
			return nil
		}
		if changed || err != nil {
			found(filepath.Join(folder, name), err)
		}
		return nil
	})
}

func isYAML(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}

// file lays out one file. changed says whether its layout differs.
func file(root *os.Root, name string, write bool) (changed bool, err error) {
	text, info, err := read(root, name)
	if err != nil {
		return false, err
	}
	after, err := Text(text)
	if err != nil || string(after) == string(text) {
		return false, err
	}
	if !write {
		return true, nil
	}
	return true, replace(root, name, info, after)
}

func read(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	return text, info, err
}

// replace writes the whole file or leaves it unchanged. It refuses a file that is no longer the one that was read.
func replace(root *os.Root, name string, old fs.FileInfo, text []byte) error {
	made := path.Join(path.Dir(name), "."+path.Base(name)+".new-"+rand.Text())
	f, err := root.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(old.Mode().Perm()), f.Close())
	if now, failed := root.Lstat(name); err == nil && (failed != nil || !os.SameFile(now, old) || now.ModTime() != old.ModTime() || now.Size() != old.Size()) {
		err = errors.New("somebody else changed the file; try again")
	}
	if err == nil {
		err = root.Rename(made, name)
	}
	if err != nil {
		_ = root.Remove(made)
	}
	return err
}
