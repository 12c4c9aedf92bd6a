package all_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
)

const labelled = "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front}\nspec: {resource: {description: WORDS, tags: [TAGS]}}\n"

// labels is a network under test, whose labels contain its mark.
type labels struct {
	*testing.T
	g    *kindtest.Target
	c    *cloud.Client
	id   string
	body map[string]any
}

// sync makes the network equal to the manifest, reads it again, and expects this number of writing
// requests.
func (l *labels) sync(words, tags string, writes int64) engine.Pass {
	l.Helper()
	var count kindtest.Counter
	pass := l.g.SyncThrough(strings.NewReplacer("WORDS", words, "TAGS", tags).Replace(labelled), count.Wrap)
	if pass.Outcome() != plan.InSync || count.Writes.Load() != writes {
		l.Errorf("%s: %v after %d writes, want %d", pass.Outcome(), pass.Failures, count.Writes.Load(), writes)
	}
	l.id = pass.Last.Steps[0].ID()
	shown := status.Of(pass.Last, l.g.Engine(l.c).Kinds)[0].Status
	var answer struct{ Network map[string]any }
	if err := l.c.Do(l.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodGet, Path: "networks/" + l.id, Into: &answer}); err != nil {
		l.Fatal(err)
	}
	l.body = answer.Network
	if said, _ := shown.Resource.(table.Shown)["description"].(string); said != words {
		l.Errorf("the status says %+v, want %q", shown.Resource, words)
	}
	return pass
}

// holds checks whether the mark is in the description, and how many tags there are,
// the manifest's own included.
func (l *labels) holds(inDescription bool, tags int) {
	l.Helper()
	text := l.body["description"].(string)
	if got := strings.HasSuffix(text, "]") && strings.Contains(text, "[stackreeve:"+l.g.Stack+":Network/front stackreeve-applied:"); got != inDescription || len(l.body["tags"].([]any)) != tags {
		l.Errorf("description %q and tags %v, want a mark in the description: %t, and %d tags", text, l.body["tags"], inDescription, tags)
	}
}

// by changes the network as a person would.
func (l *labels) by(path string, body map[string]any) {
	l.Helper()
	if err := l.c.Do(l.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "networks/" + l.id + path, Body: body}); err != nil {
		l.Fatal(err)
	}
}

func newLabels(t *testing.T) *labels {
	l := &labels{T: t, g: kindtest.NewTarget(t, all.Kinds).MarksInDescriptions()}
	l.g.Only(strings.NewReplacer("WORDS", "x", "TAGS", "").Replace(labelled))
	l.c = l.g.Client(nil)
	return l
}

// A mark does not move between description and tags without need.
func TestCloudMarkStandsInTheDescription(t *testing.T) {
	l := newLabels(t)
	l.sync("in front", "", 1)
	l.holds(true, 0)
	l.sync("in front", "", 0)
	l.sync("behind", "", 1)
	l.holds(true, 0)
	l.sync("behind", "blue", 2)
	l.holds(true, 1)
	long := strings.Repeat("ä", 250)
	l.sync(long, "blue", 2)
	l.holds(false, 3)
	l.sync("behind", "blue", 2)
	l.holds(false, 3)
}

// If a new object has tags in its manifest, or a long description, its mark is in the tags.
func TestCloudMarkStandsInTheTags(t *testing.T) {
	l := newLabels(t)
	l.sync(strings.Repeat("ä", 200), "", 3)
	l.holds(false, 2)
	l.g.MustSync("")
	l.sync("in front", "blue", 3)
	l.holds(false, 3)
}

// Text that people write before a mark is drift. If they remove the mark or write a second one, the
// effect is the same as on any other object.
func TestCloudDescriptionsByHand(t *testing.T) {
	l := newLabels(t)
	l.sync("in front", "", 1)
	mark := strings.TrimPrefix(l.body["description"].(string), "in front ")
	wanted := strings.NewReplacer("WORDS", "in front", "TAGS", "").Replace(labelled)
	planned := func(description string) plan.Step {
		t.Helper()
		l.by("", map[string]any{"network": map[string]any{"description": description}})
		return l.g.Plan(wanted).Steps[0]
	}
	s := planned("by hand " + mark)
	if s.Action != plan.Update || !s.Drift || len(s.Changes) != 1 || s.Changes[0].Have != "by hand" || s.Changes[0].Want != "in front" {
		t.Errorf("%s, drift %t: %v", s.Action, s.Drift, s.Changes)
	}
	if s := planned("by hand"); s.Action != plan.Refuse || !s.Causes.Has(cause.NameAdoptable) {
		t.Errorf("%s: %s", s.Action, s.FullCause())
	}
	planned("in front " + mark)
	l.by("/tags", map[string]any{"tags": []string{"stackreeve:other:Network/front", "stackreeve-applied:x"}})
	if s := l.g.Plan(wanted).Steps[0]; s.Action != plan.Refuse || !s.Causes.Has(cause.Contested) {
		t.Errorf("%s: %s", s.Action, s.FullCause())
	}
	l.by("/tags", map[string]any{"tags": []string{}})
	l.sync("in front", "", 0)
}

// A mark of an earlier version counts as the stack's own. One request adds what it lacks, or it
// stays unchanged.
func TestCloudMarksOfEarlierVersions(t *testing.T) {
	l := newLabels(t)
	l.sync("in front", "", 1)
	text := l.body["description"].(string)
	owner, _, _ := strings.Cut(strings.TrimPrefix(text, "in front ["), " ")
	_, digest, _ := strings.Cut(strings.TrimSuffix(text, "]"), "stackreeve-applied:")
	for name, tt := range map[string]struct {
		description   string
		tags          []string
		writes        int64
		inDescription bool
	}{
		"half-made":                {"[" + owner + "]", nil, 1, true},
		"half-made, with tags":     {"[" + owner + "]", []string{owner, "stackreeve-applied:" + digest}, 1, false},
		"finished":                 {"in front", []string{owner, "stackreeve-applied:" + digest}, 0, false},
		"finished, another digest": {"in front", []string{owner, "stackreeve-applied:x"}, 1, false},
	} {
		if tt.tags == nil {
			tt.tags = []string{}
		}
		l.by("", map[string]any{"network": map[string]any{"description": tt.description}})
		l.by("/tags", map[string]any{"tags": tt.tags})
		if pass := l.sync("in front", "", tt.writes); pass.First.Steps[0].Drift {
			t.Errorf("%s: taken for somebody's change: %v", name, pass.First.Steps[0].Changes)
		}
		l.holds(tt.inDescription, len(tt.tags))
	}
}
