package pulls

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

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// world is a repository on a forge, a branch, and a cloud whose plans the test
// writes: the name of a thing in a commit's files is what is planned for it.
type world struct {
	*testing.T
	forge *forgetest.Memory
	repo  *Repository
	stack *Stack

	mu       sync.Mutex
	base     string            // the branch's newest commit
	files    map[string]string // the files of a commit, one name each
	gone     string            // a word that is in files, and done in the cloud already
	plans    int
	cloudErr error
	again    int
	stop     func() // what serve began
}

type sourceMerge = source.Merge

// sha is a commit by a name that people can read.
func sha(name string) string {
	sum := sha1.Sum([]byte(name))
	return hex.EncodeToString(sum[:])
}

func inWorld(t *testing.T, test func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, forge: forgetest.NewMemory("ann"), base: sha("base"), files: map[string]string{}}
		w.restart()
		test(w)
	})
}

// restart begins anew, as on an empty disk.
func (w *world) restart() {
	w.stack = &Stack{
		Name: "prod", Last: w.last, Merged: w.merged, Read: w.read, Plan: w.plan,
		Trace: func(_ context.Context, s plan.Step) (kind.Trace, bool) {
			return kind.Trace{Who: "mallory", What: "stop", When: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, true
		},
		Again: func() { w.again++ },
	}
	w.repo = New(w.forge, slog.New(slog.DiscardHandler))
	w.repo.Add(w.stack, schedule.Schedule{})
}

func (w *world) last() (source.Revision, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return source.Revision{Commit: w.base, Branch: "main", Tree: w.files[w.base], Root: "clouds", Files: w.folder(w.base)}, true
}

func (w *world) folder(commit string) fs.FS {
	return fstest.MapFS{"thing.yaml": {Data: []byte(w.files[commit])}}
}

func (w *world) merged(_ context.Context, head string) (source.Merge, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := source.Merge{Base: w.base, BaseTree: w.files[w.base], Head: head}
	text := w.files[head]
	if strings.HasPrefix(text, "conflict") {
		m.Conflicts = []string{"clouds/thing.yaml"}
		return m, nil
	}
	m.Revision = source.Revision{Commit: head, Branch: "main", Tree: text, Root: "clouds", Files: w.folder(head)}
	return m, nil
}

func textOf(files fs.FS) string {
	text, err := fs.ReadFile(files, "thing.yaml")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (w *world) read(_ context.Context, files fs.FS) ([]kind.Desired, error) {
	text := textOf(files)
	if strings.HasPrefix(text, "bad") {
		return nil, manifest.Problems{{Origin: manifest.Origin{File: "clouds/thing.yaml", Line: 3}, What: "is bad"}}
	}
	return []kind.Desired{{Key: manifest.Key{Kind: "Thing", Name: text}}}, nil
}

// plan makes one step of each word: +name is made, -name deleted.
func (w *world) plan(ctx context.Context, commit string, files fs.FS) (plan.Plan, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plans++
	if w.cloudErr != nil {
		return plan.Plan{}, w.cloudErr
	}
	if _, err := w.read(ctx, files); err != nil {
		return plan.Plan{}, err
	}
	return w.left(commit, textOf(files)), nil
}

// left is what is left to do for text.
func (w *world) left(commit, text string) plan.Plan {
	var words []string
	for word := range strings.FieldsSeq(text) {
		if word != w.gone {
			words = append(words, word)
		}
	}
	return planOf(commit, strings.Join(words, " "))
}

func planOf(commit, text string) plan.Plan {
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

// open opens a pull request whose files are text, or pushes to it.
func (w *world) open(number int, text string) (head string) {
	head = sha(fmt.Sprint(number, text))
	w.mu.Lock()
	w.files[head] = text
	w.mu.Unlock()
	w.forge.Put(forge.Pull{Number: number, Title: "change", Author: "ann", Head: head, HeadRef: head, Base: "main", Open: true})
	return head
}

// look looks once and delivers.
func (w *world) look() {
	w.Helper()
	if err := w.repo.Once(w.Context()); err != nil {
		w.Error(err)
	}
}

// pass is what a branch's pass came to.
func (w *world) pass(commit string, first, last plan.Plan) {
	w.stack.Planned(first)
	synctest.Wait()
	w.stack.Ran(ran(commit, first, last))
	synctest.Wait()
}

// ran is a look that came to a pass.
func ran(commit string, first, last plan.Plan, results ...engine.Result) report.Run {
	return report.Run{
		Stack: "prod", Started: time.Now(), Revision: source.Revision{Commit: commit, Branch: "main"},
		Pass: &engine.Pass{Stack: "prod", Commit: commit, First: first, Last: last, Results: results},
	}
}

func (w *world) status(commit, what string) forge.Status {
	s, _ := w.forge.Status(commit, "stackreeve/prod/"+what)
	return s
}

func (w *world) wantStatus(commit, what string, state forge.State, words string) {
	w.Helper()
	if s := w.status(commit, what); s.State != state || !strings.Contains(s.Description, words) {
		w.Errorf("%s is %s %q, want %s with %q", what, s.State, s.Description, state, words)
	}
}

// comments are ours on a pull request.
func (w *world) comments(number int) (texts []string) {
	w.Helper()
	all, err := w.forge.Comments(w.Context(), number)
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

func (w *world) merge(number int, head string) (commit string) {
	commit = sha("merge of " + head)
	w.forge.Merge(number, commit)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[commit] = w.files[head]
	w.base = commit
	return commit
}
