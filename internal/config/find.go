package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Usual is the name of the configuration file that is also read if nobody names it.
const Usual = "stackreeve.yaml"

// Find returns the usual file of a folder, or "" if there is none. It returns an error if another person may have
// written the file. The file says which files contain the credentials and where they are sent.
func Find(folder string) (string, error) {
	file := filepath.Join(folder, Usual)
	_, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("look for the configuration: %w", err)
	}
	if why := localfile.Foreign(file); why != "" {
		return "", fmt.Errorf("%s is not read: %s; if the file is yours, name it with --config %s, or move it out of the repository", Usual, why, Usual)
	}
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not read: it is not a regular file; name another with --config", Usual)
	}
	return file, err
}

// below makes the paths of a file relative to its folder. So they do not depend on the folder in which the agent is
// started.
func (s *Spec) below(folder string) {
	if source.Relative(s.Source.URL) {
		s.Source.URL = dotted(filepath.Join(folder, s.Source.URL))
	}
	for i := range s.Source.Libraries {
		if l := &s.Source.Libraries[i]; source.Relative(l.URL) {
			l.URL = dotted(filepath.Join(folder, l.URL))
		}
	}
	below(folder, s.namedFiles())
	s.storesBelow(folder)
}

// dotted adds ./ to a path, so that it does not look like a host.
func dotted(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return "." + string(filepath.Separator) + path
}
