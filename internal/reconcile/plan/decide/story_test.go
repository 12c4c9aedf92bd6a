package decide

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/guard"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each story has a repository, a cloud and the plan that results from them. The first line of the file says what the story
// shows.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runStory(t, file) })
	}
}

func runStory(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]*txtar.File{}
	for i := range archive.Files {
		part[archive.Files[i].Name] = &archive.Files[i]
	}
	got := planText(t, lines(part["repo"]), lines(part["cloud"]), lines(part["options"]))
	if *update {
		part["plan"].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(part["plan"].Data); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func lines(f *txtar.File) []string {
	if f == nil || strings.TrimSpace(string(f.Data)) == "" {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(f.Data)), "\n")
}

// planText returns the plan of a story, with one line for each step.
func planText(t *testing.T, repo, cloud, options []string) string {
	p, err := planned(t, repo, cloud, options)
	if err != nil {
		return err.Error() + "\n"
	}
	return write(p)
}

func planned(t *testing.T, repo, cloud, options []string) (plan.Plan, error) {
	w := thingtest.New()
	w.Data = slices.Contains(options, "data")
	w.Absent = slices.Contains(options, "missing")
	want, err := w.Wanted(repo...)
	if err != nil {
		return plan.Plan{}, err
	}
	thingtest.Fill(t, w, cloud, want)
	in := world.Input{Stack: "s", Kinds: []*kind.Kind{w.Kind()}, Want: want, Rules: world.Rules{Replace: true}, Past: world.Past{Made: map[string]string{}}}
	var policies []plan.Policy
	limits := guard.Limits{All: limit(t, "100%")}
	for _, o := range options {
		switch word, value, _ := strings.Cut(o, " "); word {
		case "unlisted":
			w.ListErr = errors.New("network: GET /v2.0/things: 503 down for maintenance")
		case "refuse-replace":
			in.Replace = false
		case "request":
			in.Requested.Targets = append(in.Requested.Targets, plan.Target{Kind: "Thing", Namespace: "default", Name: value})
		case "synced":
			in.Synced = true
		case "lost": // the value is a name, and the ID that its object had
			name, id, _ := strings.Cut(value, " ")
			in.KnownIDs = map[string]string{manifest.Key{Group: "test", Kind: "Thing", Namespace: "default", Name: name}.String(): id}
		case "made": // the object was created by this process, which has not seen it usable
			for _, thing := range w.Things {
				if thing.Name == value {
					in.Made[thingtest.Key(value).String()] = thing.ID
				}
			}
		case "report":
			policies = append(policies, guard.ReportDrift(value != "annotated"))
		case "data":
			limits.DataLoss = limits.DataLoss || value == "may be lost"
		case "cautious":
			policies = append(policies, guard.Cautious)
		case "no-prune":
			policies = append(policies, guard.NoPrune)
		case "limit":
			limits.All = limit(t, value)
		case "limit-kind":
			kind, text, _ := strings.Cut(value, " ")
			limits.Kinds = map[string]guard.Limit{kind: limit(t, text)}
		}
	}
	in.Have = w.Snapshot()
	return Compute(in).Apply(append(policies, guard.Brake(limits, nil))...), nil
}

func limit(t *testing.T, text string) guard.Limit {
	t.Helper()
	l, err := guard.ParseLimit(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func write(p plan.Plan) string {
	var b strings.Builder
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%s %s", s.Action, s.Key.Name)
		if s.FullCause() != "" {
			fmt.Fprintf(&b, ": %s", s.FullCause())
		}
		if len(s.Awaits) > 0 {
			fmt.Fprintf(&b, " [after %v]", s.Awaits)
		}
		if len(s.Blockers) > 0 {
			fmt.Fprintf(&b, " [used by %v]", s.Blockers)
		}
		if s.Drift {
			b.WriteString(" (drift)")
		}
		b.WriteString("\n")
		for _, c := range s.Changes {
			if c.Field != kind.MarkField {
				fmt.Fprintf(&b, "  %s: %v -> %v (%s)\n", c.Field, c.Have, c.Want, strings.TrimSpace(c.Way+" "+c.Disruption.String()))
			}
		}
		if len(s.Loss) > 0 {
			fmt.Fprintf(&b, "  loses %s\n", strings.Join(s.Loss, " and "))
		}
		for _, c := range s.Ignored {
			fmt.Fprintf(&b, "  ignored: %s: the cloud has %v\n", c.Field, c.Have)
		}
	}
	if p.Held != nil {
		fmt.Fprintf(&b, "held: %s\n", p.Held)
	}
	fmt.Fprintf(&b, "= %s; %s\n", p.Summary(), p.Outcome())
	return b.String()
}
