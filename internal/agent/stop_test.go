package agent

import (
	"context"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/source"
)

// TestARunThatTheEndCutsOffIsNotReported stops the agent at each point at which a run waits. If such a run were reported, there would be an
// error in the log and in the commit's status at the forge.
func TestARunThatTheEndCutsOffIsNotReported(t *testing.T) {
	for name, cut := range map[string]func(s *Loop){
		"fetching": func(s *Loop) {
			s.Fetch = func(ctx context.Context) (source.Revision, bool, error) {
				<-ctx.Done()
				return source.Revision{}, false, ctx.Err()
			}
		},
		"reading manifests": func(s *Loop) {
			s.Read = func(ctx context.Context, _ fs.FS, _ string) (resolve.Reading, error) {
				<-ctx.Done()
				return resolve.Reading{}, ctx.Err()
			}
		},
		"opening the cloud": func(s *Loop) {
			s.cloud = nil
			s.Open = func(ctx context.Context) (Cloud, error) { <-ctx.Done(); return Cloud{}, ctx.Err() }
		},
	} {
		for _, passes := range []int{0, 1} {
			o := &outside{commit: "one"}
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				s := o.stack(t, "@every 24h", "@every 24h")
				for range passes {
					s.Pass(ctx)
				}
				cut(s)
				done := make(chan struct{})
				go func() { Serve(ctx, []*Loop{s}); close(done) }()
				synctest.Wait()
				cancel()
				<-done
				if len(o.runs) > 0 || s.State().Error != "" {
					t.Errorf("%s, after %d passes: reported %+v, state %+v; want nothing", name, passes, o.runs, s.State())
				}
			})
		}
	}
}

// TestARefusalIsReportedWhenTheAgentStops stops the agent during the search for an earlier commit.
func TestARefusalIsReportedWhenTheAgentStops(t *testing.T) {
	o := &outside{commit: "bad1"}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := o.stack(t, "@every 24h", "@every 24h")
		s.Earlier = func(ctx context.Context, _ string, _ int, _ func(source.Revision) bool) error {
			<-ctx.Done()
			return ctx.Err()
		}
		time.AfterFunc(time.Minute, cancel)
		Serve(ctx, []*Loop{s})
		if len(o.runs) != 1 || o.runs[0].Refused == nil || o.runs[0].Refused.Back != "" {
			t.Errorf("reported %+v; want the refusal, and no word about what was cut off", o.runs)
		}
	})
}
