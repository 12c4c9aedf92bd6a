package review_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/review"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

func TestACloudThatHangsHoldsUpNoOtherStack(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Review.Plan = func(ctx context.Context, _ string, _ fs.FS) (plan.Plan, preflight.Findings, error) {
			<-ctx.Done()
			return plan.Plan{}, preflight.Findings{}, ctx.Err()
		}
		w.Another("test", schedule.Schedule{})
		var heads []string
		for n := range 5 {
			heads = append(heads, w.Open(n+1, "+a"))
		}
		w.Serve()
		for _, head := range heads {
			if s, _ := w.Forge.Status(head, "stackreeve/test/plan"); s.State != forge.Success {
				t.Errorf("the other stack says %+v", s)
			}
		}
		w.WantStatus(heads[0], "plan", forge.Pending, "")
		late := w.Open(9, "+b")
		w.Repo.Notify(9)
		synctest.Wait()
		if s, _ := w.Forge.Status(late, "stackreeve/test/plan"); s.State != forge.Success {
			t.Errorf("for a new pull request the other stack says %+v", s)
		}
		w.Stop()
	})
}

func TestOnePullRequestThatIsPushedToWithoutEndStarvesNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		planned := map[string]int{}
		w.Review.Plan = func(_ context.Context, commit string, files fs.FS) (plan.Plan, preflight.Findings, error) {
			time.Sleep(10 * time.Second)
			planned[textOf(files)]++
			return planOf(commit, textOf(files)), preflight.Findings{}, nil
		}
		for n := 2; n < 5; n++ {
			w.Open(n, fmt.Sprint("+p", n))
		}
		w.Serve()
		time.Sleep(time.Minute)
		synctest.Wait()
		clear(planned)
		w.Repo.Outdate(time.Now())
		for i := range 300 {
			w.Open(1, fmt.Sprint("+x", i))
			w.Repo.Notify(1)
			time.Sleep(time.Second)
			if i == 100 {
				w.Open(7, "+new")
			}
		}
		w.Stop()
		for _, text := range []string{"+p2", "+p3", "+p4", "+new"} {
			if planned[text] == 0 {
				t.Errorf("%s was not planned in five minutes: %v", text, planned)
			}
		}
	})
}

// The pushes of a stranger use only a small part of the requests that the branch's statuses need.
func TestAForkThatIsPushedToWithoutEndWritesLittle(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Serve()
		var head string
		push := func(n int) {
			head = w.Fork(1, fmt.Sprint("+x", n))
			w.Repo.Notify(1)
			time.Sleep(5 * time.Second)
		}
		for n := range 300 {
			push(n)
		}
		if n := count(w.Forge.Writes(), "stackreeve/prod/plan"); n == 0 || n > review.MaxHeads {
			t.Errorf("%d statuses for 300 pushes to a fork", n)
		}
		w.Forge.AddComment(1, "ann", "/stackreeve plan "+head)
		w.Repo.Notify(1)
		time.Sleep(time.Minute)
		w.WantStatus(head, "plan", forge.Success, "1 to create")
		push(300)
		if s := w.Status(head, "plan"); s.State != "" {
			t.Errorf("the next one says %+v", s)
		}
		time.Sleep(review.HeadsAge)
		w.Repo.Notify(1)
		time.Sleep(time.Minute)
		w.WantStatus(head, "plan", forge.Pending, "fork")
		w.Stop()
	})
}

func TestAQuietRunOfManyPullRequestsAsksLittle(t *testing.T) {
	inWorld(t, func(w *world) {
		w.Files[w.Base] = "same"
		var asked forge.Comment
		for n := 1; n <= 50; n++ {
			text := fmt.Sprint("+p", n)
			if n > 25 {
				text = "same"
			}
			w.Open(n, text)
			if n <= 5 {
				asked = w.Forge.AddComment(n, "ann", "/stackreeve help")
			}
		}
		w.Visit()
		w.Restart()
		w.Forge.Requests()
		w.Visit()
		// The requests are one list, the comments and statuses of each pull request, and the right of ann.
		if got := w.Forge.Requests(); len(got) > 1+50+50+1 {
			t.Errorf("%d requests by a new process that has no news: %q", len(got), got)
		}
		time.Sleep(time.Minute)
		w.Visit()
		w.Forge.Requests()
		time.Sleep(time.Minute)
		w.Visit()
		if got := w.Forge.Requests(); len(got) > 1 {
			t.Errorf("%q by a process that lives on", got)
		}
		if r := w.Forge.Reactions(asked.ID); len(r) != 1 {
			t.Errorf("reactions %v", r)
		}
	})
}

func TestHugePlansFit(t *testing.T) {
	testcost.Long(t)
	inWorld(t, func(w *world) {
		var text strings.Builder
		for n := range 10_000 {
			fmt.Fprintf(&text, "-thing-with-a-rather-long-name-%d ", n)
		}
		head := w.Open(1, text.String())
		w.Visit()
		w.WantStatus(head, "plan", forge.Failure, "approve "+planOf(head, text.String()).Hash())
		if got := w.Comments(1); len(got) == 0 || len(got) > 5 {
			t.Errorf("%d comments", len(got))
		}
		w.Forge.AddComment(1, "ann", "/stackreeve approve "+planOf(head, text.String()).Hash())
		w.Visit()
		w.WantStatus(head, "plan", forge.Success, "approved")
		commit := w.Merge(1, head)
		w.Pass(commit, planOf(commit, text.String()), planOf(commit, text.String()))
		w.Visit()
		for _, body := range w.Comments(1) {
			if len([]rune(body)) > forge.MaxComment {
				t.Errorf("a comment of %d", len([]rune(body)))
			}
		}
	})
}
