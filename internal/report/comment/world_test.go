package comment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/document"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/source"
)

const (
	headCommit = "1f6b3c07aa52de0c9b3b5f3c8d8a0e6b7c2d4e91"
	baseCommit = "c0ffee5d7b1a4e2f9d8c7b6a5f4e3d2c1b0a9f8e"
)

// gitLab returns the addresses of a project on a GitLab.
var gitLab = forge.BrowserAt("https://git.example.org", "acme/cloud", "/-/blob/", "/-/commit/")

// story is a stack, its cloud and the texts about them.
type story struct {
	t             *testing.T
	part          map[string][]string // lines of the small files
	before, after fs.FS
	client        *cloud.Client
	server        *simulator.Server
	engine        *engine.Engine

	root     string // the path of the stack in the repository
	page     Page
	synced   bool
	merged   bool
	drift    string
	approved string
	hashes   []string // the hashes of the plans
}

func newStory(t *testing.T, archive *txtar.Archive) *story {
	s := &story{t: t, part: map[string][]string{}, page: Page{Stack: "prod", Number: 7, Head: headCommit, Base: "main", BaseCommit: baseCommit, Browser: gitLab}}
	files := map[string]fstest.MapFS{"before": {}, "after": {}}
	for _, f := range archive.Files {
		if dir, name, ok := strings.Cut(f.Name, "/"); ok {
			files[dir][name] = &fstest.MapFile{Data: f.Data}
		} else if text := strings.TrimSpace(string(f.Data)); text != "" {
			s.part[f.Name] = strings.Split(text, "\n")
		}
	}
	if s.before, s.after = files["before"], files["after"]; len(files["after"]) == 0 {
		s.after = s.before
	}
	s.start()
	report := false
	for _, line := range s.part["page"] {
		word, value, _ := strings.Cut(line, " ")
		report = report || word == "report"
		s.option(word, value)
	}
	s.engine.Policies = []plan.Policy{guard.ReportDrift(report)}
	return s
}

func (s *story) start() {
	server, err := simulator.Start(context.WithoutCancel(s.t.Context()), "127.0.0.1:0", simulator.Options{Seed: 1})
	s.check(err)
	s.t.Cleanup(func() { s.check(server.Close()) })
	file := filepath.Join(s.t.TempDir(), "clouds.yaml")
	s.check(os.WriteFile(file, server.CloudsYAML(), 0o600))
	s.server = server
	s.client, err = cloud.Open(s.t.Context(), cloud.Config{Cloud: "demo", File: file})
	s.check(err)
	limit, err := guard.ParseLimit("100%")
	s.check(err)
	s.engine = &engine.Engine{
		Stack: s.page.Stack, Kinds: all.Kinds(s.client, defaults.Defaults{Network: "private", Region: "RegionOne"}), Limits: guard.Limits{All: limit, Kinds: map[string]guard.Limit{}, DataLoss: true}, Replace: true, Parallelism: 1,
		Timing: engine.Timing{Poll: time.Millisecond, PollMax: 5 * time.Millisecond, Backoff: time.Millisecond, BusyWait: 50 * time.Millisecond, Tries: 2},
	}
}

func (s *story) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// option sets one line of the file page.
func (s *story) option(word, value string) {
	switch word {
	case "root":
		s.root = value
	case "limit":
		limit, err := guard.ParseLimit(value)
		s.check(err)
		s.engine.Limits.All = limit
	case "limit-of":
		kind, text, _ := strings.Cut(value, " ")
		limit, err := guard.ParseLimit(text)
		s.check(err)
		s.engine.Limits.Kinds[kind] = limit
	case "refuse-replace":
		s.engine.Replace = false
	case "report": // handled by newStory
	case "synced":
		s.synced = true
	case "approved":
		s.approved = value
	case "offline":
		s.page.Offline = value
	case "error":
		s.page.Err = value
	case "quiet":
		s.page.Quiet = true
	case "merged":
		s.merged = true
	case "drift":
		s.drift = value
	default:
		s.t.Fatalf("unknown option %s", word)
	}
}

func (s *story) read(files fs.FS) ([]kind.Desired, error) {
	reader := resolve.Reader{Kinds: s.engine.Kinds, Root: s.root}
	reading, err := reader.Read(s.t.Context(), files)
	return reading.Want, err
}

