package forgetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stackreeve/stackreeve/internal/forge"
)

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
	if m.MaxComments > 0 && len(list) > m.MaxComments {
		return list[:m.MaxComments], forge.ErrTooMany
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

// React implements forge.Reactions.
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

func (m *Memory) find(number int, id int64) int {
	return slices.IndexFunc(m.comments[number], func(c forge.Comment) bool { return c.ID == id })
}

func tooLong(body string) error {
	if utf8.RuneCountInString(body) > forge.MaxComment {
		return fmt.Errorf("%w: body is too long", forge.ErrRefused)
	}
	return nil
}
