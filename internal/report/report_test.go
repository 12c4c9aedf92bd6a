package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/source"
)

var update = flag.Bool("update", false, "write the golden files again")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s\nwant:\n%s", file, got, want)
	}
}

func key(kind, name string) manifest.Key {
	return manifest.Key{Group: "openstack.k-orc.cloud", Kind: kind, Namespace: "default", Name: name}
}

func at(line int) manifest.Origin { return manifest.Origin{File: "web.yaml", Line: line} }

var revision = source.Revision{Commit: "0123456789abcdef0123456789abcdef01234567", Branch: "main", Subject: "Move the web tier"}

const secret = "sha256-of-a-password"

// story returns a plan with every sort of step.
func story() plan.Plan {
	group, vm := key("VirtualMachineGroup", "web"), key("VirtualMachine", "web-1")
	return plan.Plan{
		Stack: "prod", Commit: revision.Commit, Stock: plan.Stock{Owned: 20},
		Workloads: []plan.Workload{
			{Key: key("Secret", "login"), Origin: at(1), Data: true},
			{Key: group, Origin: at(10), Notes: []kind.Note{{Field: "spec.rackspread", Text: "is not known to OpenStack; has no effect"}}},
			{Key: vm, Parent: group, Origin: at(10)},
		},
		Steps: []plan.Step{
			{Key: key("Network", "front"), Action: plan.Keep, Source: plan.Source{Origin: at(30)}},
			{Key: key("Network", "new"), Action: plan.Create, Source: plan.Source{Origin: at(40)}},
			{Key: key("Network", "gone"), Action: plan.Create, Source: plan.Source{Origin: at(42)}, Comparison: plan.Comparison{Drift: true, Trace: &kind.Trace{}}},
			{Key: key("Port", "web-1"), Action: plan.Create, Source: plan.Source{Parent: vm, Origin: at(10)}},
			{Key: key("Server", "web-1"), Action: plan.Recreate, Source: plan.Source{Parent: vm, Origin: at(10)}, Causes: cause.List{cause.Of(cause.Reported, "spec.resource.imageRef cannot be changed in place")},
				Comparison: plan.Comparison{Changes: []kind.Change{
					{Field: "spec.resource.imageRef", Have: "debian-11", Want: "debian-12", Disruption: kind.Replace},
					{Field: "spec.resource.adminPass", Have: secret, Want: secret + "2", Secret: true},
					{Field: kind.MarkField, Have: "a", Want: "b"},
				}}},
			{Key: key("Volume", "web-1"), Action: plan.Keep, Source: plan.Source{Parent: vm, Origin: at(10)}},
			{Key: key("Subnet", "blue"), Action: plan.Update, Source: plan.Source{Origin: at(50)}, Comparison: plan.Comparison{Drift: true, Trace: &kind.Trace{Who: "mallory", What: "update", When: time.Date(2026, 3, 1, 13, 58, 0, 0, time.UTC)}, Changes: []kind.Change{
				{Field: "spec.resource.description", Have: "was `quoted` \x1b[2J\u202e", Want: nil},
				{Field: "spec.resource.dnsNameservers", Have: []string{}, Want: []string{"192.0.2.1"}},
				{Field: "spec.resource.enableDHCP", Have: strings.Repeat("x", 300), Want: true, Disruption: kind.Reboot},
			}}},
			{Key: key("Subnet", "red"), Action: plan.Update, Source: plan.Source{Origin: at(55)}, Comparison: plan.Comparison{Changes: []kind.Change{{Field: kind.MarkField, Have: "a", Want: "b"}}}},
			{Key: key("Subnet", "drifted"), Action: plan.Keep, Source: plan.Source{Origin: at(60)}, Comparison: plan.Comparison{Drift: true, Trace: &kind.Trace{When: time.Date(2026, 3, 1, 13, 58, 0, 0, time.UTC)}, Changes: []kind.Change{{Field: "spec.resource.name", Have: "a", Want: "b"}}}, Causes: cause.List{cause.Of(cause.Reported, "only reported")}},
			{Key: key("Image", "debian"), Action: plan.Wait, Source: plan.Source{Origin: at(65)}, Causes: cause.List{cause.Of(cause.Reported, "the cloud has no image named debian; similar names are debian-11, debian-12")}, Error: true,
				Remarks: plan.Remarks{Notes: []kind.Note{{Field: "spec.import.filter.visibility", Text: "is ignored"}}}},
			{Key: key("Router", "main"), Action: plan.Refuse, Source: plan.Source{Origin: at(70)}, Causes: cause.List{cause.Of(cause.Reported, "the name main is taken by 4711, which stack prod did not make")}},
			{Key: key("Port", "old-1"), Action: plan.Delete, Causes: cause.List{cause.Of(cause.Reported, "no longer in the repository")}},
			{Key: key("Network", "old"), Action: plan.Delete, Causes: cause.List{cause.Of(cause.Reported, "no longer in the repository")}, Order: plan.Order{Blockers: []string{"old-1", "old-2", "old-3", "old-4"}}},
		},
		Lists:     plan.Lists{Unlisted: []string{"LoadBalancer: GET /v2/lbaas/loadbalancers: 503"}},
		Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "the plan would delete or replace 3 of the 20 objects that the stack owns, more than the limit of 10%")}},
	}
}

