package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/reconcile/status"
	"github.com/stackreeve/stackreeve/internal/source"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// hostile contains texts that strangers can write in many places.
var hostile = []string{
	"\x1b[2J\x1b]0;x\a", "a\n::error::b", "a\r\n  ::set-output name=x::y", "\u202egnp\u2066", "z\u200bw\ufeff\u00ad", "\U000e0041", "\u009b31m\x7f",
	"##[error]x", "##vso[task.setvariable variable=x]y", "e" + strings.Repeat("\u0301", 99), "\xff\xfe", "x; all is well, nothing to do", "日本語", strings.Repeat("long ", 5000),
}

var (
	unsafe = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{ad}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}\x{e0000}-\x{e0fff}]|\x{301}{9}|(?m)^\s*::|##[a-z]*\[`)
)

func wantPrintable(t *testing.T, how, from, text string) {
	t.Helper()
	if found := unsafe.FindString(text); found != "" {
		t.Errorf("%s: of %q %q is left in\n%q", how, from, found, text)
	}
}

// hostilePlan returns a plan that contains the text in every field for texts.
func hostilePlan(text string) plan.Plan {
	k, o := key("Network", text), manifest.Origin{File: text, Line: 3}
	notes := []kind.Note{{Field: text, Text: text}}
	step := plan.Step{Key: k, Source: plan.Source{Origin: o}, Action: plan.Update, Causes: cause.List{cause.Of(cause.Reported, text)}, Order: plan.Order{Blockers: []string{k.String()}}, Remarks: plan.Remarks{Notes: notes},
		Comparison: plan.Comparison{Changes: []kind.Change{{Field: text, Have: text, Want: map[string]any{text: []any{text}}}}}}
	refused, gone := step, step
	refused.Action, refused.Key.Namespace, gone.Action, gone.Awaits = plan.Refuse, text, plan.Delete, []manifest.Key{k}
	return plan.Plan{Stack: "s", Steps: []plan.Step{step, refused, gone}, Lists: plan.Lists{Unlisted: []string{text}, Refused: []string{text}}, Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, text)}},
		Workloads: []plan.Workload{{Key: key(text, text), Origin: o, Notes: notes}}}
}

func TestAttackPlanAndPassWithHostileText(t *testing.T) {
	for _, text := range hostile {
		plan := hostilePlan(text)
		rev := source.Revision{Commit: "0123", Branch: text, Subject: text, Author: text}
		var b bytes.Buffer
		to := Text{W: &b, Approve: "stackreeve run --config '" + text + "' --approve"}
		to.Plan(plan, preflight.Findings{}, rev)
		to.Pass(engine.Pass{Stack: "s", First: plan, Failures: []engine.Failure{{Key: plan.Steps[0].Key, Origin: plan.Steps[0].Origin, Causes: cause.List{cause.Of(cause.Tried, text)}, Dependents: []manifest.Key{key(text, text)}}}})
		to.Problems(manifest.Problems{{Origin: manifest.Origin{File: text, Line: 1}, Key: key(text, text), Field: text, What: text, Fix: text}})
		l := NewLines(&b, "", func() source.Revision { return rev }, to)
		l.Finished(engine.Result{Step: plan.Steps[0], Err: errors.New(text)})
		live := NewLive(&b, func() (int, int) { return 80, 24 }, func() source.Revision { return rev }, to)
		live.progress = engine.Progress{Total: 1, Doing: []engine.Activity{engine.ActivityOf(&plan.Steps[0], time.Time{})}, Waiting: []engine.Activity{engine.ActivityOf(&plan.Steps[1], time.Time{})}}
		b.WriteString(strings.Join(live.block(time.Now(), 0, 8), "\n"))
		for line := range strings.Lines(b.String()) {
			// CI systems read ::error:: at the beginning of a line as a command. The last writer before the terminal makes that
			// harmless. Here, only characters that a terminal would obey are looked for.
			wantPrintable(t, "text", text, line)
		}
	}
}

