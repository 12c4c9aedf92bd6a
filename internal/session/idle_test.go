package session

import (
	"fmt"
	"log/slog"
	"runtime"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// A stack that waits for its next pass keeps no kinds, and no answer to its login that other stacks have, too. Its client takes 12 KB; the kinds would take 130 KB, and the answer 50 KB.
func TestIdleStacksTakeLittleMemory(t *testing.T) {
	testcost.NotUnderRace(t)
	stage := servicetest.New(t, simulator.Options{})
	t.Setenv("OS_CLIENT_CONFIG_FILE", stage.Path("clouds.yaml"))
	o := Opener{Log: slog.New(slog.DiscardHandler), Shared: &Shared{}}
	var idle []login
	open := func(stacks int) {
		for range stacks {
			s := &config.Stack{Name: fmt.Sprint("stack-", len(idle))}
			s.Spec.Cloud = "demo"
			in, err := o.logIn(t.Context(), s, &defaults.Memory{})
			if err != nil {
				t.Fatal(err)
			}
			if pass := in.sync(t.Context(), engine.Revision{Commit: "c"}); len(pass.Failures) > 0 {
				t.Fatal(pass.Failures)
			}
			idle = append(idle, in)
		}
	}
	open(5) // the first ones pay for what all stacks share
	const more, most = 40, 24 << 10
	before := liveHeap(stage)
	open(more)
	after := liveHeap(stage)
	if each := (int64(after) - int64(before)) / more; each > most {
		t.Errorf("an idle stack takes %d bytes, want %d at most", each, most)
	} else {
		t.Logf("an idle stack takes %d bytes", each)
	}
	runtime.KeepAlive(idle)
}

// liveHeap returns the bytes of all objects in use, without the simulator's record of requests.
func liveHeap(stage *servicetest.Stage) uint64 {
	stage.Server.ResetRequests()
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one leaves what pools hold
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
