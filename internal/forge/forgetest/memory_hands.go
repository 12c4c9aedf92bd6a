package forgetest

import (
	"slices"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// SetDown makes every request fail with err. If err is nil, requests work again.
func (m *Memory) SetDown(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Down = err
}

// Answer calls f for each request. If f returns an error, the request fails with it. request is the
// kind of the request, and about is its object: a pull request, a commit or something else. f may
// take any time.
func (m *Memory) Answer(f func(request, about string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = f
}

// Put adds a pull request, or replaces the one with the same number.
func (m *Memory) Put(p forge.Pull) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.Updated = m.tick()
	m.pulls[p.Number] = &p
}

// Merge marks a pull request as merged by commit.
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

// AddComment adds a comment of a person.
func (m *Memory) AddComment(number int, login, body string) forge.Comment {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.say(number, login, body)
}

// Writes returns the writes since its last call, in words.
func (m *Memory) Writes() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.writes
	m.writes = nil
	return list
}

// Status returns the newest status of a context, and the number of its statuses. Before the first
// one, the status is empty.
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

// Reactions returns the reactions to a comment.
func (m *Memory) Reactions(id int64) []forge.Reaction {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.reacted[id])
}

// Check returns the check run of a commit with this name.
func (m *Memory) Check(commit, name string) (forge.Check, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.checks[[2]string{commit, name}]
	return c, ok
}

// Requests returns all requests since its last call, in words.
func (m *Memory) Requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.asked
	m.asked = nil
	return list
}

// Allow sets whether a person may push.
func (m *Memory) Allow(login string, write bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writers[login] = write
}

// DeleteComment deletes a comment, as a person can. That does not change the time of the pull request.
func (m *Memory) DeleteComment(number int, id int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := m.find(number, id); i >= 0 {
		m.comments[number] = slices.Delete(m.comments[number], i, i+1)
	}
}

// EditComment edits a comment. Other people than the author can do that.
func (m *Memory) EditComment(number int, id int64, body string) {
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

// Rename renames an account. Another account can then take the old name.
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
