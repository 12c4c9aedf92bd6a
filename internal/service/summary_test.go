package service

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/lease"
	"github.com/stackreeve/stackreeve/internal/readapi"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// If a repository is down, nothing changes for stacks of other agents that depend on one of its stacks.
func TestWhatOtherAgentsAreTold(t *testing.T) {
	for _, last := range []plan.Plan{{}, {Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "would delete 9 of 10 objects")}}, Steps: []plan.Step{{Action: plan.Delete}}}} {
		synctest.Test(t, func(t *testing.T) {
			minutely, err := schedule.Parse("@every 1m")
			if err != nil {
				t.Fatal(err)
			}
			daily, err := schedule.Parse("@every 24h")
			if err != nil {
				t.Fatal(err)
			}
			var away atomic.Bool
			one := agent.New(agent.Config{Name: "base"})
			one.Poll, one.DriftCheck, one.Report = minutely, daily, func(report.Run) {}
			one.Fetch = func(context.Context) (source.Revision, bool, error) {
				if away.Load() {
					return source.Revision{}, false, errors.New("nobody answers")
				}
				return source.Revision{Commit: "one", Files: fstest.MapFS{}}, false, nil
			}
			one.Read = func(context.Context, fs.FS, string) (resolve.Reading, error) { return resolve.Reading{}, nil }
			one.Open = func(context.Context) (agent.Cloud, error) {
				return agent.Cloud{Sync: func(context.Context, engine.Revision) engine.Pass { return engine.Pass{First: last, Last: last} }}, nil
			}
			g := &group{roster: newRoster()}
			g.roster.set("base", &served{loop: one})
			ctx, end := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { one.Serve(ctx); close(done) }()
			for _, gone := range []bool{false, true, false} {
				away.Store(gone)
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				if told := g.summary("base"); outcomeOf(told) != last.Outcome() || told.Held != (last.Held != nil) || gone != (told.Outcome == "failed") {
					t.Errorf("the repository is away: %v; told %+v, which is %s", gone, told, outcomeOf(told))
				}
			}
			end()
			<-done
		})
	}
}

// Summaries of earlier versions can be read. A stack that no agent has checked is not in sync.
func TestHowStacksOfOtherAgentsStand(t *testing.T) {
	for told, want := range map[lease.Summary]plan.Outcome{
		{}: plan.Broken, {Outcome: "in sync"}: plan.InSync, {Outcome: "failed"}: plan.Broken,
		{Outcome: "failed", LastOutcome: "in sync"}: plan.InSync, {Outcome: "failed", LastOutcome: "refused input"}: plan.Invalid, {LastOutcome: "well"}: plan.Broken,
	} {
		if got := outcomeOf(told); got != want {
			t.Errorf("%+v: %s, want %s", told, got, want)
		}
	}
}

// If a stack was lost with the connection to the lease store, its old state is not shown, because perhaps no agent serves it.
func TestALostStackIsNotShownAsItWas(t *testing.T) {
	svc := &service{metrics: report.NewMetrics("test"), health: agent.NewHealth(nil), shown: readapi.NewStore([]string{"prod"}, nil, time.Unix(1, 0))}
	read := readapi.New(svc.shown, nil, "test")
	shown := func() string {
		w := httptest.NewRecorder()
		read.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/apis/stackreeve.dev/v1alpha1/namespaces/prod/stacks/prod", http.NoBody))
		return w.Body.String()
	}
	svc.shown.Ran(report.Run{Stack: "prod", Pass: &engine.Pass{}})
	if text := shown(); !strings.Contains(text, `"in sync"`) {
		t.Fatal(text)
	}
	svc.forget("prod")
	if text := shown(); strings.Contains(text, `"in sync"`) || !strings.Contains(text, "no agent serves the stack now") {
		t.Error(text)
	}
}

// An agent has lost a stack. When people ask it for the state of that stack, it does not return the summary that it wrote itself before.
func TestTheStateOfALostStack(t *testing.T) {
	g := &group{Member: &lease.Member{Agent: lease.Agent{Name: "a"}, Store: ownWord{}}}
	g.Stacks, g.Periods, g.Log = []string{"prod"}, lease.Periods{TTL: time.Minute}, slog.New(slog.DiscardHandler)
	ctx, end := context.WithCancel(t.Context())
	g.Seen = func(lease.View) { end() }
	g.Run(ctx)
	if g.View().Stacks["prod"].Agent != "a" {
		t.Fatalf("%+v", g.View())
	}
	if state := g.state("prod"); state.ServedBy != "" || state.Outcome != "" {
		t.Errorf("%+v", state)
	}
}

// ownWord is a store with one stack, whose summary the agent itself wrote under an earlier lease.
type ownWord struct{}

func (ownWord) Grant(context.Context, time.Duration) (lease.ID, error) { return 2, nil }
func (ownWord) Renew(context.Context, lease.ID) error                  { return nil }
func (ownWord) Revoke(context.Context, lease.ID) error                 { return nil }
func (ownWord) Write(context.Context, lease.ID, string, []byte) (bool, error) {
	return true, nil
}
func (ownWord) List(context.Context) ([]lease.Record, error) {
	return []lease.Record{{Key: "stacks/prod", Value: []byte(`{"agent":"a","summary":{"outcome":"in sync"}}`), Lease: 1}, {Key: "agents/a", Value: []byte(`{"name":"a"}`), Lease: 2}}, nil
}
