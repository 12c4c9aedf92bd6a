// Package branchtest is a world to test branches and pull requests in.
package branchtest

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/branch"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// World is a repository on a forge, a branch, and a cloud whose plans the test
// writes: the name of a thing in a commit's files is what is planned for it.
type World struct {
	*testing.T
	Forge  *forgetest.Memory
	Repo   *review.Repository
	Review *review.Planner
	Branch *branch.Tracker
	Trace  branch.Trace

	Mu       sync.Mutex
	Base     string            // the branch's newest commit
	Files    map[string]string // the files of a commit, one name each
	Gone     string            // a word that is in files, and done in the cloud already
	Plans    int               // that were made
	CloudErr error             // of every plan
	Again    int               // passes that were asked for
	Stop     func()            // ends what Serve began
}

// Sha is a commit by a name that people can read.
func Sha(name string) string {
	sum := sha1.Sum([]byte(name))
	return hex.EncodeToString(sum[:])
}

// In runs a test in a world, with a clock of its own.
func In(t *testing.T, test func(w *World)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &World{T: t, Forge: forgetest.NewMemory("ann"), Base: Sha("base"), Files: map[string]string{}}
		w.Trace = func(context.Context, plan.Step) (kind.Trace, bool) {
			return kind.Trace{Who: "mallory", What: "stop", When: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, true
		}
		w.Restart()
		test(w)
	})
}

// Restart begins from nothing, as on an empty disk.
func (w *World) Restart() {
	w.Review = w.stack("prod", func() { w.Again++ })
	w.Repo = review.New(w.Forge, slog.New(slog.DiscardHandler))
	w.Repo.Add(w.Review, schedule.Schedule{})
	w.Branch = branch.New(w.Repo, w.Review, func(ctx context.Context, s plan.Step) (kind.Trace, bool) { return w.Trace(ctx, s) })
}

func (w *World) stack(name string, again func()) *review.Planner {
	return &review.Planner{Name: name, Last: w.last, Merged: w.merged, Read: w.read, Plan: w.plan, Again: again}
}

func (w *World) last() (source.Revision, bool) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return source.Revision{Commit: w.Base, Branch: "main", Tree: w.Files[w.Base], Root: "clouds", Files: w.folder(w.Base)}, true
}

func (w *World) folder(commit string) fs.FS {
	return fstest.MapFS{"thing.yaml": {Data: []byte(w.Files[commit])}}
}

func (w *World) merged(_ context.Context, head string) (source.Merge, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	m := source.Merge{Base: w.Base, BaseTree: w.Files[w.Base], Head: head}
	text := w.Files[head]
	if strings.HasPrefix(text, "conflict") {
		m.Conflicts = []string{"clouds/thing.yaml"}
		return m, nil
	}
	m.Revision = source.Revision{Commit: head, Branch: "main", Tree: text, Root: "clouds", Files: w.folder(head)}
	return m, nil
}