func TestPlansAsPeopleReadThem(t *testing.T) {
	for name, color := range map[string]bool{"plan.txt": false, "plan-color.txt": true} {
		var b bytes.Buffer
		Text{W: &b, Color: color, Approve: "stackreeve run --once --stack prod --approve"}.Plan(story(), preflight.Findings{}, revision)
		golden(t, name, b.String())
		if strings.Contains(b.String(), secret) {
			t.Error("a secret is printed")
		}
	}
	var b bytes.Buffer
	Text{W: &b}.Plan(plan.Plan{Stack: "prod", Steps: []plan.Step{{Key: key("Network", "a"), Action: plan.Keep}}}, preflight.Findings{}, source.Revision{})
	if want := "stack prod\n\nIn sync; 1 object unchanged.\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestPlansForPrograms(t *testing.T) {
	var j bytes.Buffer
	if err := JSON(&j, Document(story(), preflight.Findings{}, revision)); err != nil {
		t.Fatal(err)
	}
	golden(t, "plan.json", j.String())
	if strings.Contains(j.String(), secret) {
		t.Error("a secret is printed")
	}
}

func TestPassesInWords(t *testing.T) {
	done := func(a plan.Action, err error) engine.Result {
		return engine.Result{Step: plan.Step{Key: key("Server", "a"), Action: a}, Err: err, Took: 1500 * time.Millisecond}
	}
	for _, c := range []struct {
		name string
		pass engine.Pass
		want string
	}{
		{"nothing", engine.Pass{Stack: "s", Took: time.Second}, "stack s: in sync (1s)\n"},
		{"replaced", engine.Pass{Stack: "s", Took: 90 * time.Second, Results: []engine.Result{
			done(plan.Recreate, nil), done(plan.Create, nil), done(plan.Create, nil), done(plan.Update, errors.New("no"))}},
			"stack s: in sync: 1 created, 1 replaced (1m30s)\n"},
		{"failed", engine.Pass{Stack: "s", Failures: []engine.Failure{{Key: key("Server", "a"), Origin: at(3), Causes: cause.List{cause.Of(cause.Tried, "quota\x1b")}, Dependents: []manifest.Key{key("FloatingIP", "f")}}}},
			"failed: web.yaml:3: Server/a: quota\\x1b (1 object waiting for it: FloatingIP/f)\nstack s: failed (0s)\n"},
		{"interrupted", engine.Pass{Stack: "s", Interrupted: true, Failures: []engine.Failure{{Causes: cause.List{cause.Of(cause.Tried, "x")}}}}, "stack s: interrupted (0s)\n"},
		{"held", engine.Pass{Stack: "s", First: plan.Plan{Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "x")}}}, Last: plan.Plan{Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "x")}}}}, "stack s: held, nothing was changed (0s)\n"},
		{"news", engine.Pass{Stack: "s",
			First: plan.Plan{Steps: []plan.Step{{Key: key("Server", "a"), Action: plan.Wait}, {Key: key("Server", "b"), Action: plan.Refuse}}},
			Last: plan.Plan{Steps: []plan.Step{{Key: key("Server", "a"), Action: plan.Recreate, Causes: cause.List{cause.Of(cause.Reported, "failed: no disk")}},
				{Key: key("Server", "b"), Action: plan.Refuse}, {Key: key("Server", "c"), Action: plan.Keep}}}},
			"left: -/+ Server/a  replace: deleted and recreated; failed: no disk\nstack s: differences remain (0s)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			Text{W: &b}.Pass(c.pass)
			if b.String() != c.want {
				t.Errorf("got %q, want %q", b.String(), c.want)
			}
		})
	}
}
