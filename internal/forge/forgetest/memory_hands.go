package forgetest

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// SetDown makes every request fail with err, or none if err is nil.
func (m *Memory) SetDown(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Down = err
}

// Answer lets f answer requests with an error. f gets the kind of a request and its subject: a pull
// request, a commit or something else. It may take any time.
func (m *Memory) Answer(f func(request, about string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = f
}

// Put opens or changes a pull request.
func (m *Memory) Put(p forge.Pull) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.Updated = m.tick()
	m.pulls[p.Number] = &p
}

// Merge merges a pull request as commit.
func (m *Memory) Merge(number int, commit string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.pulls[number]
	p.Open, p.Merged, p.MergeCommit, p.Updated = false, true, commit, m.tick()
	m.merged[commit] = number
}

// Touch sets the commit that last changed a file.
func (m *Memory) Touch(file, commit string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.touched[file] = commit
}

// Say comments as a person.
func (m *Memory) Say(number int, login, body string) forge.Comment {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.say(number, login, body)
}

// Writes lists the writes in words, and forgets them.
func (m *Memory) Writes() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.writes
	m.writes = nil
	return list
}

// Status is the newest status of a context, "" before the first.
func (m *Memory) Status(commit, name string) (s forge.Status, count int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.statuses[commit] {
		if one.Context == name {
			s, count = one.Status, count+1
		}
	}
	return s, count
}

// Reactions are the reactions to a comment.
func (m *Memory) Reactions(id int64) []forge.Reaction {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.reacted[id])
}

// Check is the check run of a commit.
func (m *Memory) Check(commit, name string) (forge.Check, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.checks[[2]string{commit, name}]
	return c, ok
}

// Requests lists all requests and writes in words, and forgets them.
func (m *Memory) Requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.asked
	m.asked = nil
	return list
}

// Allow says whether a person may push.
func (m *Memory) Allow(login string, write bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writers[login] = write
}

// Unsay deletes a comment as a person, which does not change the time of the pull request.
func (m *Memory) Unsay(number int, id int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.find(number, id); i >= 0 {
		m.comments[number] = slices.Delete(m.comments[number], i, i+1)
	}
}

// Resay edits a comment, as a person other than its author can.
func (m *Memory) Resay(number int, id int64, body string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.find(number, id); i >= 0 {
		m.comments[number][i].Body, m.comments[number][i].Edited = body, true
	}
}

// SetAs sets a status as another account; any account may set one.
func (m *Memory) SetAs(login, commit string, s forge.Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.statuses[commit] = append(m.statuses[commit], posted{s, m.id(login)})
}

// Rename gives an account another name; anybody can then take the old one.
func (m *Memory) Rename(login, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids[name] = m.id(login)
	m.writers[name] = m.writers[login]
	delete(m.ids, login)
	delete(m.writers, login)
	if m.Me == login {
		m.Me = name
	}
	for _, list := range m.comments {
		for i := range list {
			if list[i].AuthorID == m.ids[name] {
				list[i].Author = name
			}
		}
	}
}
