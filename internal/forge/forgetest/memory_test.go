package forgetest

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// lab is a repository for a forge in memory. It has only the names of branches and commits.
type lab struct {
	*Memory
	heads   map[string]string // by branch
	made    int
	forks   map[int]bool
	touched map[string][]string // the files of a commit and of the earlier commits of its branch
}

func TestMemory(t *testing.T) {
	Suite(t, func(*testing.T) Lab {
		l := &lab{Memory: NewMemory(), heads: map[string]string{}, forks: map[int]bool{}, touched: map[string][]string{}}
		l.commits = map[string]bool{}
		l.heads["main"] = l.commit()
		return l
	})
}

func (l *lab) Branch() string                 { return "main" }
func (l *lab) Remote() string                 { return "" }
func (l *lab) Strict() bool                   { return true }
func (l *lab) Hook(t *testing.T, _, _ string) { t.Skip("a forge in memory calls nobody") }
func (l *lab) Unfork(*testing.T, string)      {}
func (l *lab) Close(_ *testing.T, number int) {
	l.change(number, func(p *forge.Pull) { p.Open = false })
}
func (l *lab) Allow(_ *testing.T, who string, w bool) { l.mu.Lock(); l.writers[who] = w; l.mu.Unlock() }

func (l *lab) commit() string {
	l.made++
	sum := sha1.Sum([]byte(fmt.Sprint(l.made)))
	name := hex.EncodeToString(sum[:])
	l.commits[name] = true
	return name
}

func (l *lab) change(number int, f func(*forge.Pull)) {
	p := *l.pulls[number]
	f(&p)
	l.Put(p)
}

func (l *lab) Push(_ *testing.T, branch string, files map[string]string) string {
	commit := l.commit()
	l.heads[branch] = commit
	for name := range files {
		l.touched[branch] = append(l.touched[branch], name)
		if branch == "main" {
			l.Touch(name, commit)
		}
	}
	for number, p := range l.pulls {
		if p.HeadRef == branch {
			l.change(number, func(p *forge.Pull) { p.Head = commit })
		}
	}
	return commit
}

func (l *lab) Rewrite(t *testing.T, branch string, files map[string]string) string {
	return l.Push(t, branch, files)
}

func (l *lab) OpenPull(_ *testing.T, branch, base, title string) int {
	number := len(l.pulls) + 1
	l.Put(forge.Pull{Number: number, Title: title, URL: fmt.Sprint("https://forge.example/", number), Author: "ann", Head: l.heads[branch], HeadRef: branch, Base: base, Open: true})
	return number
}

func (l *lab) DependsOn(_ *testing.T, number int, others ...int) {
	l.change(number, func(p *forge.Pull) {
		for _, other := range others {
			need := forge.Need{Number: other, Name: fmt.Sprint(other), Bond: forge.Named}
			if !slices.Contains(p.Needs, need) {
				p.Needs = append(p.Needs, need)
			}
		}
	})
}

func (l *lab) Merge(t *testing.T, number int) string {
	p := l.pulls[number]
	files := map[string]string{}
	for _, name := range l.touched[p.HeadRef] {
		files[name] = ""
	}
	commit := l.Push(t, p.Base, files)
	l.Memory.Merge(number, commit)
	return commit
}

func (l *lab) AddComment(_ *testing.T, number int, login, body string) int64 {
	return l.Memory.AddComment(number, login, body).ID
}

func (l *lab) Fork(t *testing.T, login, branch string, files map[string]string) int {
	l.Push(t, login+":"+branch, files)
	number := l.OpenPull(t, login+":"+branch, "main", "From a fork")
	l.change(number, func(p *forge.Pull) { p.Fork, p.Author = true, login })
	return number
}

func (l *lab) Reactions(_ *testing.T, _ int, id int64) []forge.Reaction {
	return l.Memory.Reactions(id)
}

func (l *lab) Later(*testing.T) {}

func (l *lab) EditComment(_ *testing.T, _ string, id int64, body string) {
	for number := range l.comments {
		l.Memory.EditComment(number, id, body)
	}
}

func (l *lab) SetStatus(_ *testing.T, login, commit string, s forge.Status) {
	l.SetAs(login, commit, s)
}
