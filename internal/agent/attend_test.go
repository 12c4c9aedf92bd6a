package agent

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
)

// waiting is a pass that only waits until its context ends, as a pass does for a machine in BUILD.
func waiting(ctx context.Context, _ int) engine.Pass {
	<-ctx.Done()
	pass := engine.Pass{Interrupted: true}
	errors.As(context.Cause(ctx), &pass.Superseded)
	return pass
}

func TestAPassGivesWay(t *testing.T) {
	o := &outside{commit: "one", pass: waiting}
	serve(t, o, "@every 24h", "@every 1m", func(s *Loop) {
		o.pause(10 * time.Minute)
		if len(o.passes) != 1 {
			t.Fatalf("%d passes; drift checks have no pass give way", len(o.passes))
		}
		s.Wake()
		o.pause(0)
		if len(o.passes) != 1 || o.fetches < 2 {
			t.Errorf("%d passes after %d fetches; want the pass to go on when there is no new commit", len(o.passes), o.fetches)
		}
		o.commit = "two"
		s.Wake()
		o.pause(0)
		if got, want := o.commits(), []string{"one/one", "two/two"}; !slices.Equal(got, want) {
			t.Fatalf("passes %v, want %v at once", got, want)
		}
		if run := o.runs[len(o.runs)-1]; run.Pass.Superseded != "commit two" || run.Revision.Commit != "one" {
			t.Errorf("reported %+v; want the pass of one, superseded by two", run)
		}
		s.ReconcileNow()
		o.pause(0)
		if got, want := o.commits(), []string{"one/one", "two/two", "two/two"}; !slices.Equal(got, want) {
			t.Errorf("passes %v, want %v at once", got, want)
		}
	})
}

func TestAPersonEndsAPauseAfterFailures(t *testing.T) {
	o := &outside{commit: "one", pass: func(context.Context, int) engine.Pass { return failed() }}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(time.Hour)
		n := len(o.passes)
		s.ReconcileNow()
		o.pause(0)
		if len(o.passes) != n+1 {
			t.Errorf("%d more passes at once, want 1", len(o.passes)-n)
		}
	})
}
