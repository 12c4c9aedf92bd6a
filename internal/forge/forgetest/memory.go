package forgetest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Memory is a forge in memory, as strict as the strictest: for tests that are
// about something else. It passes the suite that the real ones pass.
type Memory struct {
	// Me is who writes through it.
	Me string
	// Down, when set, is what every request is answered with.
	Down error
	// MostComments and MostPulls are how many are read; 0 is all.
	MostComments, MostPulls int
	// NoChecks refuses check runs, as GitHub does without an App.
	NoChecks bool

	mu       sync.Mutex
	answer   func(request, about string) error
	writers  map[string]bool
	pulls    map[int]*forge.Pull
	merged   map[string]int // commit -> pull request
	touched  map[string]string
	commits  map[string]bool // those there are; nil means any
	comments map[int][]forge.Comment
	statuses map[string][]posted
	ids      map[string]int64 // of accounts, by login
	checks   map[[2]string]forge.Check
	reacted  map[int64][]forge.Reaction
	next     int64
	writes   []string
	asked    []string
}

var _ forge.Forge = (*Memory)(nil)

// NewMemory is an empty forge whose writers may push.
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

// posted is a status and the account that made it.
type posted struct {
	forge.Status
	by int64
}

// id is the number of an account.
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

func (m *Memory) say(number int, login, body string) forge.Comment {
	author := m.id(login)
	at := m.tick()
	c := forge.Comment{AuthorID: author, Bot: strings.HasSuffix(login, "[bot]"), ID: m.next, URL: fmt.Sprintf("https://forge.example/acme/cloud/pull/%d#issuecomment-%d", number, m.next), Author: login, Body: body, Created: at}
	m.comments[number] = append(m.comments[number], c)
	if p := m.pulls[number]; p != nil {
		p.Updated = at
	}
	return c
}

// begin is the beginning of every request.
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

// Open implements forge.Pulls.
func (m *Memory) Open(_ context.Context, branch string) (list []forge.Pull, err error) {
	err = m.begin("list", branch)
	defer m.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(m.pulls)) {
		if p := m.pulls[number]; p.Open && p.Base == branch && err == nil {
			if m.MostPulls > 0 && len(list) == m.MostPulls {
				return list, forge.ErrTooMany
			}
			list = append(list, *p)
		}
	}
	return list, err
}

// Pull implements forge.Pulls.
func (m *Memory) Pull(_ context.Context, number int) (forge.Pull, error) {
	err := m.begin("pull", number)
	defer m.mu.Unlock()
	p := m.pulls[number]
	if err != nil || p == nil {
		return forge.Pull{}, or(err, forge.ErrNotFound)
	}
	return *p, nil
}

// MergedBy implements forge.Pulls.
func (m *Memory) MergedBy(_ context.Context, branch, commit string) (forge.Pull, error) {
	err := m.begin("merged", commit)
	defer m.mu.Unlock()
	p := m.pulls[m.merged[commit]]
	if err != nil || p == nil || p.Base != branch {
		return forge.Pull{}, or(err, forge.ErrNotFound)
	}
	return *p, nil
}

// LastTouch implements forge.Pulls.
func (m *Memory) LastTouch(_ context.Context, _, file string) (string, error) {
	err := m.begin("touch", file)
	defer m.mu.Unlock()
	if err != nil || m.touched[file] == "" {
		return "", or(err, forge.ErrNotFound)
	}
	return m.touched[file], nil
}

// MayWrite implements forge.Pulls.
func (m *Memory) MayWrite(_ context.Context, login string) (bool, error) {
	err := m.begin("right", login)
	defer m.mu.Unlock()
	return m.writers[login], err
}

// Comments implements forge.Conversations.
func (m *Memory) Comments(_ context.Context, number int) ([]forge.Comment, error) {
	err := m.begin("comments", number)
	defer m.mu.Unlock()
	if err != nil || m.pulls[number] == nil {
		return nil, or(err, forge.ErrNotFound)
	}
	list := slices.Clone(m.comments[number])
	for i := range list {
		list[i].Reactions = slices.Clone(m.reacted[list[i].ID])
		list[i].Mine = list[i].AuthorID == m.id(m.Me)
	}
	if m.MostComments > 0 && len(list) > m.MostComments {
		return list[:m.MostComments], forge.ErrTooMany
	}
	return list, nil
}

