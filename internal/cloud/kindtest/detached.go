package kindtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// detached is a law. It removes the manifest of an object that is to be detached, again and again.
// Each time, the agent is killed one writing request later. The object must stay unchanged, and the
// cloud must not show its owner any more. Then the object is adopted again, which only works if it
// still exists and no stack owns it.
func (s Suite) detached(t *testing.T, g *Target) {
	if s.Older != nil {
		t.Skip("what it uses goes with it in these suites")
	}
	first := s.step(t, g.MustSync(s.all()).Last)
	if first.ID() == "" || first.Parent.Kind != "" {
		t.Skip("it has no object of its own in the cloud, or is a part of another")
	}
	s.keepsItsMark(t, g)
	if s.staysMarked() {
		return
	}
	annotations := `stackreeve.dev/on-delete: detach`
	if s.Unadopted == "" {
		annotations += `, stackreeve.dev/adopt: "` + first.ID() + `"`
	}
	detaching, owner := s.annotated(t, annotations), ownertext.Of(g.Stack, s.Key)
	for n, more := 1, true; more; n = g.NextWrite(n) {
		g.MustSync(detaching)
		step := s.step(t, g.Plan(s.Needs))
		if step.Action == plan.Keep && step.Causes.Has(cause.MarkHeld) {
			return // the object uses objects that are removed with it, in a circle
		}
		if step.Action != plan.Detach || step.ID() != first.ID() {
			t.Fatalf("without its manifest: %s %s (%s)", step.Action, step.ID(), step.FullCause())
		}
		more = g.SyncUntilKilled(s.Needs, n)
		var after Counter
		pass := g.SyncThrough(s.Needs, after.Wrap)
		if pass.Outcome() != plan.InSync {
			t.Fatalf("after %d writes: %s: %v", n, pass.Outcome(), pass.Failures)
		}
		untouched(t, pass, n)
		more = more && after.Writes.Load() > 0

		var again Counter
		found := &searching{text: []byte(owner)}
		if pass := g.SyncThrough(s.Needs, func(next http.RoundTripper) http.RoundTripper { return again.Wrap(found.Wrap(next)) }); len(pass.Results) > 0 || again.Writes.Load() > 0 {
			t.Errorf("after %d writes: the second pass carried out %d steps", n, len(pass.Results))
		}
		if found.seen.Load() {
			t.Errorf("after %d writes: the cloud still shows %s", n, owner)
		}
		if last := s.step(t, g.MustSync(detaching).Last); last.ID() != first.ID() {
			t.Errorf("after %d writes: it is %s now and was %s", n, last.ID(), first.ID())
		}
	}
	g.MustSync(s.all())
}

// keepsItsMark checks that an object keeps its mark when its manifest is removed, if the annotation
// prune: "false" protects it from deletion.
func (s Suite) keepsItsMark(t *testing.T, g *Target) {
	t.Helper()
	annotations := []string{`stackreeve.dev/on-delete: detach, stackreeve.dev/prune: "false"`}
	if s.staysMarked() {
		annotations = append(annotations, `stackreeve.dev/on-delete: detach`)
	}
	for _, a := range annotations {
		if s.fixed() { // only the mark at its creation counts
			g.MustSync(s.Needs)
		}
		g.MustSync(s.annotated(t, a))
		var count Counter
		pass := g.SyncThrough(s.Needs, count.Wrap)
		if step := s.step(t, pass.Last); step.Action != plan.Keep || step.Have.Mark == nil || count.Writes.Load() > 0 {
			t.Errorf("%s: without its manifest: %s (%s), %d writes", a, step.Action, step.FullCause(), count.Writes.Load())
		}
		g.MustSync(s.all())
	}
	if s.fixed() {
		s.takeAway(t, g)
	}
}

// takeAway deletes an object that the agent never deletes, because its mark says so and cannot be
// changed.
func (s Suite) takeAway(t *testing.T, g *Target) {
	t.Helper()
	step := s.step(t, g.Plan(s.all()))
	for _, k := range g.Engine(g.agent()).Kinds {
		if k.Info.Kind != s.Key.Kind {
			continue
		}
		if _, err := k.Driver.Delete(context.WithoutCancel(t.Context()), *step.Have); err != nil && !errors.Is(err, kind.ErrGone) {
			t.Fatal(err)
		}
	}
	g.MustSync(s.all())
}

// staysMarked reports whether the mark cannot be removed.
func (s Suite) staysMarked() bool {
	return s.fixed() || slices.ContainsFunc(s.Kinds(nil, defaults.Defaults{}), func(k *kind.Kind) bool { return k.Info.Kind == s.Key.Kind && k.Info.StaysMarked })
}

// annotated returns the manifests with annotations of the object.
func (s Suite) annotated(t *testing.T, annotations string) string {
	t.Helper()
	as := "kind: " + s.Key.Kind + "\nmetadata: {name: " + s.Key.Name
	if strings.Count(s.Object, as+"}") != 1 {
		t.Skipf("the manifest does not have %q", as)
	}
	return s.Needs + "\n---\n" + strings.Replace(s.Object, as, as+", annotations: {"+annotations+"}", 1)
}

// searching is a layer that looks for a text in the cloud's answers.
type searching struct {
	text []byte
	seen atomic.Bool
}

// Wrap returns next with the search in front of it.
func (f *searching) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		resp, err := next.RoundTrip(req)
		if err != nil {
			return resp, err
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if bytes.Contains(text, f.text) || holds(resp.Header, string(f.text)) {
			f.seen.Store(true)
		}
		resp.Body = io.NopCloser(bytes.NewReader(text))
		return resp, err
	})
}
