package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// For any repository and any cloud, a few passes reach a state that does not change any more, and every object that existed and has a
// manifest still exists. One pass is not always enough, because it does not replace objects that the cloud was still building when it
// started.
func TestPassesOfAnyWorld(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		repo, cloud := thingtest.Lines(rt)
		h := newHerd()
		h.Delay = rapid.IntRange(0, 2).Draw(rt, "delay")
		want, err := h.Wanted(repo...)
		if err != nil {
			rt.Fatalf("%q: %v", repo, err)
		}
		thingtest.Fill(t, h.World, cloud, want)
		bubble(t, rt, func() error {
			first := h.engine.Sync(context.Background(), Revision{Want: want})
			last := first
			for range 15 {
				last = engineWith(h).Sync(context.Background(), Revision{Want: want})
			}
			writes := h.Writes
			if again := engineWith(h).Sync(context.Background(), Revision{Want: want}); h.Writes != writes {
				return fmt.Errorf("%q and %q: a further pass wrote %s after %s", repo, cloud, told(again), told(last))
			}
			if err := nothingLost(first, last); err != nil {
				return fmt.Errorf("%q and %q: %w", repo, cloud, err)
			}
			return nil
		})
	})
}

// nothingLost reports objects that manifests want and that were usable before the first pass, but are missing after the last one. It
// ignores spares, because these are created and deleted all the time.
func nothingLost(first, last Pass) error {
	after, there := map[manifest.Key]bool{}, map[string]bool{}
	for _, s := range last.Last.Steps {
		after[s.Key], there[s.ID()] = after[s.Key] || s.Have != nil, true
	}
	for _, s := range first.First.Steps {
		if s.Have == nil || s.Have.Copied != "" || s.Unmanaged() {
			continue
		}
		isWanted := slices.ContainsFunc(first.want, func(d kind.Desired) bool { return d.Key == s.Key })
		if isWanted && s.Have.Phase.Usable() && !strings.Contains(s.Key.Name, "-spare-") && !after[s.Key] && !there[s.ID()] {
			return fmt.Errorf("%s is gone: %s\nand %s", s.Key, told(first), told(last))
		}
	}
	return nil
}

// told returns a text with the steps, the results and the failures of a pass.
func told(pass Pass) (text string) {
	text = pass.Outcome().String()
	for _, s := range pass.First.Steps {
		text += fmt.Sprintf("\nfirst %s %s %s: %s %v %v", s.Action, s.Key.Name, s.ID(), s.FullCause(), s.Awaits, s.Blockers)
	}
	for _, r := range pass.Results {
		text += fmt.Sprintf("\ndid %s %s %s: %v", r.Step.Action, r.Step.Key.Name, r.Step.ID(), r.Err)
	}
	for _, s := range pass.Last.Steps {
		text += fmt.Sprintf("\nlast %s %s %s: %s %v %v", s.Action, s.Key.Name, s.ID(), s.FullCause(), s.Awaits, s.Blockers)
	}
	return fmt.Sprintf("%s\n%v", text, pass.Failures)
}