// Post implements forge.Conversations.
func (m *Memory) Post(_ context.Context, number int, body string) (forge.Comment, error) {
	err := m.begin("post", number)
	defer m.mu.Unlock()
	if err = or(err, tooLong(body)); err != nil {
		return forge.Comment{}, err
	}
	if m.pulls[number] == nil {
		return forge.Comment{}, forge.ErrNotFound
	}
	m.wrote("post on #%d", number)
	c := m.say(number, m.Me, body)
	c.Mine = true
	return c, nil
}

// Edit implements forge.Conversations.
func (m *Memory) Edit(_ context.Context, number int, id int64, body string) error {
	err := m.begin("edit", number)
	defer m.mu.Unlock()
	i := m.find(number, id)
	switch err = or(err, tooLong(body)); {
	case err != nil:
		return err
	case i < 0:
		return forge.ErrNotFound
	}
	m.comments[number][i].Body, m.comments[number][i].Edited = body, true
	m.pulls[number].Updated = m.tick()
	m.wrote("edit on #%d", number)
	return nil
}

// Delete implements forge.Conversations.
func (m *Memory) Delete(_ context.Context, number int, id int64) error {
	err := m.begin("delete", number)
	defer m.mu.Unlock()
	i := m.find(number, id)
	if err != nil || i < 0 {
		return or(err, forge.ErrNotFound)
	}
	m.comments[number] = slices.Delete(m.comments[number], i, i+1)
	m.wrote("delete on #%d", number)
	return nil
}

// React implements forge.Conversations.
func (m *Memory) React(_ context.Context, number int, id int64, r forge.Reaction) error {
	err := m.begin("react", number)
	defer m.mu.Unlock()
	if err != nil || m.find(number, id) < 0 {
		return or(err, forge.ErrNotFound)
	}
	if !slices.Contains(m.reacted[id], r) {
		m.reacted[id] = append(m.reacted[id], r)
	}
	m.wrote("%s on #%d", r, number)
	return nil
}

// Statuses implements forge.Statuses.
func (m *Memory) Statuses(_ context.Context, commit string) ([]forge.Status, error) {
	err := m.begin("statuses", commit)
	defer m.mu.Unlock()
	var all []forge.Made
	for _, s := range slices.Backward(m.statuses[commit]) {
		all = append(all, forge.Made{Status: s.Status, Mine: s.by == m.id(m.Me)})
	}
	return forge.Ours(all), err
}

var fullCommit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// SetStatus implements forge.Statuses.
func (m *Memory) SetStatus(_ context.Context, commit string, s forge.Status) error {
	err := m.begin("status", commit)
	defer m.mu.Unlock()
	s.Context, s.Description = forge.FitContext(s.Context), forge.Describe(s.Description)
	same := 0
	for _, one := range m.statuses[commit] {
		if one.Context == s.Context {
			same++
		}
	}
	switch {
	case err != nil:
		return err
	case !fullCommit.MatchString(commit) || m.commits != nil && !m.commits[commit]:
		return fmt.Errorf("%w: %q is no commit here", forge.ErrRefused, commit)
	case !slices.Contains([]forge.State{forge.Pending, forge.Success, forge.Failure, forge.Error}, s.State):
		return fmt.Errorf("%w: %q is no state", forge.ErrRefused, s.State)
	case same >= 1000:
		return fmt.Errorf("%w: 1,000 statuses of this commit and context", forge.ErrRefused)
	}
	m.statuses[commit] = append(m.statuses[commit], posted{s, m.id(m.Me)})
	m.wrote("%s %s on %.7s: %s", s.Context, s.State, commit, s.Description)
	return nil
}

// PutCheck implements forge.Checks.
func (m *Memory) PutCheck(_ context.Context, c forge.Check) error {
	err := m.begin("check", c.Commit)
	defer m.mu.Unlock()
	if err != nil {
		return err
	}
	if m.NoChecks {
		return forge.ErrUnsupported
	}
	m.checks[[2]string{c.Commit, c.Name}] = c
	m.wrote("check %s %s on %.7s", c.Name, c.State, c.Commit)
	return nil
}

func (m *Memory) find(number int, id int64) int {
	return slices.IndexFunc(m.comments[number], func(c forge.Comment) bool { return c.ID == id })
}

func tooLong(body string) error {
	if utf8.RuneCountInString(body) > forge.MaxComment {
		return fmt.Errorf("%w: body is too long", forge.ErrRefused)
	}
	return nil
}

func or(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