func TestAttackDocumentsWithHostileText(t *testing.T) {
	testcost.Long(t)
	for _, text := range hostile {
		planned := hostilePlan(text)
		var b bytes.Buffer
		if err := JSON(&b, Document(planned, preflight.Findings{}, source.Revision{Branch: text})); err != nil {
			t.Fatal(err)
		}
		wantPrintable(t, "json", text, b.String())
		var back struct{ Held string }
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Held != strings.ReplaceAll(text, "\xff\xfe", "\ufffd\ufffd") {
			t.Errorf("%q came back as %q: %v", text, back.Held, err)
		}
		o := status.Object{APIVersion: "v1", Kind: "Network"}
		o.Metadata.Name = text
		o.Status = status.Status{ID: text, State: status.State(text), WaitsFor: text, Message: text, Addresses: []string{text, text},
			Changes: []kind.Change{{Field: text, Have: text, Want: text}}, LeftAlone: []kind.Change{{Field: text, Have: text}},
			Notes: []kind.Note{{Field: text, Text: text}}, Origin: &status.Origin{File: text, Line: 1}, Resource: map[string]any{text: text},
			LastChange: &status.Touch{Commit: text, Author: text, Time: text, Subject: text}}
		o.Spec = map[string]any{text: []any{text}}
		o.Metadata.Labels = map[string]string{text: text}
		o.Status.Conditions = []status.Condition{{Status: text, Reason: text, Message: text}, {Status: "True", Reason: text, Message: text}}
		list := []status.Object{o}
		b.Reset()
		view := StatusView{Plan: planned, Rev: source.Revision{Commit: text, Branch: text, Subject: text, Author: text}, Cloud: text, Region: text,
			LastPass: &LastPass{State: text, Description: text}, Objects: list}
		if err := YAML(&b, StatusDocument([]StatusView{view}, StatusFilter{})); err != nil {
			t.Fatal(err)
		}
		wantPrintable(t, "yaml", text, b.String())
		var again struct {
			Items []struct{ Status struct{ ID string } }
		}
		if err := yaml.Unmarshal(b.Bytes(), &again); err != nil || again.Items[0].Status.ID != strings.ReplaceAll(text, "\xff\xfe", "\ufffd\ufffd") {
			t.Errorf("%q came back as %.300q: %v", text, b.String(), err)
		}
		b.Reset()
		b.WriteString((StatusText{Width: 60}).table(StatusText{}.rows(list)))
		if lines := strings.Count(b.String(), "\n"); lines != 2 {
			t.Errorf("%q makes a table of %d lines", text, lines)
		}
		to := StatusText{Text: Text{W: &b}}
		to.Stack(view, StatusFilter{})
		to.Describe(view, StatusFilter{})
		view.LastPass, view.WhyUnknown = nil, text
		to.Stack(view, StatusFilter{})
		for line := range strings.Lines(b.String()) {
			wantPrintable(t, "status", text, line)
		}
	}
}

func TestAttackLogsWithHostileText(t *testing.T) {
	for _, text := range hostile {
		for _, asJSON := range []bool{false, true} {
			var b bytes.Buffer
			log := slog.New(NewHandler(&b, asJSON, slog.LevelDebug))
			log.With("stack", text).WithGroup("g").Info(text, "key", text, "error", errors.New(text), "list", []string{text}, "any", struct{ A string }{text})
			NewLog(log).Planned(hostilePlan(text), preflight.Findings{})
			wantPrintable(t, "log", text, b.String())
			for line := range strings.Lines(b.String()) {
				if asJSON && !json.Valid([]byte(line)) {
					t.Errorf("%q: not JSON: %q", text, line)
				}
			}
			b.Reset()
			if log.Info("x", "error", errors.New(text)); b.Len() > 4000*6+200 {
				t.Errorf("a record of %d bytes", b.Len())
			}
		}
	}
}

// A name that looks like a sentence of Stackreeve is shown in quotes.
func TestAttackNameThatReadsAsProse(t *testing.T) {
	const name = "x; all is well, nothing to do"
	plan := hostilePlan(name)
	var b bytes.Buffer
	to := Text{W: &b}
	to.Plan(plan, preflight.Findings{}, source.Revision{Commit: "1", Branch: "x);in-sync("})
	to.Problems(manifest.Problems{{Origin: manifest.Origin{File: name + ".yaml", Line: 1}, What: "wrong"}})
	for _, want := range []string{`~ Network/"x; all is well, nothing to do"`, `after Network/"x; all is well, nothing to do"`, `("x);in-sync(")`, `"x; all is well, nothing to do.yaml":1: wrong`, `"x; all is well, nothing to do":3`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
