package validate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Sort separates configuration files from manifests. If both a folder and a file in it are named, the file is
// read only once.
func Sort(stdin io.Reader, args []string) (configs []string, parts []manifest.Part, err error) {
	clean := make([]string, len(args))
	for i, path := range args {
		clean[i] = filepath.Clean(path)
	}
	var problems []error
	for i, path := range clean {
		if args[i] == "-" {
			parts = append(parts, manifest.Part{Name: "stdin", Text: stdin})
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("%w; give paths of files, or of folders that contain manifests", err))
		case slices.Contains(clean[:i], path) || slices.ContainsFunc(clean, func(other string) bool { return other != path && below(path, other) }):
		case info.IsDir():
			rev, err := source.Dir(path)
			problems = append(problems, err)
			parts = append(parts, manifest.Part{Name: filepath.ToSlash(path), Files: rev.Files})
		case info.Mode().IsRegular() && config.Is(path):
			configs = append(configs, args[i])
		default:
			parts = append(parts, manifest.Part{Name: filepath.ToSlash(path), Text: &named{path: path}})
		}
	}
	return configs, parts, errors.Join(problems...)
}

// below reports whether a path is inside a folder. Both are clean.
func below(path, folder string) bool {
	if folder == "." {
		return filepath.IsLocal(path)
	}
	return strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// named is the content of a file that a person has named. The file is opened when it is first read.
type named struct {
	path string
	rest *strings.Reader
}

// Read implements io.Reader.
func (n *named) Read(p []byte) (int, error) {
	if n.rest == nil {
		const most = 4<<20 + 1 // one byte more than a manifest may have
		text, err := localfile.ReadNamed(n.path, most)
		if err != nil {
			return 0, err
		}
		n.rest = strings.NewReader(string(text))
	}
	return n.rest.Read(p)
}
