package comment

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

func stepOf(kind, name string, action plan.Action, changes ...kind.Change) plan.Step {
	return plan.Step{Key: manifest.Key{Kind: kind, Name: name}, Action: action, Comparison: plan.Comparison{Changes: changes}, Source: plan.Source{Origin: manifest.Origin{File: "a.yaml", Line: 4}}}
}

func TestTheOutcomeStandsOnTopOfThePlan(t *testing.T) {
	p := Page{Stack: "prod", Head: headCommit, Plan: &plan.Plan{Steps: []plan.Step{stepOf("Network", "front", plan.Create)}}}
	p.After = &report.Run{Err: errors.New("the cloud is away.")}
	got := p.Markdown()
	judge(t, got)
	before, after, ok := strings.Cut(got, "### `prod`: 1 to create")
	if !ok || !strings.HasPrefix(before, "### `prod`: not applied\n\nThe agent will try again: `the cloud is away`.\n") {
		t.Errorf("got\n%s", got)
	}
	if strings.Contains(after, "merge it") || !strings.Contains(after, "`Network/front`") {
		t.Errorf("after the merge, the plan reads\n%s", after)
	}
	p.After = &report.Run{Pass: &engine.Pass{Interrupted: true, Failures: []engine.Failure{{Causes: cause.List{cause.Of(cause.Tried, "no time")}}}}}
	if got := p.Markdown(); !strings.Contains(got, "interrupted; the next pass continues") || strings.Contains(got, "no time") {
		t.Errorf("an interrupted pass reads\n%s", got)
	}
}

func TestWhatIsWorseComesFirst(t *testing.T) {
	wipe := kind.Change{Field: "spec.resource.imageRef", Have: "a", Want: "b", Disruption: kind.Rebuild}
	reboot := kind.Change{Field: "spec.resource.flavorRef", Have: "a", Want: "b", Disruption: kind.Reboot}
	p := Page{Stack: "prod", Plan: &plan.Plan{Steps: []plan.Step{
		stepOf("Network", "drifted", plan.Keep, reboot), stepOf("Network", "waiting", plan.Wait), stepOf("Network", "created", plan.Create),
		stepOf("Server", "rebooted", plan.Update, reboot), stepOf("Network", "refused", plan.Refuse), stepOf("Server", "wiped", plan.Update, wipe), stepOf("Volume", "deleted", plan.Delete),
		stepOf("Network", "same", plan.Keep),
	}}}
	got := p.Markdown()
	at := -1
	for _, name := range []string{"2 to change (wipes the disk)", "wiped</code>: rebuilt: its disk is wiped, its addresses stay", "Volume/deleted", "Network/refused", "rebooted</code>: changed with a reboot", "Network/created", "Network/waiting", "Network/drifted"} {
		i := strings.Index(got, name)
		if i <= at {
			t.Errorf("%s does not come next", name)
		}
		at = max(at, i)
	}
	if strings.Contains(got, "Network/same") {
		t.Error("what stays as it is is shown")
	}
	if t.Failed() {
		t.Log(got)
	}
	ok, _ := p.Status()
	if ok {
		t.Error("a refused step passes")
	}
	want := []forge.Annotation{
		{File: "a.yaml", Line: 4, Rule: forge.RuleRefused, Level: forge.Grave, Title: "Network/refused", Message: "not done"},
		{File: "a.yaml", Line: 4, Rule: forge.RuleDestroyed, Level: forge.Warning, Title: "Server/wiped", Message: "rebuilt: its disk is wiped, its addresses stay (because of spec.resource.imageRef)"},
		{File: "a.yaml", Line: 4, Rule: forge.RuleDestroyed, Level: forge.Warning, Title: "Volume/deleted", Message: "deleted"},
	}
	list := p.Annotations()
	for i := range want {
		if i >= len(list) || list[i] != want[i] {
			t.Fatalf("annotations %+v, want %+v", list, want)
		}
	}
	if len(list) != len(want) {
		t.Errorf("annotations %+v, want %+v", list, want)
	}
}

