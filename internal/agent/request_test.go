package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/source"
)

// limited makes passes like an engine: with targets, the plan is limited to them and has another hash.
func (o *outside) limited() {
	o.pass = func(_ context.Context, n int) engine.Pass {
		rev, p := o.passes[n-1], planned(o.passes[n-1].Commit)
		if rev.Recreate {
			p = wantedPlan(rev.Commit)
		}
		p = p.Apply(guard.Brake(guard.Limits{}, rev.Approved), guard.OnlyWithHash(rev.Only))
		pass := engine.Pass{First: p, Last: p}
		if p.Held == nil {
			pass.Last.Steps = nil
			pass.Results = make([]engine.Result, len(p.Steps))
		}
		return pass
	}
}

// wantedPlan is the plan that a person has read.
func wantedPlan(commit string) plan.Plan {
	p := planned(commit, "web")
	p.Limit = &plan.Limit{Targets: []string{"Thing/web"}}
	return p
}

var webOnly = []plan.Target{{Kind: "Thing", Namespace: "default", Name: "web"}}

// A request limits one pass to its targets and its hash. A pass of all objects follows, without another request.
func TestAReplacementIsCarriedOutOnce(t *testing.T) {
	o := &outside{commit: "one"}
	o.limited()
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		hash := wantedPlan("one").Hash()
		if err := s.Replace(Request{hash, webOnly, "Ann"}); err != nil {
			t.Fatal(err)
		}
		o.pause(0)
		if len(o.passes) != 3 || !o.passes[1].Recreate || o.passes[1].Only != hash || len(o.passes[1].Targets) != 1 || o.passes[2].Recreate || o.passes[2].Only != "" || o.passes[2].Targets != nil {
			t.Fatalf("%d passes: %+v", len(o.passes), o.passes)
		}
		if said := s.State().Replacement; !strings.HasPrefix(said, hash+", requested by Ann at ") || !strings.HasSuffix(said, ": carried out") {
			t.Errorf("the state says %q", said)
		}
		s.ReconcileNow()
		o.pause(0)
		if n := len(o.passes); n != 4 || o.passes[3].Recreate {
			t.Errorf("%d passes, the last: %+v", n, o.passes[n-1])
		}
	})
}

// A request that arrives while the run before its pass waits, for example for the source, does not end that pass by its own signal.
func TestARequestDoesNotEndItsOwnPass(t *testing.T) {
	o := &outside{commit: "one"}
	o.limited()
	atOnce := o.pass
	o.pass = func(ctx context.Context, n int) engine.Pass {
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		pass := atOnce(ctx, n)
		pass.Interrupted = ctx.Err() != nil
		return pass
	}
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		o.pause(5 * time.Minute)
		fetch := s.Fetch
		s.Fetch = func(ctx context.Context) (source.Revision, bool, error) {
			if err := s.Replace(Request{wantedPlan("one").Hash(), webOnly, "Ann"}); err != nil {
				t.Error(err)
			}
			s.Fetch = fetch
			return fetch(ctx)
		}
		s.ReconcileNow()
		o.pause(5 * time.Minute)
		if said := s.State().Replacement; !strings.HasSuffix(said, ": carried out") {
			t.Errorf("%d passes; the state says %q", len(o.passes), said)
		}
	})
}

// If the plan differs from the one that the person has read, nothing is done.
func TestAReplacementOfAnotherPlanIsHeld(t *testing.T) {
	o := &outside{commit: "one"}
	o.limited()
	serve(t, o, "@every 24h", "@every 24h", func(s *Loop) {
		if err := s.Replace(Request{wantedPlan("two").Hash() + "0", webOnly, "Ann"}); err != nil {
			t.Fatal(err)
		}
		o.pause(0)
		if said := s.State(); !strings.Contains(said.Replacement, ": nothing was changed: ") || said.Held != "" || len(o.passes) != 3 {
			t.Errorf("%d passes, the state is %+v", len(o.passes), said)
		}
		if err := s.Approve(wantedPlan("one").Hash(), "Ann"); !errors.Is(err, ErrNothingHeld) {
			t.Errorf("the plan of a request can be approved as a held plan: %v", err)
		}
	})
}

// While a request waits, it can be repeated, and another one is refused. After ten minutes it is dropped.
func TestARequestWaits(t *testing.T) {
	c, now := &control{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	one, two := Request{"a", webOnly, "Ann"}, Request{"b", webOnly, "Ben"}
	if news, err := c.request(one, now); !news || err != nil {
		t.Error(news, err)
	}
	if news, err := c.request(one, now); news || err != nil {
		t.Errorf("the same again: %t, %v", news, err)
	}
	if _, err := c.request(two, now); !errors.Is(err, ErrBusy) {
		t.Errorf("another one: %v", err)
	}
	late := now.Add(requestLife)
	if r := c.takeRequest(late); r != nil {
		t.Errorf("too late: %+v", r)
	}
	if news, err := c.request(two, late); !news || err != nil {
		t.Errorf("after the first one has expired: %t, %v", news, err)
	}
	if c.carriesOut(two.signal()) {
		t.Error("it is carried out before its pass")
	}
	if r := c.takeRequest(late); r == nil || r.By != "Ben" {
		t.Errorf("taken: %+v", r)
	}
	if r := c.takeRequest(late); r != nil {
		t.Errorf("taken twice: %+v", r)
	}
	if news, err := c.request(two, late); news || err != nil || !c.carriesOut(two.signal()) || c.carriesOut(one.signal()) {
		t.Errorf("the same again during its pass: %t, %v", news, err)
	}
	if _, err := c.request(one, late); !errors.Is(err, ErrBusy) {
		t.Errorf("another one during its pass: %v", err)
	}
	c.storeRequested(engine.Pass{Last: plan.Plan{Steps: []plan.Step{{Action: plan.Recreate}}}})
	if said := c.requested.text(late); !strings.Contains(said, "ended early") || c.carriesOut(two.signal()) {
		t.Errorf("a pass that leaves work: %q", said)
	}
	if news, err := c.request(one, late); !news || err != nil {
		t.Errorf("after the pass: %t, %v", news, err)
	}
}
