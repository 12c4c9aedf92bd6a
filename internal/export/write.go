package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

// Write writes a file for each kind, or for each object if apart is true. A kind gets several files if one would be
// too large. Write follows no link out of dir. If one of the files already exists, it writes nothing.
func Write(dir string, apart bool, objects []Object) error {
	files, names := map[string][]byte{}, []string{}
	numbers := map[string]int{}
	for _, o := range objects {
		kind := strings.ToLower(o.Key.Kind)
		file := numbered(kind, numbers[kind])
		if apart {
			file = path.Join(kind, File(o.Key.Name))
		} else if have := len(files[file]); have > 0 && have+len("---\n")+len(o.Text) > manifest.DefaultFileBytes {
			numbers[kind]++
			file = numbered(kind, numbers[kind])
		}
		if files[file] == nil {
			names = append(names, file)
		} else {
			files[file] = append(files[file], "---\n"...)
		}
		files[file] = append(files[file], o.Text...)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // the written files are already closed
	for _, name := range names {
		if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("--output-dir: %s exists already, so nothing is written; give another folder, or move the file away", path.Join(dir, name))
		}
	}
	for _, name := range names {
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := writeNew(root, name, files[name]); err != nil {
			return err
		}
	}
	return nil
}

// numbered returns the name of the file for a kind. The argument before is the number of earlier files of the kind, which
// have the maximum size.
func numbered(kind string, before int) string {
	if before > 0 {
		kind += fmt.Sprintf("-%d", before+1)
	}
	return kind + ".yaml"
}

func writeNew(root *os.Root, name string, text []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
