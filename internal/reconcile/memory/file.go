package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// file is the file that stores a memory for the next process.
type file struct {
	stack, path string
	written     string    // content of the file without its time; "" if there is no file.
	saved, next time.Time // time of the last write, and earliest time of the next one while a pass runs.
	unsaved     bool      // whether the memory contains anything that the file does not.
}

const (
	minPause   = time.Second // minimum time between two writes while a pass runs, and one more second for each megabyte.
	refreshAge = time.Hour   // time after which unchanged content is written again, so that it does not become too old.
)

// Open returns the memory of a stack, with the content that an earlier process has stored in the file at path; "" means no file. The memory
// can be used even if there is an error. The error is the reason why the memory is empty although there is a file.
func Open(path, stack string, now time.Time) (*Memory, error) {
	m := &Memory{file: file{stack: stack, path: path}}
	if path == "" {
		return m, nil
	}
	text, err := localfile.ReadOwn(path, maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	m.written = "?" // differs from every content, so that the file is replaced
	if err != nil {
		return m, err
	}
	d, err := decode(text, stack, now)
	if err != nil {
		return m, fmt.Errorf("%s: %w", path, err)
	}
	m.restore(d)
	return m, nil
}

// SaveNews writes new knowledge to the file while a pass runs, but not too often. It returns the time at which it must be called again;
// zero if everything is written.
func (m *Memory) SaveNews(now time.Time) (again time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.path == "" || !m.unsaved {
		return again
	}
	if now.Before(m.next) {
		return m.next
	}
	_ = m.save(now) // Save reports the reason at the end of the pass, if it fails, too
	return again
}

// Save writes the stored part of the memory (see document) to the file, if it has changed.
func (m *Memory) Save(now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.save(now)
}

// save writes the file, unless it already has the same content. An empty memory has no file. If the file cannot be written, the old one is removed.
// Because of outdated facts, the next process could take a change by hand for its own, or not list a kind of which the stack owns objects.
func (m *Memory) save(now time.Time) error {
	if m.unsaved = false; m.path == "" || m.where == "" {
		return nil
	}
	d := m.document()
	if d.empty() {
		return m.remove()
	}
	same, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if m.next = now.Add(minPause * time.Duration(1+len(same)>>20)); string(same) == m.written && now.Sub(m.saved) < refreshAge {
		return nil
	}
	d.Saved = now.UTC()
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if len(text) > maxBytes {
		return errors.Join(fmt.Errorf("%s: it would be larger than %d bytes", m.path, maxBytes), m.remove())
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return err
	}
	if err := localfile.Replace(m.path, text); err != nil {
		return errors.Join(err, m.remove())
	}
	m.written, m.saved = string(same), now
	return nil
}

func (m *Memory) remove() error {
	if m.written == "" {
		return nil
	}
	if err := os.Remove(m.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.written = ""
	return nil
}
