package forgetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Memory is a forge in memory, as strict as the strictest real forge. It is for tests of other
// packages, and passes the same suite as the real forges.
type Memory struct {
	// Me is the login of the account that writes through the methods of [forge.Forge].
	Me string
	// Down, if it is set, is the error of every request.
	Down error
	// MaxComments and MaxPulls limit how many comments and pull requests are read; 0 means no
	// limit.
	MaxComments, MaxPulls int
	// NoChecks makes the forge refuse check runs, as GitHub does without an App.
	NoChecks bool

	mu       sync.Mutex
	answer   func(request, about string) error
	writers  map[string]bool
	pulls    map[int]*forge.Pull
	merged   map[string]int // the number of the merged pull request, by commit
	touched  map[string]string
	commits  map[string]bool // existing commits; nil means any
	comments map[int][]forge.Comment
	statuses map[string][]posted
	ids      map[string]int64 // the numbers of accounts, by login
	checks   map[[2]string]forge.Check
	reacted  map[int64][]forge.Reaction
	next     int64
	writes   []string
	asked    []string
}

// Forge returns the roles of the repository. The forge has all roles.
func (m *Memory) Forge() forge.Forge {
	return forge.Forge{
		Can: forge.EveryAbility(), CommitStatuses: m, Checks: m,
		Reviews: forge.Reviews{Pulls: m, History: m, Rights: m, Conversations: m, Reactions: m},
	}
}

// NewMemory returns an empty forge on which the accounts writers may push.
func NewMemory(writers ...string) *Memory {
	m := &Memory{
		Me: "stackreeve-bot", writers: map[string]bool{}, pulls: map[int]*forge.Pull{}, merged: map[string]int{}, touched: map[string]string{},
		comments: map[int][]forge.Comment{}, statuses: map[string][]posted{}, ids: map[string]int64{}, checks: map[[2]string]forge.Check{}, reacted: map[int64][]forge.Reaction{},
	}
	for _, w := range writers {
		m.writers[w] = true
	}
	return m
}

// id returns the number of an account.
func (m *Memory) id(login string) int64 {
	if m.ids[login] == 0 {
		m.next++
		m.ids[login] = m.next
	}
	return m.ids[login]
}

func (m *Memory) tick() time.Time {
	m.next++
	return time.Date(2026, 1, 1, 0, 0, int(m.next), 0, time.UTC)
}

// begin is called at the beginning of every request. It locks m.mu, which the caller unlocks.
func (m *Memory) begin(request string, about any) error {
	m.mu.Lock()
	answer, err := m.answer, error(nil)
	m.mu.Unlock()
	if answer != nil {
		err = answer(request, fmt.Sprint(about))
	}
	m.mu.Lock()
	m.asked = append(m.asked, fmt.Sprint(request, " ", about))
	return or(m.Down, err)
}

func (m *Memory) wrote(format string, args ...any) {
	m.writes = append(m.writes, fmt.Sprintf(format, args...))
}

func or(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