func TestStatusesKeepWhatToDo(t *testing.T) {
	planned := &plan.Plan{Stack: "prod", Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "it would delete everything")}}, Steps: []plan.Step{stepOf("Volume", "a", plan.Delete)}}
	end := "; approve " + planned.Hash() + " to go on"
	if ok, text := (Page{Plan: planned}).Status(); ok || text != "1 to delete"+end {
		t.Errorf("held: %v, %q", ok, text)
	}
	if ok, text := (Page{Plan: planned, Approvals: []plan.Approval{{Hash: planned.Hash()}}}).Status(); !ok || text != "1 to delete; approved" {
		t.Errorf("approved: %v, %q", ok, text)
	}
	if got := fitStatus(strings.Repeat("x🎉", 200), end); !strings.HasSuffix(got, "…"+end) || len([]rune(got)) != forge.MaxDescription || strings.Contains(got, "🎉") {
		t.Errorf("got %q", got)
	}
	if ok, text := (Page{Err: "it conflicts with main"}).Status(); ok || text != "no plan: it conflicts with main" {
		t.Errorf("conflict: %v, %q", ok, text)
	}
	if ok, text := (Page{Plan: &plan.Plan{}}).Status(); !ok || text != "nothing to do" {
		t.Errorf("in sync: %v, %q", ok, text)
	}
}

func TestDriftThatIsOver(t *testing.T) {
	got := Drift{Stack: "prod", Commit: headCommit, Over: true}.Markdown()
	judge(t, got)
	if want := "### `prod`: no drift any more\n\nThe cloud matches `1f6b3c07aa` again"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestDriftOfReplacedObjectsSaysWhatItTook(t *testing.T) {
	s := stepOf("Server", "web", plan.Recreate, kind.Change{Field: "spec.resource.flavorRef", Have: "a", Want: "b", Disruption: kind.Replace})
	s.Loss = []string{"its local disk"}
	got := Drift{Stack: "prod", Corrected: true, Since: time.Unix(0, 0), Steps: []plan.Step{s}}.Markdown()
	judge(t, got)
	if !strings.Contains(got, "it was deleted and recreated, loses its local disk") || !strings.Contains(got, "### `prod`: 1 object drifted and was put back") {
		t.Errorf("got %s", got)
	}
}

func TestValuesAsDiffs(t *testing.T) {
	for _, c := range []struct {
		have, want any
		lines, sum string
	}{
		{"a", "b", `- "a"|+ "b"`, ""},
		{nil, 3, `+ 3`, ""},
		{true, nil, `- true`, ""},
		{[]string{"a", "b", "c"}, []string{"c", "d", "b"}, `- "a"|+ "d"|  2 more unchanged`, ""},
		{[]string{}, []string{"a"}, `- (empty)|+ "a"`, ""},
		{[]int{1, 2}, []int{2, 1}, `! in another order`, ""},
		{[]map[string]any{{"port": 80}}, []map[string]any{{"port": 80}, {"port": 443}}, `+ {"port":443}|  1 more unchanged`, ""},
		{map[string]string{"a": "1", "b": "2"}, map[string]string{"a": "1", "b": "3"}, `- b: "2"|+ b: "3"|  1 more unchanged`, ""},
		{"1\n2\n3\n4\n5\n", "1\n2\n3\nfour\n5\n", `  2|  3|- 4|+ four|  5|  `, ""},
		{"<b>", "&", `- "<b>"|+ "&"`, ""},
		{[]int{}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, `+ 1|+ 2|+ 3|+ 6 more`, "+9 (0 -> 9)"},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{0, 10}, `- 1|- 2|- 3|- 6 more|+ 10|  1 more unchanged`, "+1, -9 (10 -> 2)"},
	} {
		sum, lines := values(kind.Change{Have: c.have, Want: c.want}, nil)
		if got := strings.Join(append(lines, sum), "|"); got != c.lines+"|"+c.sum {
			t.Errorf("%v -> %v: got %s, want %s|%s", c.have, c.want, got, c.lines, c.sum)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"it would delete 4 of the 4 objects, more than the limit of 30%": "it would delete 4 of the 4 objects, more than the limit of 30%",
		"the name a_b is taken by @me; see https://x.example/y.":         "the name `a_b` is taken by `@me`; see `https://x.example/y`.",
		`{"a": 1} and more`:                          "`{\"a\"`: `1}` and more",
		"1. is no list, 1. is not":                   "`1`. is no list, 1. is not",
		"commit deadbeef1 closes #3 (and GH-7)":      "commit `deadbeef1` closes `#3` (and `GH-7`)",
		"don't `quote` me":                           "don't `` `quote` `` me",
		"two\nlines\tand \x1b[2J \u202ehidden\u200b": "two lines and `\\x1b[2J \\u202ehidden\\u200b`",
	} {
		if got := prose(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if got, want := proseHTML("a <b> & @me"), "a <code>&lt;b&gt; &amp; @me</code>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