// TextOf is the text of a commit's files.
func TextOf(files fs.FS) string {
	text, err := fs.ReadFile(files, "thing.yaml")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (w *World) read(_ context.Context, files fs.FS) ([]kind.Desired, error) {
	text := TextOf(files)
	if strings.HasPrefix(text, "bad") {
		return nil, manifest.Problems{{Origin: manifest.Origin{File: "clouds/thing.yaml", Line: 3}, What: "is bad"}}
	}
	return []kind.Desired{{Key: manifest.Key{Kind: "Thing", Name: text}}}, nil
}

// plan makes one step of each word: +name is made, -name deleted.
func (w *World) plan(ctx context.Context, commit string, files fs.FS) (plan.Plan, error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Plans++
	if w.CloudErr != nil {
		return plan.Plan{}, w.CloudErr
	}
	if _, err := w.read(ctx, files); err != nil {
		return plan.Plan{}, err
	}
	return w.left(commit, TextOf(files)), nil
}

// left is what is left to do for text.
func (w *World) left(commit, text string) plan.Plan {
	var words []string
	for word := range strings.FieldsSeq(text) {
		if word != w.Gone {
			words = append(words, word)
		}
	}
	return PlanOf(commit, strings.Join(words, " "))
}

// PlanOf is a plan with a step for each word: +name creates, -name deletes, ~name
// corrects drift.
func PlanOf(commit, text string) plan.Plan {
	p := plan.Plan{Stack: "prod", Commit: commit, Owned: 10}
	deletes := 0
	for word := range strings.FieldsSeq(text) {
		step := plan.Step{Key: manifest.Key{Kind: "Thing", Name: strings.TrimLeft(word, "+-~")}, Origin: manifest.Origin{File: "clouds/thing.yaml", Line: 1}}
		switch word[0] {
		case '+':
			step.Action = plan.Create
		case '-':
			step.Action = plan.Delete
			deletes++
		case '~':
			step.Action, step.Drift = plan.Update, true
			step.Changes = []kind.Change{{Field: "spec.size", Have: 2, Want: 1}}
		default:
			step.Action = plan.Keep
		}
		p.Steps = append(p.Steps, step)
	}
	if deletes > 3 {
		p.Held = "it would delete too much"
	}
	return p
}

// Open opens a pull request whose files are text, or pushes to it.
func (w *World) Open(number int, text string) (head string) {
	head = Sha(fmt.Sprint(number, text))
	w.Mu.Lock()
	w.Files[head] = text
	w.Mu.Unlock()
	w.Forge.Put(forge.Pull{Number: number, Title: "change", Author: "ann", Head: head, HeadRef: head, Base: "main", Open: true})
	return head
}

// Visit visits once and delivers.
func (w *World) Visit() {
	w.Helper()
	if err := w.Repo.Once(w.Context()); err != nil {
		w.Error(err)
	}
}

// Pass is what a branch's pass came to.
func (w *World) Pass(commit string, first, last plan.Plan) {
	w.Branch.Planned(first)
	synctest.Wait()
	w.Branch.Ran(Ran(commit, first, last))
	synctest.Wait()
}

// Ran is a visit that came to a pass.
func Ran(commit string, first, last plan.Plan, results ...engine.Result) report.Run {
	return report.Run{
		Stack: "prod", Started: time.Now(), Revision: source.Revision{Commit: commit, Branch: "main"},
		Pass: &engine.Pass{Stack: "prod", Commit: commit, First: first, Last: last, Results: results},
	}
}

// Status is a commit's status about plan, sync or drift.
func (w *World) Status(commit, what string) forge.Status {
	s, _ := w.Forge.Status(commit, "stackreeve/prod/"+what)
	return s
}

// WantStatus wants a status, with words in its description.
func (w *World) WantStatus(commit, what string, state forge.State, words string) {
	w.Helper()
	if s := w.Status(commit, what); s.State != state || !strings.Contains(s.Description, words) {
		w.Errorf("%s is %s %q, want %s with %q", what, s.State, s.Description, state, words)
	}
}

// Comments are ours on a pull request.
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

// Synced is a world whose branch was merged from pull request 1 and is in sync.
func (w *World) Synced() (commit string) {
	commit = w.Merge(1, w.Open(1, "+a"))
	w.Forge.Touch("clouds/thing.yaml", commit)
	done := PlanOf(commit, "a")
	w.Pass(commit, done, done)
	w.Visit()
	w.Forge.Writes()
	return commit
}

// Found makes drift what a policy leaves of it: reported, not corrected.
func Found(p plan.Plan) plan.Plan { return p.Apply(plan.ReportDrift(true)) }

// Failing answers some requests with an error.
func (w *World) Failing(err error, requests ...string) {
	w.Forge.Answer(func(request, about string) error {
		for _, one := range requests {
			if one == request || one == request+" "+about {
				return err
			}
		}
		return nil
	})
}

// Another is a second stack in the same repository.
func (w *World) Another(name string, poll schedule.Schedule) *review.Planner {
	s := w.stack(name, func() {})
	w.Repo.Add(s, poll)
	return s
}

// Serve serves until Stop is called.
func (w *World) Serve() {
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan struct{})
	go func() { w.Repo.Serve(ctx); close(done) }()
	w.Stop = func() { cancel(); <-done }
	synctest.Wait()
}

// Fork makes a pull request come from one.
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

// Approve says on a pull request that a plan may go on.
func (w *World) Approve(number int, text string) forge.Comment {
	return w.Forge.Say(number, "ann", "/stackreeve approve "+HashOf(text))
}

// HashOf is the hash of such a plan.
func HashOf(text string) string { return PlanOf("", text).Hash() }
