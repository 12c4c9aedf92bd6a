package group_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
	"github.com/stackreeve/stackreeve/internal/reconcile/thingtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// now is the time at which all plans are made.
var now = time.Date(2024, 2, 1, 0, 0, 0, 0, time.UTC)

// Each story has a repository, a cloud, further facts, and the expected parts of the plan that are about groups. The first line of the
// file says what the story shows.
func TestStories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/stories/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := map[string][]string{}
			for _, f := range archive.Files {
				part[f.Name] = strings.FieldsFunc(string(f.Data), func(r rune) bool { return r == '\n' })
			}
			golden := &archive.Files[len(archive.Files)-1]
			got := describe(decide.Compute(input(t, part)))
			if want := string(golden.Data); got != want && *update {
				golden.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// input returns the input of the plan that a story describes.
func input(t *testing.T, part map[string][]string) world.Input {
	c := newCast()
	want := c.wanted(t, part["repo"])
	real := slices.DeleteFunc(slices.Clone(want), func(d kind.Desired) bool { return d.Virtual })
	for _, line := range part["cloud"] {
		of := c.things
		if name, _, _ := strings.Cut(line, " "); strings.HasPrefix(name, "gate") {
			of = c.gates
		} else if strings.HasSuffix(name, "-flag") {
			of = c.flags
		}
		thingtest.Fill(t, of, []string{line}, real)
	}
	in := world.Input{Stack: "s", Commit: "c", Kinds: c.kinds(), Want: want, Rules: world.Rules{Replace: true}, Now: now, Past: world.Past{
		Sick: map[manifest.Key]rollout.Finding{}, Patients: map[manifest.Key]rollout.Patient{}, KnownIDs: map[string]string{},
		Seen: plan.Seen{Served: map[manifest.Key]plan.Served{}, Quiet: map[plan.Quiet]time.Time{}},
	}}
	in.Have = kind.Snapshot{"Thing": c.things.Snapshot()["Thing"], "Gate": c.gates.Snapshot()["Thing"], "Flag": c.flags.Snapshot()["Thing"]}
	for _, of := range []string{"Gate", "Flag"} {
		for i := range in.Have[of].Items {
			in.Have[of].Items[i].ID = of + "-" + in.Have[of].Items[i].ID
		}
	}
	f := facts{t: t, in: &in}
	for _, line := range part["facts"] {
		f.add(strings.Fields(line))
	}
	return in
}

// describe returns the parts of a plan that are about groups: codes and values, one on each line.
func describe(p plan.Plan) string {
	var b strings.Builder
	for i := range p.Steps {
		b.WriteString(describeStep(&p.Steps[i]))
	}
	for _, w := range p.Workloads {
		for _, n := range w.Notes {
			fmt.Fprintf(&b, "= %s: %s\n", w.Key, n.Text)
		}
	}
	for _, f := range p.Failing {
		var serving []string
		for _, s := range f.Serving {
			serving = append(serving, s.Key.Name)
		}
		fmt.Fprintf(&b, "= %s fails for %s, noted on %s, since %s, limit %s, recalled %t, serving %v, for %q, the same refused %t\n", f.Group, f.Member, f.Marked, ago(f.Since), f.Limit, f.Recalled, serving, f.Why, f.Digest == f.Refused)
	}
	for _, key := range slices.SortedFunc(maps.Keys(p.Seen.Served), manifest.Key.Compare) {
		fmt.Fprintf(&b, "= %s was seen to serve as %s until %s\n", key, p.Seen.Served[key].ID, ago(p.Seen.Served[key].Until))
	}
	var quiet []string
	for q, since := range p.Seen.Quiet {
		quiet = append(quiet, fmt.Sprintf("= %s sends nothing to %s since %s\n", q.Front, q.Member, ago(since)))
	}
	slices.Sort(quiet)
	return b.String() + strings.Join(quiet, "")
}

func describeStep(s *plan.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", s.Action, s.Key)
	say := func(is bool, format string, args ...any) {
		if is {
			fmt.Fprintf(&b, " "+format, args...)
		}
	}
	for _, c := range s.Causes {
		say(true, "%s", c.Code)
		if c.Code != "reported" {
			say(len(c.Args) > 0, "%v", c.Args)
		}
	}
	for _, c := range s.Changes {
		say(c.Field != kind.MarkField, "{%s: %v -> %v}", c.Field, c.Have, c.Want)
	}
	say(!s.Turn.IsZero(), "| turn %s %v", s.Turn.Code, s.Turn.Args)
	say(len(s.Awaits) > 0, "| after %v", s.Awaits)
	say(len(s.Judges) > 0, "| judged by %v", s.Judges)
	if s.Settles != nil {
		say(true, "| settles until %s, patience %s, failing %s, whom %q", ago(s.Settles.Until), s.Settles.Patience, ago(s.Settles.Failing), s.Settles.Member.Name)
	}
	say(s.Part != nil && s.Part.AtOnce > 0, "| %d away", awayOf(s.Part))
	say(s.Sick != "", "| sick: %s", s.Sick)
	say(s.Unanswering, "| unanswering")
	say(s.Healing, "| healing")
	say(s.Frozen, "| frozen")
	say(s.Drift, "| drift")
	say(s.Error, "| error")
	say(len(s.Uncounted) > 0, "| aside")
	b.WriteString("\n")
	return b.String()
}

func awayOf(p *plan.Part) int {
	if p == nil {
		return 0
	}
	return p.AtOnce
}

// ago returns a time relative to now; "never" for the zero time.
func ago(at time.Time) string {
	switch {
	case at.IsZero():
		return "never"
	case at.Before(now.AddDate(-1, 0, 0)):
		return "long ago"
	}
	return at.Sub(now).String()
}
