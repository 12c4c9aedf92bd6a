package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/forge/file"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/service"
	"github.com/stackreeve/stackreeve/internal/session"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// world is a cloud, a repository, and the agents that run one after the other. It lives in a bubble with its own clock.
type world struct {
	t       testing.TB
	dir     string
	repo    *repository
	cloud   *simulator.Cloud
	layer   *Layer
	outside *outside
	random  *rand.Rand
	wipe    bool // whether the folder for data is lost when the process is killed
	log     output
	now     *life
	foreign []foreign
}

// foreign is an object of other people.
type foreign struct {
	path, field string
	before      object
}

// output collects what agents write.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String returns everything that was written.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// repository holds the commits of a story. Each world has its own branch, in a copy of its references.
type repository struct {
	git     *gittest.Repo
	commits []string // one for each revision
}

const stackFile = `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: campaign}
spec:
  source: {url: %[1]s/repo, branch: main}
  cloud: demo
  defaults: {network: private, vipNetworks: {private: private}, regions: {tokyo1: RegionOne}, zones: {dev: az-a}, serviceTypes: {generic: ""}}
  sync: {maxDeletes: "100%%", allowDataLoss: true, replace: allow}
  report: {file: {path: %[1]s/status.jsonl}}
`

// commitStory commits the revisions of a story.
func commitStory(t testing.TB, s story) *repository {
	t.Helper()
	r := &repository{git: gittest.New(t)}
	for phase := range s.revisions {
		text := s.manifests(phase)
		if text == "" {
			r.git.Git("rm", "-q", "main.yaml")
			r.commits = append(r.commits, r.git.Commit(fmt.Sprint("revision ", phase)))
			continue
		}
		r.commits = append(r.commits, r.git.Commit(fmt.Sprint("revision ", phase), "main.yaml", text, "keep.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: keep}\ndata: {a: b}\n"))
	}
	return r
}

// newWorld makes a world with an empty project.
func newWorld(t testing.TB, r *repository, seed uint64) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), repo: r, random: rand.New(rand.NewPCG(seed, 2))}
	w.wipe = w.random.IntN(2) == 0
	var err error
	w.cloud, err = simulator.New(simulator.Options{Seed: seed + 1, BuildDelay: 4 * time.Second, PendingDelay: 2 * time.Second, TagsOnCreate: w.random.IntN(2) == 0})
	if err != nil {
		t.Fatal(err)
	}
	w.layer = &Layer{
		Cloud: w.cloud, Expire: func(token string) { w.cloud.Do(func() { w.cloud.Keystone.Expire(token) }) },
		Shift: w.cloud.Jump,
	}
	w.outside = &outside{t: t, cloud: w.cloud, user: "demo"}
	w.cloneRepository()
	w.write("stackreeve.yaml", fmt.Sprintf(stackFile, w.dir))
	return w
}

// cloneRepository makes a bare repository that shares its objects with that of the story, so that the branch can move.
func (w *world) cloneRepository() {
	for _, name := range []string{"HEAD", "config"} {
		text, err := os.ReadFile(filepath.Join(w.repo.git.Dir, ".git", name))
		if err != nil {
			w.t.Fatal(err)
		}
		w.write("repo/.git/"+name, string(text))
	}
	w.write("repo/.git/objects/info/alternates", filepath.Join(w.repo.git.Dir, ".git", "objects")+"\n")
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// push moves the branch to a revision.
func (w *world) push(phase int) { w.write("repo/.git/refs/heads/main", w.repo.commits[phase]+"\n") }

// life is one process.
type life struct {
	end    context.CancelFunc
	done   chan struct{}
	killed chan struct{}
	kill   func()
	stored string // the folder with the files of the agent at the time of the kill
	err    error
}

// start starts the agent.
func (w *world) start() { w.now = w.live("data") }

// live starts an agent with a folder for data.
func (w *world) live(data string) *life {
	w.t.Helper()
	documents, err := config.Load([]string{filepath.Join(w.dir, "stackreeve.yaml")}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	l := &life{end: end, done: make(chan struct{}), killed: make(chan struct{})}
	agent := w.layer.Start(func() { w.freeze(l); close(l.killed); end() })
	log := slog.New(report.NewHandler(io.MultiWriter(&w.log, shownLog()), false, slog.LevelDebug))
	opener := session.Opener{Log: log, Version: "test", Shared: &session.Shared{}, DataDir: filepath.Join(w.dir, data), Wrap: agent.Wrap}
	l.kill = agent.kill
	go func() {
		defer close(l.done)
		l.err = service.Run(ctx, opener, documents, service.Options{Log: log})
	}()
	return l
}

// freeze stores the files of an agent, because it continues to write for a moment after it was killed.
func (w *world) freeze(l *life) {
	l.stored = filepath.Join(w.dir, "frozen")
	for _, name := range []string{"data", "status.jsonl"} {
		copyTree(w.t, filepath.Join(w.dir, name), filepath.Join(l.stored, name))
	}
}

// thaw restores the files that a killed agent has left. In every second world, the disk is empty instead.
func (w *world) thaw(l *life) {
	for _, name := range []string{"data", "status.jsonl"} {
		path := filepath.Join(w.dir, name)
		if err := os.RemoveAll(path); err != nil {
			w.t.Fatal(err)
		}
		if name == "data" && w.wipe {
			continue
		}
		copyTree(w.t, filepath.Join(l.stored, name), path)
	}
	if err := os.RemoveAll(l.stored); err != nil {
		w.t.Fatal(err)
	}
}

func copyTree(t testing.TB, from, to string) {
	info, err := os.Stat(from)
	if err != nil {
		return
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		var text []byte
		if text, err = os.ReadFile(from); err == nil {
			if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
				err = os.WriteFile(to, text, 0o600)
			}
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// stop ends the agent, and waits until it has ended.
func (w *world) stop() { w.end(w.now) }

func (w *world) end(l *life) {
	w.t.Helper()
	l.end()
	select {
	case <-l.done:
	case <-time.After(time.Hour):
		w.t.Fatal("the agent does not end")
	}
	if l.err != nil {
		w.t.Errorf("the agent ended with %v", l.err)
	}
}

// restartIfKilled starts a new agent if the last one was killed, as a supervisor does.
func (w *world) restartIfKilled() {
	w.t.Helper()
	select {
	case <-w.now.killed:
		killed := w.now
		w.stop()
		w.thaw(killed)
		w.start()
	default:
	}
}

// shortSettle is the time after which a person looks at a stack with an object that exists twice.
const shortSettle = 20 * time.Minute

// maxSettle is the longest time until a stack is in sync after a fault. It includes the waits of the agent for requests that were not answered.
const maxSettle = 2 * time.Hour

// settle waits until the agent says that a revision is in sync. It returns how long that took, and false if it took too long.
func (w *world) settle(phase int) (time.Duration, bool) { return w.settleWithin(phase, maxSettle) }

func (w *world) settleWithin(phase int, most time.Duration) (time.Duration, bool) {
	w.t.Helper()
	began := time.Now()
	for time.Since(began) < most {
		time.Sleep(time.Second)
		w.restartIfKilled()
		if w.says(phase) == "success" {
			return time.Since(began), true
		}
	}
	return most, false
}

// says returns the state of a revision's newest sync status.
func (w *world) says(phase int) (state string) {
	text, err := os.ReadFile(filepath.Join(w.dir, "status.jsonl"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		var l file.Line
		if json.Unmarshal([]byte(line), &l) == nil && l.Commit == w.repo.commits[phase] && strings.HasSuffix(l.Context, "/sync") {
			state = string(l.State)
		}
	}
	return state
}
