package decide

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

// decision is a test case: an input, and the steps that a plan has to contain. repo and cloud are in the form that [thingtest.Filled]
// reads. A line of repo that begins with "kind: " is a manifest. alter changes the input.
type decision struct {
	repo, cloud []string
	kinds       []*kind.Kind // in addition to Thing and Flock
	alter       func(*world.Input)
	want        map[string]string // the result of [said] for the steps of each name
}

// day is the time of the decisions.
var day = time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC)

func decisions(t *testing.T, cases map[string]decision) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := Compute(c.input(t))
			got := map[string]string{}
			for _, s := range p.Steps {
				got[s.Key.Name] = strings.TrimPrefix(got[s.Key.Name]+"; "+said(s), "; ")
			}
			for _, name := range slices.Sorted(maps.Keys(got)) {
				if got[name] != c.want[name] {
					t.Errorf("%s: got %q, want %q", name, got[name], c.want[name])
				}
			}
			for name := range c.want {
				if got[name] == "" {
					t.Errorf("%s has no step", name)
				}
			}
		})
	}
}

func (c decision) input(t *testing.T) world.Input {
	t.Helper()
	w := thingtest.New()
	kinds := append([]*kind.Kind{w.Kind(), thingtest.Flock()}, c.kinds...)
	files := fstest.MapFS{}
	for i, line := range c.repo {
		text := line
		if !strings.HasPrefix(line, "kind: ") {
			text = thingtest.Manifest(line)
		}
		files[fmt.Sprintf("%03d.yaml", i)] = &fstest.MapFile{Data: []byte(text)}
	}
	reader := resolve.Reader{Kinds: kinds, Entries: resolve.Entries{Further: []string{"other"}}, Missing: true}
	reading, err := reader.Read(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	things := slices.DeleteFunc(slices.Clone(reading.Want), func(d kind.Desired) bool { return d.Key.Kind != "Thing" }) // a member may have the name of its worker
	thingtest.Fill(t, w, c.cloud, things)
	in := world.Input{Stack: "s", Kinds: kinds, Want: reading.Want, Have: w.Snapshot(), Rules: world.Rules{Replace: true}, Now: day, Past: world.Past{KnownIDs: map[string]string{}, Made: map[string]string{}, Begun: map[manifest.Key]bool{}}}
	if c.alter != nil {
		c.alter(&in)
	}
	return in
}

// item returns a Thing of the cloud, which a test may change.
func item(in *world.Input, name string) *kind.Live {
	items := in.Have["Thing"].Items
	return items[slices.IndexFunc(items, func(l *kind.Live) bool { return l.Name == name })]
}

// desired returns a Thing of the repository, which a test may change.
func desired(in *world.Input, name string) *kind.Desired {
	return &in.Want[slices.IndexFunc(in.Want, func(d kind.Desired) bool { return d.Key == thingtest.Key(name) })]
}

// said describes a step: its action, its further properties, and the codes of its causes. The fields that differ follow, then the objects that it
// waits for.
func said(s plan.Step) string {
	words := []string{string(s.Action)}
	for _, flag := range []struct {
		word string
		is   bool
	}{
		{"error", s.Error}, {"drift", s.Drift}, {"adopts", s.Adopts}, {"surplus", s.Surplus}, {"frozen", s.Frozen}, {"lost", s.Lost != ""}, {"unused", s.Unused}, {"healing", s.Healing},
		{"spare", s.Spare}, {"in-use", s.InUse}, {"of-suspended", s.OfSuspended}, {"of-this", s.ManifestUnchanged && s.Want != nil}, {"crowded", s.Crowded != ""}, {"sick", s.Sick != ""}, {"at-stake", s.DataAtStake}, {"loses", len(s.Loss) > 0}, {"follows", s.FollowsReference}, {"continues", s.Continues},
		{string(s.Obstacle), s.Obstacle != ""},
	} {
		if flag.is {
			words = append(words, flag.word)
		}
	}
	if s.From != "" {
		words = append(words, "from="+s.From)
	}
	if s.Within.Name != "" {
		words = append(words, "within="+s.Within.Name)
	}
	if s.LossAllowed != nil {
		words = append(words, fmt.Sprintf("loss-allowed=%t", *s.LossAllowed))
	}
	if codes := codesOf(s.Causes); len(codes) > 0 {
		words = append(words, ":", strings.Join(codes, " "))
	}
	fields := func(word string, list []kind.Change) {
		for i, c := range list {
			if i == 0 {
				words = append(words, word)
			}
			words = append(words, strings.TrimPrefix(strings.ReplaceAll(c.Field, " ", "-"), "spec.resource."))
		}
	}
	fields("changes", s.Changes)
	fields("ignores", s.Ignored)
	fields("aside", s.Uncounted)
	for i, note := range s.Notes {
		if i == 0 {
			words = append(words, "notes")
		}
		words = append(words, note.Field)
	}
	for i, key := range s.Awaits {
		if i == 0 {
			words = append(words, "after")
		}
		words = append(words, key.Name)
	}
	if len(s.Blockers) > 0 {
		words = append(words, "used by", strings.Join(s.Blockers, " "))
	}
	return strings.Join(words, " ")
}

// codesOf returns the codes of causes, each before the codes of the causes inside it.
func codesOf(list cause.List) (codes []string) {
	for _, c := range list {
		codes = append(codes, string(c.Code))
		for _, arg := range c.Args {
			switch arg := arg.(type) {
			case cause.Cause:
				codes = append(codes, codesOf(cause.List{}.And(arg))...)
			case cause.List:
				codes = append(codes, codesOf(arg)...)
			}
		}
	}
	return codes
}
