package branchtest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// Open opens a pull request with text in its file. If it is open already, it pushes the text.
func (w *World) Open(number int, text string) (head string) {
	head = Sha(fmt.Sprint(number, text))
	w.Mu.Lock()
	w.Files[head] = text
	w.Mu.Unlock()
	w.Forge.Put(forge.Pull{Number: number, Title: "change", Author: "ann", Head: head, HeadRef: head, Base: "main", Open: true})
	return head
}

// Needs makes a pull request need the pull requests in list.
func (w *World) Needs(number int, list ...forge.Need) {
	pull, err := w.Forge.Pull(w.Context(), number)
	if err != nil {
		w.Fatal(err)
	}
	pull.Needs = list
	w.Forge.Put(pull)
}

// Fork opens a pull request that comes from a fork.
func (w *World) Fork(number int, text string) (head string) {
	head = w.Open(number, text)
	pull, err := w.Forge.Pull(w.Context(), number)
	if err != nil {
		w.Fatal(err)
	}
	pull.Fork = true
	w.Forge.Put(pull)
	return head
}

// Merge merges a pull request into the branch.
func (w *World) Merge(number int, head string) (commit string) {
	commit = Sha("merge of " + head)
	w.Forge.Merge(number, commit)
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Files[commit] = w.Files[head]
	w.Base = commit
	return commit
}

// Synced merges pull request 1 and brings the branch in sync.
func (w *World) Synced() (commit string) {
	commit = w.Merge(1, w.Open(1, "+a"))
	w.Forge.Touch("clouds/thing.yaml", commit)
	done := PlanOf(commit, "a")
	w.Pass(commit, done, done)
	w.Visit()
	w.Forge.Writes()
	return commit
}

// Approve approves a plan on a pull request.
func (w *World) Approve(number int, text string) forge.Comment {
	return w.Forge.AddComment(number, "ann", "/stackreeve approve "+HashOf(text))
}

// Comments returns the agent's comments on a pull request.
func (w *World) Comments(number int) (texts []string) {
	w.Helper()
	all, err := w.Forge.Comments(w.Context(), number)
	if err != nil && !errors.Is(err, forge.ErrNotFound) {
		w.Fatal(err)
	}
	for _, c := range all {
		if c.Mine {
			texts = append(texts, c.Body)
		}
	}
	return texts
}

// Status returns a commit's status about plan, sync or drift.
func (w *World) Status(commit, what string) forge.Status {
	s, _ := w.Forge.Status(commit, "stackreeve/prod/"+what)
	return s
}

// WantStatus expects a state, and a description that contains words.
func (w *World) WantStatus(commit, what string, state forge.State, words string) {
	w.Helper()
	if s := w.Status(commit, what); s.State != state || !strings.Contains(s.Description, words) {
		w.Errorf("%s is %s %q, want %s with %q", what, s.State, s.Description, state, words)
	}
}
