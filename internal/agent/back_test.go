package agent

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// branch is the history of a branch before a commit, the newest first.
type branch struct {
	commits []string
	visited []string
	walks   int
	err     error
}

func (b *branch) earlier(_ context.Context, _ string, most int, visit func(source.Revision) bool) error {
	b.walks++
	for _, c := range b.commits[:min(most, len(b.commits))] {
		b.visited = append(b.visited, c)
		if !visit(source.Revision{Commit: c, Tree: "tree of " + c, Files: fstest.MapFS{c: {}}}) {
			return nil
		}
	}
	return b.err
}

func TestAStartOnARefusedCommitFallsBack(t *testing.T) {
	for name, c := range map[string]struct {
		before   []string
		synced   []string // commits that were in sync according to the forge
		passes   []string
		cautious bool
		back     string
	}{
		"to the last that is accepted": {[]string{"bad2", "one", "older"}, nil, []string{"one/one"}, true, ""},
		"to one that was in sync":      {[]string{"bad2", "one"}, []string{"one", "older"}, []string{"one/one"}, false, ""},
		"and finds none":               {[]string{"bad2", "bad1"}, nil, nil, false, "no earlier commit"},
		"a commit in use between":      {[]string{"bad2", "one"}, []string{"bad2", "one"}, nil, false, "bad2"},
		"nor when it is itself":        {[]string{"one"}, []string{"bad3"}, nil, false, "bad3"},
	} {
		o, b := &outside{commit: "bad3", region: "somewhere"}, &branch{commits: c.before}
		s := o.stack(t, "@every 1m", "@every 5m")
		s.Earlier = b.earlier
		s.Applied = func(_ context.Context, commit string) (bool, error) { return slices.Contains(c.synced, commit), nil }
		run := s.Pass(t.Context())
		if got := o.commits(); !slices.Equal(got, c.passes) {
			t.Errorf("%s: passes %q, want %q", name, got, c.passes)
		}
		if run.Refused == nil || run.Refused.Commit != "bad3" || run.Refused.Cautious != c.cautious || !strings.Contains(run.Refused.Back, c.back) {
			t.Errorf("%s: %+v", name, run.Refused)
		}
		s.Pass(t.Context())
		if b.walks != 1 {
			t.Errorf("%s: walked %d times", name, b.walks)
		}
		for _, p := range o.passes {
			if isCautious(p) != c.cautious || p.Synced == c.cautious {
				t.Errorf("%s: a pass that is %+v", name, p)
			}
		}
	}
}

// TestCautionEndsWithTheNextCommit pushes a next commit that corrects the refused one.
func TestCautionEndsWithTheNextCommit(t *testing.T) {
	o, b := &outside{commit: "bad1"}, &branch{commits: []string{"one"}}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Earlier = b.earlier
	s.Pass(t.Context())
	o.commit = "two"
	s.Pass(t.Context())
	o.commit = "bad2"
	s.Pass(t.Context())
	var careful []bool
	for _, p := range o.passes {
		careful = append(careful, isCautious(p))
	}
	if !slices.Equal(careful, []bool{true, false, false}) || !slices.Equal(o.commits(), []string{"one/one", "two/two", "two/two"}) || b.walks != 1 {
		t.Errorf("passes %q, cautious %v, after %d walks", o.commits(), careful, b.walks)
	}
}

// If the source is down, caution does not end, because the newest known commit is still refused.
func TestCautionStaysWhileTheSourceIsAway(t *testing.T) {
	o, b := &outside{commit: "bad1"}, &branch{commits: []string{"one"}}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Earlier = b.earlier
	s.Pass(t.Context())
	o.commit = ""
	run := s.Pass(t.Context())
	if run.FetchErr == nil || run.Refused == nil || run.Refused.Commit != "bad1" || len(o.passes) != 2 || !isCautious(o.passes[1]) {
		t.Errorf("while the source is away: %+v, %q", run, o.commits())
	}
}

