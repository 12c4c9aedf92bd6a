package notify

import (
	"errors"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/report"
	"github.com/stackreeve/stackreeve/internal/source"
)

// The file of a Memory is written once for all rules of a run, and not if there is nothing new. A write that
// failed is tried again.
func TestTheFileOfAMemoryIsWrittenOncePerRun(t *testing.T) {
	m := OpenMemory(t.TempDir() + "/told.json")
	var writes int
	var fails error
	m.write = func(string, []byte) error { writes++; return fails }
	rules := []Rule{{Name: "a", Least: Info}, {Name: "b", Least: Info}, {Name: "c", Least: Info}}
	s := New("prod", rules, m, func(*Rule, Notification) {})
	ran := func(commit string) {
		s.Ran(report.Run{Stack: "prod", Started: time.Unix(1, 0), Revision: source.Revision{Commit: commit}, Pass: &engine.Pass{}, FetchErr: nil, Err: errors.New("away")})
	}
	for _, step := range []struct {
		what string
		does func()
		want int
	}{
		{"a run", func() { ran("a") }, 1},
		{"the same again", func() { ran("a") }, 0},
		{"another stack goes", func() { m.Forget("test") }, 0},
		{"all stay", func() { m.Keep([]string{"prod"}) }, 0},
		{"no room", func() { fails = errors.New("no space"); ran("b") }, 1},
		{"room again", func() { fails = nil; ran("b") }, 1},
		{"it goes", func() { m.Forget("prod") }, 1},
	} {
		writes = 0
		if step.does(); writes != step.want {
			t.Errorf("%s: %d writes, want %d", step.what, writes, step.want)
		}
	}
}
