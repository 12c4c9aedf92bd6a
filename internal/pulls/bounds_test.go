package pulls

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

func TestACloudThatHangsHoldsUpNoOtherStack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.stack.Plan = func(ctx context.Context, _ string, _ fs.FS) (plan.Plan, error) {
			<-ctx.Done()
			return plan.Plan{}, ctx.Err()
		}
		w.another("test")
		var heads []string
		for n := range 5 {
			heads = append(heads, w.open(n+1, "+a"))
		}
		w.serve()
		for _, head := range heads {
			if s, _ := w.forge.Status(head, "stackreeve/test/plan"); s.State != forge.Success {
				t.Errorf("the other stack says %+v", s)
			}
		}
		w.wantStatus(heads[0], "plan", forge.Pending, "")
		late := w.open(9, "+b")
		w.repo.Heard(9)
		synctest.Wait()
		if s, _ := w.forge.Status(late, "stackreeve/test/plan"); s.State != forge.Success {
			t.Errorf("for a new pull request the other stack says %+v", s)
		}
		w.stop()
	})
}

func TestOnePullRequestThatIsPushedToWithoutEndStarvesNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		planned := map[string]int{}
		w.stack.Plan = func(_ context.Context, commit string, files fs.FS) (plan.Plan, error) {
			time.Sleep(10 * time.Second)
			planned[textOf(files)]++
			return planOf(commit, textOf(files)), nil
		}
		for n := 2; n < 5; n++ {
			w.open(n, fmt.Sprint("+p", n))
		}
		w.serve()
		time.Sleep(time.Minute)
		synctest.Wait()
		clear(planned)
		w.repo.Moved(time.Now())
		for i := range 300 {
			w.open(1, fmt.Sprint("+x", i))
			w.repo.Heard(1)
			time.Sleep(time.Second)
			if i == 100 {
				w.open(7, "+new")
			}
		}
		w.stop()
		for _, text := range []string{"+p2", "+p3", "+p4", "+new"} {
			if planned[text] == 0 {
				t.Errorf("%s was not planned in five minutes: %v", text, planned)
			}
		}
	})
}

func TestOpenDriftCostsNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		commit := w.synced()
		asked := 0
		trace := w.stack.Trace
		w.stack.Trace = func(ctx context.Context, s plan.Step) (kind.Trace, bool) {
			asked++
			return trace(ctx, s)
		}
		drifted := found(planOf(commit, "~a"))
		w.pass(commit, drifted, drifted)
		w.look()
		w.forge.Requests()
		for range 5 {
			w.pass(commit, drifted, drifted)
			w.repo.Outbox.Flush(w.Context())
		}
		if got := w.forge.Requests(); len(got) != 0 || asked != 1 {
			t.Errorf("asked the cloud %d times and the forge for %q", asked, got)
		}
	})
}

func TestAQuietRunOfManyPullRequestsAsksLittle(t *testing.T) {
	inWorld(t, func(w *world) {
		w.files[w.base] = "same"
		var asked forge.Comment
		for n := 1; n <= 50; n++ {
			text := fmt.Sprint("+p", n)
			if n > 25 {
				text = "same"
			}
			w.open(n, text)
			if n <= 5 {
				asked = w.forge.Say(n, "ann", "/stackreeve help")
			}
		}
		w.look()
		w.restart()
		w.forge.Requests()
		w.look()
		// One list; comments and statuses of each; who ann is.
		if got := w.forge.Requests(); len(got) > 1+50+50+1 {
			t.Errorf("%d requests by a new process that has no news: %q", len(got), got)
		}
		time.Sleep(time.Minute)
		w.look()
		w.forge.Requests()
		time.Sleep(time.Minute)
		w.look()
		if got := w.forge.Requests(); len(got) > 1 {
			t.Errorf("%q by a process that lives on", got)
		}
		if r := w.forge.Reactions(asked.ID); len(r) != 1 {
			t.Errorf("reactions %v", r)
		}
	})
}

func TestBranchPassesDoNotWaitForAForge(t *testing.T) {
	inWorld(t, func(w *world) {
		w.forge.Answer(func(string, string) error { time.Sleep(30 * time.Second); return nil })
		w.open(1, "+a")
		commit := w.merge(2, w.open(2, "+b"))
		w.serve()
		began := time.Now()
		w.stack.Planned(planOf(commit, "+b"))
		w.stack.Progress(engine.Progress{Done: 1, Total: 2})
		w.stack.Ran(ran(commit, planOf(commit, "+b"), planOf(commit, "b")))
		if took := time.Since(began); took > 0 {
			t.Errorf("a pass waited %s for the forge", took)
		}
		time.Sleep(10 * time.Minute)
		w.stop()
		w.forge.Answer(nil)
		w.wantStatus(commit, "sync", forge.Success, "in sync")
	})
}

func TestHugePlansFit(t *testing.T) {
	inWorld(t, func(w *world) {
		var text strings.Builder
		for n := range 10_000 {
			fmt.Fprintf(&text, "-thing-with-a-rather-long-name-%d ", n)
		}
		head := w.open(1, text.String())
		w.look()
		w.wantStatus(head, "plan", forge.Failure, "approve "+planOf(head, text.String()).Hash())
		if got := w.comments(1); len(got) == 0 || len(got) > 5 {
			t.Errorf("%d comments", len(got))
		}
		w.forge.Say(1, "ann", "/stackreeve approve "+planOf(head, text.String()).Hash())
		w.look()
		w.wantStatus(head, "plan", forge.Success, "approved")
		commit := w.merge(1, head)
		w.pass(commit, planOf(commit, text.String()), planOf(commit, text.String()))
		w.look()
		for _, body := range w.comments(1) {
			if len([]rune(body)) > forge.MaxComment {
				t.Errorf("a comment of %d", len([]rune(body)))
			}
		}
	})
}

func TestMarkersFit(t *testing.T) {
	m := forge.Marker{Kind: planKind, Stack: strings.Repeat("a-", 31) + "a", Run: 1 << 62, Part: 5, Parts: 5, Head: sha("a"), Base: sha("b"), Hash: sha("c")[:32], Exact: sha("d")[:32], Tree: sha("e") + sha("f")[:24], After: 1 << 62, Done: forge.Failure, To: 1 << 62}
	for n := range mostSteps {
		m.Steps = append(m.Steps, sha(fmt.Sprint(n))[:16])
	}
	for n := range 10 {
		m.Shown = append(m.Shown, forge.Shown{Hash: sha(fmt.Sprint(n))[:32], After: 1 << 62})
	}
	if n := len(m.String()); n > forge.MaxMarker {
		t.Errorf("a marker takes %d", n)
	}
}

func TestASingleRunTellsTheBranchWhateverPullRequestsDo(t *testing.T) {
	inWorld(t, func(w *world) {
		w.stack.Plan = func(ctx context.Context, _ string, _ fs.FS) (plan.Plan, error) {
			<-ctx.Done()
			return plan.Plan{}, ctx.Err()
		}
		commit := w.merge(2, w.open(2, "+b"))
		w.open(1, "+a")
		w.stack.Ran(ran(commit, planOf(commit, "+b"), planOf(commit, "b")))
		ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
		defer cancel()
		_ = w.repo.Once(ctx) // it says that not everything was done
		w.wantStatus(commit, "sync", forge.Success, "in sync")
	})
}
