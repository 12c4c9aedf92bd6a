// Package file is a forge for users who have no forge. It writes each status as a line of JSON to a file, and has no pull requests.
//
// It does not rotate the file. If somebody moves the file away, the next status creates a new one.
package file

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// Line is the line that is written when a status changes.
type Line struct {
	Time        time.Time   `json:"time"` // UTC
	Commit      string      `json:"commit"`
	Context     string      `json:"context"` // such as stackreeve/prod/sync
	State       forge.State `json:"state"`
	Description string      `json:"description"`
}

type file struct {
	path string
	mu   sync.Mutex
}

// New returns a forge that writes to the file at path, which need not exist. It has only statuses, and a check whether
// the file can be read and written (forge.Credentials).
func New(path string) forge.Forge {
	f := &file{path: path}
	return forge.Forge{Can: Abilities(), CommitStatuses: f, Credentials: f}
}

// Abilities returns the abilities of a file. The file does not say who set a status, because everybody who can write to it is trusted.
func Abilities() forge.Abilities { return forge.Abilities{forge.BranchStatuses, forge.ErrorState} }

// tail is the number of bytes at the end of the file that are read back.
const tail = 1 << 20

// Statuses implements forge.CommitStatuses.
func (f *file) Statuses(_ context.Context, commit string) ([]forge.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	in, err := open(f.path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", forge.ErrRefused, err)
	}
	defer in.Close()
	if info, err := in.Stat(); err == nil && info.Size() > tail {
		_, _ = in.Seek(-tail, io.SeekEnd) // the first line may be cut; then it is not valid JSON and is skipped
	}
	newest := map[string]forge.Status{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, tail)
	for lines.Scan() {
		var l Line
		if json.Unmarshal(lines.Bytes(), &l) == nil && l.Commit == commit {
			newest[l.Context] = forge.Status{Context: l.Context, State: l.State, Description: l.Description}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", forge.ErrUnavailable, err)
	}
	var list []forge.Status
	for _, s := range newest {
		list = append(list, s)
	}
	return list, nil
}

// SetStatus implements forge.CommitStatuses.
func (f *file) SetStatus(_ context.Context, commit string, s forge.Status) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := json.Marshal(Line{time.Now().UTC(), commit, s.Context, s.State, s.Description})
	if err != nil {
		return err
	}
	text = append(printable.JSON(text), '\n') // people read the file with tail, so it must be safe to print
	out, err := open(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("%w: %w", forge.ErrUnavailable, err)
	}
	if cut(out) {
		text = append([]byte{'\n'}, text...)
	}
	_, err = out.Write(text)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("%w: %w", forge.ErrUnavailable, err)
	}
	return nil
}

// open opens the file without waiting. It refuses a file that cannot be read back, such as a pipe or a terminal.
func open(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file, so statuses cannot be read from it")}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// cut reports whether the last line has no line end, for example because the process was killed or the disk was full. A status that is
// appended to such a line could not be read back.
func cut(out *os.File) bool {
	info, err := out.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	in, err := os.Open(out.Name())
	if err != nil {
		return false
	}
	defer in.Close()
	var last [1]byte
	_, err = in.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}
