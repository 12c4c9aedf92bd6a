package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/source"
)

func noRevision() source.Revision { return source.Revision{} }

func TestLinesTellWhatIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		l := NewLines(&b, "s: ", noRevision, Text{})
		l.Planned(plan.Plan{Stack: "s"}, preflight.Findings{})
		b.Reset()
		server := plan.Step{Key: key("Server", "a"), Action: plan.Wait, Causes: cause.List{cause.Of(cause.Reported, "BUILD")}}
		l.Progress(engine.Progress{Total: 2, Waiting: []engine.Activity{engine.ActivityOf(&server, time.Now()), engine.ActivityOf(&server, time.Now())}})
		time.Sleep(25500 * time.Millisecond)
		synctest.Wait()
		want := "s: waiting for Server/a (BUILD)  10s and 1 more\ns: waiting for Server/a (BUILD)  20s and 1 more\n"
		if b.String() != want {
			t.Errorf("got %q, want %q", b.String(), want)
		}
		b.Reset()
		l.Finished(engine.Result{Step: plan.Step{Key: key("Port", "p"), Action: plan.Create}, Took: 1200 * time.Millisecond})
		l.Finished(engine.Result{Step: plan.Step{Key: key("Port", "q"), Action: plan.Create}, Err: errors.New("no\nway")})
		l.Finished(engine.Result{Step: plan.Step{Key: key("Server", "r"), Action: plan.Create}, Took: 29 * time.Millisecond, Unfinished: true})
		l.Finished(engine.Result{Step: plan.Step{Key: key("Server", "s"), Action: plan.Recreate}, Took: time.Millisecond, Unfinished: true})
		want = "s: + Port/p: created in 1.2s\ns: Port/q: no\\nway\ns: + Server/r: created in 29ms, not usable yet\ns: -/+ Server/s: old object deleted in 1ms, the cloud still lists the object\n"
		if b.String() != want {
			t.Errorf("got %q, want %q", b.String(), want)
		}
		l.Close()
	})
}

// screen simulates a terminal that interprets the output of Live: lines, and the sequences that erase the last
// lines.
func screen(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		for strings.HasPrefix(line, "\x1b[") {
			code, rest, _ := strings.Cut(line[2:], "\x1b[J")
			n := 0
			for _, r := range strings.TrimSuffix(code, "A") {
				n = n*10 + int(r-'0')
			}
			lines, line = lines[:len(lines)-n], rest
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func TestLiveDrawsOneBlockAndTakesItAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		l := NewLive(&b, func() (int, int) { return 30, 6 }, noRevision, Text{})
		l.Planned(plan.Plan{Stack: "s"}, preflight.Findings{})
		planned := b.String()
		started := time.Now()
		var doing []engine.Activity
		for _, name := range []string{"a", "b", "c", "a-name-that-is-far-too-long-for-it"} {
			doing = append(doing, engine.Activity{Key: key("Server", name), Action: plan.Create, Since: started})
		}
		time.Sleep(1500 * time.Millisecond)
		l.Progress(engine.Progress{Done: 1, Total: 5, Doing: doing})
		synctest.Wait()
		want := planned + "[====                ] 1 of 5\n  create   Server/a  1s\n  create   Server/b  1s\n  and 2 more\n"
		if got := screen(b.String()); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		l.Progress(engine.Progress{Done: 4, Total: 5, Doing: doing[3:]})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want = planned + "[================    ] 4 of 5\n  create   Server/a-name-that\n"
		if got := screen(b.String()); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		l.Finished(engine.Result{Step: plan.Step{Key: key("Server", "b")}, Err: errors.New("no quota")})
		l.Close()
		if got, want := screen(b.String()), planned+"! Server/b: no quota\n"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}
