package main

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/agent"
	"github.com/stackreeve/stackreeve/internal/lease"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/schedule"
	"github.com/stackreeve/stackreeve/internal/source"
)

// A repository that is away changes nothing for stacks of other agents that depend on one.
func TestWhatOtherAgentsAreTold(t *testing.T) {
	for _, last := range []plan.Plan{{}, {Held: "would delete 9 of 10 objects", Steps: []plan.Step{{Action: plan.Delete}}}} {
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
			one := &agent.Loop{
				Name: "base", Poll: minutely, DriftCheck: daily, Report: func(report.Run) {},
				Fetch: func(context.Context) (source.Revision, bool, error) {
					if away.Load() {
						return source.Revision{}, false, errors.New("nobody answers")
					}
					return source.Revision{Commit: "one", Files: fstest.MapFS{}}, false, nil
				},
				Read: func(context.Context, fs.FS, string) ([]kind.Desired, error) { return nil, nil },
				Open: func(context.Context) (agent.Cloud, error) {
					return agent.Cloud{Sync: func(context.Context, engine.Revision) engine.Pass { return engine.Pass{First: last, Last: last} }}, nil
				},
			}
			g := &group{here: map[string]served{"base": {loop: one}}}
			ctx, end := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { one.Serve(ctx); close(done) }()
			for _, gone := range []bool{false, true, false} {
				away.Store(gone)
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				if told := g.summary("base"); outcomeOf(told) != last.Outcome() || told.Held != (last.Held != "") || gone != (told.Outcome == "failed") {
					t.Errorf("the repository is away: %v; told %+v, which is %s", gone, told, outcomeOf(told))
				}
			}
			end()
			<-done
		})
	}
}

// What an earlier version tells is understood, and what nobody has looked at is not in sync.
func TestHowStacksOfOtherAgentsStand(t *testing.T) {
	for told, want := range map[lease.Summary]plan.Outcome{
		{}: plan.Broken, {Outcome: "in sync"}: plan.InSync, {Outcome: "failed"}: plan.Broken,
		{Outcome: "failed", Stands: "in sync"}: plan.InSync, {Outcome: "failed", Stands: "refused input"}: plan.Invalid, {Stands: "well"}: plan.Broken,
	} {
		if got := outcomeOf(told); got != want {
			t.Errorf("%+v: %s, want %s", told, got, want)
		}
	}
}
