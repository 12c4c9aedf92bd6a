package engine

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/memory"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// keeping returns the memory of a process that has logged in and stores the memory in a file.
func keeping(t *testing.T, path string) *memory.Memory {
	t.Helper()
	m, err := memory.Open(path, "s", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	m.Forget(memory.LoggedIn{Where: "one/p1"})
	return m
}

// copyAfter copies a file after a time. The copy is the file that a process leaves if it is killed at that time.
func copyAfter(t *testing.T, d time.Duration, from, to string) {
	time.AfterFunc(d, func() {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

// A process is killed in the middle of an update, and the branch returns to the earlier commit. If the next process has the file, it knows
// that the stack itself made the change. Without the file, it reports the change as drift.
func TestAProcessWithTheFileKnowsWhatWasBegun(t *testing.T) {
	for name, drifted := range map[string]int{"left.json": 0, "none.json": 1} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				h := &hanging{World: thingtest.New()}
				e := h.engine(keeping(t, filepath.Join(dir, "kept.json")))
				sync := func(ctx context.Context, line string) Pass {
					want, err := h.Wanted(line)
					if err != nil {
						t.Fatal(err)
					}
					return e.Sync(ctx, Revision{Want: want})
				}
				sync(t.Context(), "a colour=red")
				ctx, kill := context.WithTimeout(t.Context(), 2*time.Second)
				defer kill()
				copyAfter(t, 1500*time.Millisecond, filepath.Join(dir, "kept.json"), filepath.Join(dir, "left.json"))
				h.hangs = true
				sync(ctx, "a colour=blue")
				h.hangs = false
				e = h.engine(keeping(t, filepath.Join(dir, name)))
				if pass := sync(t.Context(), "a colour=red"); pass.Drifted() != drifted {
					t.Errorf("%d drifted, want %d: %s", pass.Drifted(), drifted, failed(pass))
				}
			})
		})
	}
}

// A process is killed while the cloud still works on a creation without an answer. If the next process has the file, it waits for the
// object and does not create another one.
func TestAProcessWithTheFileWaitsForWhatWasNotAnswered(t *testing.T) {
	for name, made := range map[string]int{"left.json": 1, "none.json": 2} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := &slowly{World: thingtest.New(), takes: 105 * time.Second}
			want, err := s.Wanted("a")
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				copyAfter(t, 20*time.Second, filepath.Join(dir, "kept.json"), filepath.Join(dir, "left.json"))
				ctx, kill := context.WithTimeout(t.Context(), 30*time.Second)
				defer kill()
				s.engine(keeping(t, filepath.Join(dir, "kept.json"))).Sync(ctx, Revision{Want: want})
				s.engine(keeping(t, filepath.Join(dir, name))).Sync(t.Context(), Revision{Want: want})
				time.Sleep(2 * time.Minute)
			})
			if len(s.at) != made {
				t.Errorf("created %d times, want %d", len(s.at), made)
			}
		})
	}
}

// After a restart with the file, a member that does not recover is not healed more often within an hour than without a restart.
func TestAProcessWithTheFileHealsNoMoreOften(t *testing.T) {
	for name, most := range map[string]int{"kept.json": 3, "none.json": 6} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				h := healthy(t, 4)
				h.Stubborn = map[string]bool{"sheep-0": true}
				h.called("sheep-0").Down = "stopped"
				for _, file := range []string{"kept.json", name} {
					probe := h.engine.Probe
					h.engine = engineWith(h)
					h.engine.Probe, h.engine.Memory = probe, keeping(t, filepath.Join(dir, file))
					h.checks(t, 4, 28, "round")
				}
				if n := h.called("sheep-0").Restarts; n != most {
					t.Errorf("restarted %d times within an hour, want %d", n, most)
				}
			})
		})
	}
}

// With a damaged file of the memory, a pass does the same as without a file, and writes a new one.
func TestADamagedFileIsHarmless(t *testing.T) {
	path, damaged := filepath.Join(t.TempDir(), "s.json"), `{"format":1,"begun":[`
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := memory.Open(path, "s", time.Now())
	if err == nil {
		t.Error("it is read")
	}
	m.Forget(memory.LoggedIn{Where: "one/p1"})
	w := thingtest.New()
	e := engineOf(w)
	e.Memory = m
	if pass, _ := syncPass(t, w, e, "a", "b"); pass.Outcome() != plan.InSync || len(w.Things) != 2 {
		t.Errorf("%s: %v", failed(pass), w.Names())
	}
	if text, err := os.ReadFile(path); err != nil || string(text) == damaged {
		t.Errorf("%v, the file has %q", err, text)
	}
}
