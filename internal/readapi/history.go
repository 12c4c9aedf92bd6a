package readapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/report"
)

// History stores the events of stacks in a folder, so that they are still there after a restart. A file that cannot be read counts as absent.
// Events that cannot be written are lost when the process ends. The files contain only data that every holder of an API token may read, and no
// secrets.
type History struct {
	dir string
	log *slog.Logger
}

const (
	// historyVersion is the version of the files' format. Files of another version are not read.
	historyVersion = 1
	// longestHistory is the maximum length of a file, and longestText that of a text in it. Both are in bytes.
	longestHistory = 4 << 20
	longestText    = 2000
	// oldestHistory is the time after which the file of a stack without new events is deleted.
	oldestHistory = 90 * 24 * time.Hour
)

// chronicle is the content of a stack's file.
type chronicle struct {
	Version int            `json:"version"`
	Events  []report.Event `json:"events"`
}

// NewHistory creates the folder and removes old files from it.
func NewHistory(dir string, now time.Time, log *slog.Logger) *History {
	h := &History{dir, log}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.complain(err)
		return h
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		h.complain(err)
	}
	for _, file := range files {
		if info, err := file.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > oldestHistory {
			_ = os.Remove(filepath.Join(dir, file.Name()))
		}
	}
	return h
}

func (h *History) complain(err error) {
	h.log.Warn("events cannot be saved; they will be lost at the next start", "folder", h.dir, "error", err)
}

func (h *History) file(name string) string { return filepath.Join(h.dir, name+".json") }

// read returns the events of a file, or none if it cannot be read.
func (h *History) read(name string) (events []report.Event) {
	if h == nil || name == "" {
		return nil
	}
	text, err := localfile.ReadOwn(h.file(name), longestHistory)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var c chronicle
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err == nil && c.Version != historyVersion {
		err = fmt.Errorf("the file has version %d, but this program needs version %d", c.Version, historyVersion)
	}
	if err != nil {
		h.log.Warn("earlier events cannot be read; they are not shown", "file", h.file(name), "error", err)
		return nil
	}
	events = slices.DeleteFunc(c.Events, func(e report.Event) bool {
		return e.Key.Kind == "" || e.Key.Name == "" || e.Reason == "" || e.Count < 1 || e.First.IsZero() || e.Last.Before(e.First)
	})
	for i := range events {
		e := &events[i]
		e.Key = manifest.Key{Group: clipped(e.Key.Group), Kind: clipped(e.Key.Kind), Namespace: clipped(e.Key.Namespace), Name: clipped(e.Key.Name)}
		e.Reason, e.Message = clipped(e.Reason), clipped(e.Message)
	}
	return events[max(0, len(events)-maxEvents):]
}

func clipped(text string) string { return printable.Clip(report.Clean(text), longestText) }

// write replaces the events of a file atomically.
func (h *History) write(name string, events []report.Event) {
	if h == nil || name == "" {
		return
	}
	text, err := json.Marshal(chronicle{historyVersion, events})
	if err == nil {
		err = localfile.Replace(h.file(name), text)
	}
	if err != nil {
		h.complain(err)
	}
}

// forget removes a file.
func (h *History) forget(name string) {
	if h != nil && name != "" {
		_ = os.Remove(h.file(name)) // the file may not exist
	}
}
