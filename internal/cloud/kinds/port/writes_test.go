package port_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// A new port takes one write if the create request accepts tags. Otherwise its mark takes two more.
func TestWritesOfANewPort(t *testing.T) {
	for name, tt := range map[string]struct {
		options simulator.Options
		writes  int64
	}{
		"tags later":              {simulator.Options{}, 3},
		"tags of ports on create": {simulator.Options{TagsOnPorts: true}, 1},
		"tags on create":          {simulator.Options{TagsOnCreate: true}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := kindtest.NewTargetOn(t, all.Kinds, &tt.options)
			g.MustSync(needs)
			var count kindtest.Counter
			pass := g.SyncThrough(needs+"---"+object, count.Wrap)
			if writes := count.Writes.Load(); pass.Outcome() != plan.InSync || writes != tt.writes {
				t.Errorf("%s after %d writes, want %d: %v", pass.Outcome(), writes, tt.writes, pass.Failures)
			}
		})
	}
}

// With sync.marks: descriptions, a port keeps its mark in the description where its create request could have tags, too. So its updates take one write.
func TestWritesOfAPortWithTheMarkInTheDescription(t *testing.T) {
	g := kindtest.NewTargetOn(t, all.Kinds, &simulator.Options{TagsOnPorts: true}).MarksInDescriptions()
	g.MustSync(needs)
	first := needs + "---" + strings.Replace(object, "    tags: [web, blue]\n", "", 1)
	for _, text := range []string{first, strings.Replace(first, "first web server", "moved", 1)} {
		var count kindtest.Counter
		if pass := g.SyncThrough(text, count.Wrap); pass.Outcome() != plan.InSync || count.Writes.Load() != 1 {
			t.Errorf("%s after %d writes: %v", pass.Outcome(), count.Writes.Load(), pass.Failures)
		}
	}
}