// texts returns the texts that people read, by file name.
func (s *story) texts() map[string]string {
	before, err := s.read(s.before)
	s.check(err)
	if pass := s.engine.Sync(s.t.Context(), engine.Revision{Commit: baseCommit, Want: before}); pass.Outcome() != plan.InSync {
		s.t.Fatalf("before: %s: %v", pass.Outcome(), pass.Failures)
	}
	for _, line := range s.part["cloud"] {
		s.meddle(strings.Fields(line))
	}
	after, err := s.read(s.after)
	switch {
	case errors.As(err, &s.page.Problems):
	case err != nil:
		s.t.Fatal(err)
	case s.page.Offline != "":
		s.page.Differs = document.Differences(before, after)
	case !s.page.Quiet && s.page.Err == "":
		s.plan(after)
	}
	if s.drift != "" {
		return map[string]string{"comment.md": s.drifted().Markdown()}
	}
	if s.merged {
		s.merge(after)
	}
	ok, text := s.page.Status()
	var notes strings.Builder
	for _, a := range s.page.Annotations() {
		fmt.Fprintf(&notes, "%s:%d: %s: %s: %s\n", a.File, a.Line, a.Level, a.Title, a.Message)
	}
	return map[string]string{"comment.md": s.page.Markdown(), "status": fmt.Sprintf("%v: %s\n", ok, text), "annotations": notes.String()}
}

func (s *story) plan(want []kind.Desired) {
	planned := decide.Compute(world.Input{
		Stack: s.engine.Stack, Commit: headCommit, Kinds: s.engine.Kinds, Want: want, Have: s.engine.Observe(s.t.Context(), want),
		Rules: world.Rules{Replace: s.engine.Replace}, Synced: s.synced,
	}).Apply(s.engine.Policies...).Apply(guard.Brake(s.engine.Limits, nil))
	s.page.Plan, s.hashes = &planned, append(s.hashes, planned.Hash())
	if s.approved != "" {
		s.page.Approvals = []plan.Approval{{Hash: planned.Hash(), By: s.approved}}
	}
}

// merge applies the plan. The run takes a minute and a half.
func (s *story) merge(want []kind.Desired) {
	run := report.Run{Stack: s.engine.Stack, Revision: source.Revision{Commit: headCommit, Branch: "main"}}
	if problems := s.page.Problems; len(problems) > 0 {
		run.Refused = &report.Refusal{Commit: headCommit, Problems: problems}
	} else {
		pass := s.engine.Sync(s.t.Context(), engine.Revision{Commit: headCommit, Want: want, Approved: s.page.Approvals})
		pass.Took = 93 * time.Second
		run.Pass, s.hashes = &pass, append(s.hashes, pass.First.Hash())
	}
	s.page = Page{Stack: s.page.Stack, After: &run}
}

func (s *story) drifted() Drift {
	d := Drift{
		Stack: s.engine.Stack, Commit: baseCommit, Since: time.Date(2026, 3, 1, 14, 2, 0, 0, time.UTC),
		Corrected: s.drift == "corrected", Over: s.drift == "over", Browser: gitLab,
	}
	for _, step := range s.page.Plan.Steps {
		if step.Drift {
			if step.Key.Kind == "Server" || step.Key.Kind == "Network" {
				step.Trace = &kind.Trace{When: time.Date(2026, 3, 1, 13, 58, 0, 0, time.UTC), Who: "mallory", What: "update"}
			}
			d.Steps = append(d.Steps, step)
		}
	}
	return d
}

// meddle changes the cloud, as another person could do.
func (s *story) meddle(words []string) {
	ctx, service := s.t.Context(), words[1]
	if words[0] == "fault" {
		_, err := s.server.AddFault(simulator.Fault{
			Service: service, Method: words[2], Path: words[3], Status: http.StatusServiceUnavailable, Header: map[string]string{"Content-Type": "application/json"},
			Body: fmt.Sprintf(`{"error": {"code": 503, "message": %q}}`, strings.Join(words[4:], " ")),
		})
		s.check(err)
		return
	}
	collection, name := words[2], words[3]
	list, err := cloud.List[struct{ ID, Name string }](ctx, s.client, cloud.Call{Service: service, Path: collection}, collection)
	s.check(err)
	for _, item := range list {
		call := cloud.Call{Service: service, Method: http.MethodDelete, Path: collection + "/" + item.ID}
		if words[0] == "set" {
			call.Method = http.MethodPut
			call.Body = map[string]any{strings.TrimSuffix(collection, "s"): map[string]any{words[4]: strings.Join(words[5:], " ")}}
		}
		if item.Name == name {
			s.check(s.client.Do(ctx, call))
			return
		}
	}
	s.t.Fatalf("there is no %s in %s", name, collection)
}