// Caution ends when the forge finally answers that the commit was in sync.
func TestCautionEndsWithAnAnswer(t *testing.T) {
	o, b := &outside{commit: "bad1"}, &branch{commits: []string{"one"}}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Earlier = b.earlier
	down := errors.New("the forge is away")
	s.Applied = func(_ context.Context, commit string) (bool, error) { return commit == "one" && down == nil, down }
	if run := s.Pass(t.Context()); !run.Refused.Cautious || len(o.passes) != 1 || !isCautious(o.passes[0]) {
		t.Errorf("while nobody answers: %+v", run.Refused)
	}
	down = nil
	if run := s.Pass(t.Context()); run.Refused.Cautious || len(o.passes) != 2 || isCautious(o.passes[1]) || !o.passes[1].Synced {
		t.Errorf("afterwards: %+v", run.Refused)
	}
}

// TestAWalkThatFailsIsTriedAgain has a server that is down for some time.
func TestAWalkThatFailsIsTriedAgain(t *testing.T) {
	o, b := &outside{commit: "bad1"}, &branch{err: errors.New("the server is away")}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Earlier = b.earlier
	if run := s.Pass(t.Context()); run.Pass != nil || !strings.Contains(run.Refused.Back, "cannot be checked") {
		t.Errorf("%+v", run.Refused)
	}
	b.commits, b.err = []string{"one"}, nil
	if run := s.Pass(t.Context()); run.Pass == nil || run.Revision.Commit != "one" {
		t.Errorf("%+v", run)
	}
}

// TestFallingBackIsBounded has a long branch without any accepted commit.
func TestFallingBackIsBounded(t *testing.T) {
	o, b := &outside{commit: "bad"}, &branch{commits: slices.Repeat([]string{"bad"}, 1000)}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Earlier = b.earlier
	asked := 0
	s.Applied = func(context.Context, string) (bool, error) { asked++; return false, nil }
	if s.Pass(t.Context()); len(b.visited) != maxBack || asked > maxBack+1 {
		t.Errorf("visited %d commits and asked about %d, want %d", len(b.visited), asked, maxBack)
	}
}

func TestReadySaysWhatIsRefused(t *testing.T) {
	o, b := &outside{commit: "bad1"}, &branch{commits: []string{"one"}}
	h := NewHealth([]string{"s"})
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Earlier = b.earlier
	ready := func() (int, string) {
		w := httptest.NewRecorder()
		h.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return w.Code, w.Body.String()
	}
	h.Ran(s.Pass(t.Context()))
	if code, text := ready(); code != http.StatusOK || !strings.HasPrefix(text, "ok\n") || !strings.Contains(text, "s: refused commit bad1, keeping one, with caution") {
		t.Errorf("%d %q", code, text)
	}
	o.commit = "two"
	h.Ran(s.Pass(t.Context()))
	if code, text := ready(); code != http.StatusOK || text != "ok\n" {
		t.Errorf("afterwards %d %q", code, text)
	}
	h.Ran(report.Run{Stack: "s", Refused: &report.Refusal{Commit: "bad2", Problems: manifest.Problems{{What: strings.Repeat("\x1b[31mü", 1000)}}}, Pass: &engine.Pass{}})
	if _, text := ready(); strings.Contains(text, "\x1b") || len(text) > 100 || !strings.Contains(text, "keeping nothing") {
		t.Errorf("a long reason: %q", text)
	}
}

// isCautious reports whether a policy restricts a revision. In these tests, only caution adds policies.
func isCautious(rev engine.Revision) bool { return len(rev.Policies) > 0 }

// A pass can read the objects that earlier commits wanted. It gets each tree once, and no refused commits.
func TestAPassSeesWhatWasWantedBefore(t *testing.T) {
	o, b := &outside{commit: "two", region: "somewhere"}, &branch{commits: []string{"one", "one", "bad1", "older", "oldest"}}
	s := o.stack(t, "@every 1m", "@every 5m")
	s.Earlier = b.earlier
	s.Pass(t.Context())
	if len(o.passes) != 1 {
		t.Fatalf("%d passes", len(o.passes))
	}
	var seen []string
	err := o.passes[0].EarlierCommits(t.Context(), func(commit string, want []kind.Desired) bool {
		seen = append(seen, commit)
		return commit != "older"
	})
	if got := strings.Join(seen, " "); err != nil || got != "one older" {
		t.Errorf("%s: %v", got, err)
	}
}
