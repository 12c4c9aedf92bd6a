package notify

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

// Memory contains the last notification that was sent to each receiver about each stack. If a stack is no longer
// served and then served again, its sink uses the same Memory. With a file, the Memory also survives a restart.
// Without a file, problems are reported again after a restart.
type Memory struct {
	file  string                               // "" if there is none
	write func(file string, text []byte) error // replaces the file

	mu      sync.Mutex
	told    map[subject]toldOf
	changed bool // reports whether something has changed since the file was written
}

// subject is a stack, and the name of a rule.
type subject struct{ stack, rule string }

// toldOf is the last notification to the receiver of a rule.
type toldOf struct {
	state, commit string
	objects       []string  // all objects that were reported since the stack is in that state.
	quiet         time.Time // the time until which no further objects are reported
}

const (
	// pause is the minimum time between two notifications about further objects.
	pause = time.Hour
	// maxMemory is the maximum number of bytes of a file that are read.
	maxMemory = 16 << 20
)

// NewMemory returns an empty memory without a file.
func NewMemory() *Memory { return &Memory{write: localfile.Replace, told: map[subject]toldOf{}} }

// remembered is an entry in the file of a Memory.
type remembered struct {
	Stack   string    `json:"stack"`
	Rule    string    `json:"rule"`
	State   string    `json:"state"`
	Commit  string    `json:"commit"`
	Objects []string  `json:"objects,omitempty"`
	Quiet   time.Time `json:"quiet,omitzero"`
}

// OpenMemory returns the Memory in a file. If the file is missing or cannot be read, the Memory is empty,
// because the file is only a cache.
func OpenMemory(file string) *Memory {
	m := NewMemory()
	m.file = file
	text, err := localfile.ReadOwn(file, maxMemory)
	if err != nil {
		return m
	}
	var list []remembered
	if json.Unmarshal(text, &list) != nil {
		return m
	}
	for _, r := range list {
		m.told[subject{r.Stack, r.Rule}] = toldOf{r.State, r.Commit, r.Objects, r.Quiet}
	}
	return m
}

// save writes the file if something has changed. The caller must hold the lock. If the file cannot be written,
// its content is old until the next attempt.
func (m *Memory) save() {
	if m.file == "" || !m.changed {
		return
	}
	list := make([]remembered, 0, len(m.told))
	for of, t := range m.told {
		list = append(list, remembered{of.stack, of.rule, t.state, t.commit, t.objects, t.quiet})
	}
	slices.SortFunc(list, func(a, b remembered) int { return strings.Compare(a.Stack+"\x00"+a.Rule, b.Stack+"\x00"+b.Rule) })
	if text, err := json.Marshal(list); err == nil {
		m.changed = m.write(m.file, text) != nil
	}
}

// Forget removes a stack that no longer exists.
func (m *Memory) Forget(stack string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(func(of subject) bool { return of.stack == stack })
}

// Keep removes all other stacks.
func (m *Memory) Keep(stacks []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(func(of subject) bool { return !slices.Contains(stacks, of.stack) })
}

// drop removes some entries. The caller must hold the lock.
func (m *Memory) drop(gone func(subject) bool) {
	before := len(m.told)
	maps.DeleteFunc(m.told, func(of subject, _ toldOf) bool { return gone(of) })
	m.changed = m.changed || len(m.told) != before
	m.save()
}

// note stores a notification. The caller must hold the lock, and calls save once for all notifications of a run.
func (m *Memory) note(of subject, now toldOf) {
	m.told[of], m.changed = now, true
}

// grown reports whether a notification about the same state contains objects that were not yet reported to the receiver. It returns false
// during the time in which no further objects are reported (quiet).
func (t toldOf) grown(n Notification) bool {
	return t.same(n) && !n.At.Before(t.quiet) && len(t.unknown(n)) > 0
}

// same reports whether the last notification to the receiver was about the same state.
func (t toldOf) same(n Notification) bool { return t.state == n.State && t.commit == n.Commit }

// unknown returns the objects that were not yet reported to the receiver.
func (t toldOf) unknown(n Notification) (list []string) {
	for _, o := range n.Objects {
		if !slices.Contains(t.objects, o) {
			list = append(list, o)
		}
	}
	return list
}
