package report

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/source"
)

func TestTheLogTellsNewsOnce(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(slog.New(slog.NewTextHandler(&b, nil)))
	lines := func(r Run) int {
		b.Reset()
		l.Ran(r)
		return strings.Count(b.String(), "\n")
	}
	one := source.Revision{Commit: "one"}
	synced := Run{Revision: one, Pass: &engine.Pass{}}
	wrote := Run{Revision: one, Pass: &engine.Pass{Results: []engine.Result{{}}}}
	refused := Run{Revision: one, Pass: &engine.Pass{}, Refused: &Refusal{Commit: "two", Problems: manifest.Problems{{What: "a"}, {What: "b"}}}}
	refusedWrote := refused
	refusedWrote.Pass = wrote.Pass
	away := Run{Revision: one, FetchErr: errors.New("away")}
	for i, c := range []struct {
		run  Run
		want int
	}{{synced, 1}, {synced, 0}, {wrote, 1}, {synced, 0}, {refused, 4}, {refused, 0}, {refusedWrote, 1}, {away, 1}, {away, 0}, {synced, 1}, {Run{Err: errors.New("x")}, 1}} {
		if got := lines(c.run); got != c.want {
			t.Errorf("look %d: %d lines, want %d:\n%s", i, got, c.want, b.String())
		}
	}
}

func TestTheLogNamesStepsAndDrift(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(slog.New(slog.NewTextHandler(&b, nil)))
	l.Planned(story(), preflight.Findings{})
	l.Finished(engine.Result{Step: plan.Step{Key: key("Server", "a"), Action: plan.Create}, Err: errors.New("no quota")})
	for _, want := range []string{"msg=planned", "msg=drift key=Subnet/blue", "msg=refused key=Router/main", `msg="step failed" key=Server/a action=create commit=0123456789`, `error="no quota"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), secret) {
		t.Error("a secret is logged")
	}
}

// Drift that a pass finds after its first plan has a line like other drift. The line says who caused it and when, even if the pass ends like the last one.
func TestTheLogNamesLateDrift(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(slog.New(slog.NewTextHandler(&b, nil)))
	steps := story().Steps
	late := steps[slices.IndexFunc(steps, func(s plan.Step) bool { return s.Key == key("Subnet", "blue") })]
	for range 2 {
		b.Reset()
		l.Ran(Run{Revision: source.Revision{Commit: "0123456789abcdef"}, Pass: &engine.Pass{LateDrift: []plan.Step{late}}})
		for _, want := range []string{"msg=drift key=Subnet/blue commit=0123456789 ", "by=mallory at=2026-03-01T13:58:00.000Z did=update"} {
			if strings.Count(b.String(), want) != 1 {
				t.Errorf("want one %q in\n%s", want, b.String())
			}
		}
	}
}

// A collection that the cloud refuses to list is named once for each commit.
func TestTheLogNamesRefusedLists(t *testing.T) {
	var b bytes.Buffer
	l := NewLog(slog.New(slog.NewTextHandler(&b, nil)))
	for _, commit := range []string{"one", "one", "two"} {
		l.Planned(plan.Plan{Commit: commit, Lists: plan.Lists{Refused: []string{"LoadBalancer: 403"}}}, preflight.Findings{})
	}
	if n := strings.Count(b.String(), `msg="not seen" commit=`); n != 2 || strings.Count(b.String(), `refused="LoadBalancer: 403"`) != 2 {
		t.Errorf("%d lines in\n%s", n, b.String())
	}
}

func TestMetricsCount(t *testing.T) {
	m := NewMetrics("v1")
	m.Request("network", "GET", 200, time.Second)
	m.Load("network", 0, 12)
	m.Load("s3", time.Second, 0) // has no limit
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	drift := plan.Plan{Steps: []plan.Step{{Key: key("Network", "a"), Action: plan.Update, Comparison: plan.Comparison{Drift: true}}, {Key: key("Network", "b"), Action: plan.Keep}}}
	ran := func(commit string, age time.Duration, pass engine.Pass) {
		m.Ran(Run{Stack: "s", Started: start, Took: 10 * time.Second, Pass: &pass, Revision: source.Revision{Commit: commit, Time: start.Add(-age)}})
	}
	ran("one", 1000*time.Hour, engine.Pass{})
	ran("two", 20*time.Second, engine.Pass{First: drift, Results: []engine.Result{{Step: drift.Steps[0]}, {Step: drift.Steps[0], Err: errors.New("x")}}})
	ran("two", 20*time.Second, engine.Pass{First: drift, Last: drift})
	m.Ran(Run{Stack: "s", Refused: &Refusal{}})
	want := `
# HELP stackreeve_applied_seconds Time from a commit to the moment when the cloud matched it.
# TYPE stackreeve_applied_seconds histogram
stackreeve_applied_seconds_bucket{stack="s",le="1"} 0
stackreeve_applied_seconds_bucket{stack="s",le="2"} 0
stackreeve_applied_seconds_bucket{stack="s",le="5"} 0
stackreeve_applied_seconds_bucket{stack="s",le="10"} 0
stackreeve_applied_seconds_bucket{stack="s",le="20"} 0
stackreeve_applied_seconds_bucket{stack="s",le="30"} 1
stackreeve_applied_seconds_bucket{stack="s",le="60"} 1
stackreeve_applied_seconds_bucket{stack="s",le="120"} 1
stackreeve_applied_seconds_bucket{stack="s",le="300"} 1
stackreeve_applied_seconds_bucket{stack="s",le="600"} 1
stackreeve_applied_seconds_bucket{stack="s",le="1200"} 1
stackreeve_applied_seconds_bucket{stack="s",le="3600"} 1
stackreeve_applied_seconds_bucket{stack="s",le="+Inf"} 1
stackreeve_applied_seconds_sum{stack="s"} 30
stackreeve_applied_seconds_count{stack="s"} 1
# HELP stackreeve_cloud_requests_allowed Requests to a service that may be in flight at the same time, after the last request to it.
# TYPE stackreeve_cloud_requests_allowed gauge
stackreeve_cloud_requests_allowed{service="network"} 12
# HELP stackreeve_cloud_requests_total Requests to OpenStack; code 0 when no answer came.
# TYPE stackreeve_cloud_requests_total counter
stackreeve_cloud_requests_total{code="200",method="GET",service="network"} 1
# HELP stackreeve_drifted_objects Objects whose difference no commit explained, at the last check.
# TYPE stackreeve_drifted_objects gauge
stackreeve_drifted_objects{stack="s"} 1
# HELP stackreeve_last_success_timestamp_seconds When the stack was last in sync.
# TYPE stackreeve_last_success_timestamp_seconds gauge
stackreeve_last_success_timestamp_seconds{stack="s"} 1.767323055e+09
# HELP stackreeve_objects Objects after the last pass, by the work that remains.
# TYPE stackreeve_objects gauge
stackreeve_objects{action="create",stack="s"} 0
stackreeve_objects{action="delete",stack="s"} 0
stackreeve_objects{action="detach",stack="s"} 0
stackreeve_objects{action="keep",stack="s"} 1
stackreeve_objects{action="refuse",stack="s"} 0
stackreeve_objects{action="replace",stack="s"} 0
stackreeve_objects{action="update",stack="s"} 1
stackreeve_objects{action="wait",stack="s"} 0
# HELP stackreeve_reconciles_total Runs of a stack, by how they ended.
# TYPE stackreeve_reconciles_total counter
stackreeve_reconciles_total{outcome="differences",stack="s"} 1
stackreeve_reconciles_total{outcome="in_sync",stack="s"} 2
stackreeve_reconciles_total{outcome="refused",stack="s"} 1
# HELP stackreeve_steps_total Steps carried out, by action and result.
# TYPE stackreeve_steps_total counter
stackreeve_steps_total{action="update",result="error",stack="s"} 1
stackreeve_steps_total{action="update",result="ok",stack="s"} 1
`
	err := testutil.GatherAndCompare(m.Registry, strings.NewReader(want), "stackreeve_applied_seconds", "stackreeve_cloud_requests_allowed", "stackreeve_cloud_requests_total", "stackreeve_drifted_objects",
		"stackreeve_last_success_timestamp_seconds", "stackreeve_objects", "stackreeve_reconciles_total", "stackreeve_steps_total")
	if err != nil {
		t.Error(err)
	}
}

// If an agent has lost a stack to another agent, it exports nothing about the stack's state. It does not count
// commits that the other agent has applied.
func TestMetricsForgetAStack(t *testing.T) {
	m := NewMetrics("v1")
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ran := func(stack, commit string, pass engine.Pass) {
		m.Ran(Run{Stack: stack, Started: start, Pass: &pass, Revision: source.Revision{Commit: commit, Time: start.Add(-1000 * time.Hour)}})
	}
	held := plan.Plan{Restraint: plan.Restraint{Held: cause.List{cause.Of(cause.Told, "too much")}}, Steps: []plan.Step{{Key: key("Network", "a"), Action: plan.Delete, Comparison: plan.Comparison{Drift: true}}}}
	ran("moves", "one", engine.Pass{})
	ran("moves", "one", engine.Pass{First: held, Last: held})
	ran("stays", "one", engine.Pass{})
	m.Forget("moves")
	gauges := []string{"stackreeve_drifted_objects", "stackreeve_held", "stackreeve_last_success_timestamp_seconds"}
	want := `
# HELP stackreeve_drifted_objects Objects whose difference no commit explained, at the last check.
# TYPE stackreeve_drifted_objects gauge
stackreeve_drifted_objects{stack="stays"} 0
# HELP stackreeve_held 1 while a plan is held until its hash is approved.
# TYPE stackreeve_held gauge
stackreeve_held{stack="stays"} 0
# HELP stackreeve_last_success_timestamp_seconds When the stack was last in sync.
# TYPE stackreeve_last_success_timestamp_seconds gauge
stackreeve_last_success_timestamp_seconds{stack="stays"} 1.767323045e+09
`
	if err := testutil.GatherAndCompare(m.Registry, strings.NewReader(want), gauges...); err != nil {
		t.Error(err)
	}
	ran("moves", "two", engine.Pass{})
	for name, want := range map[string]int{"stackreeve_objects": 16, "stackreeve_applied_seconds": 0, "stackreeve_reconciles_total": 3} {
		if got, err := testutil.GatherAndCount(m.Registry, name); got != want || err != nil {
			t.Errorf("%s has %d series, %v; want %d", name, got, err, want)
		}
	}
}

// Each outbox of a repository counts as long as it is in use.
func TestMetricsOfOutboxes(t *testing.T) {
	m := NewMetrics("v1")
	had := m.Undelivered("acme/config", func() int { return 3 })
	has := m.Undelivered("acme/config", func() int { return 4 })
	m.Forge("acme/config", forge.Exchange{Method: "GET", Route: "/", Left: 5})
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() {}, `stackreeve_forge_owed{repository="acme/config"} 7` + "\n" + `stackreeve_forge_requests_left{repository="acme/config"} 5`},
		{had, `stackreeve_forge_owed{repository="acme/config"} 4` + "\n" + `stackreeve_forge_requests_left{repository="acme/config"} 5`},
		{has, ""},
	} {
		step.do()
		got := ""
		for line := range strings.Lines(exposed(t, m)) {
			if strings.HasPrefix(line, "stackreeve_forge_owed") || strings.HasPrefix(line, "stackreeve_forge_requests_left") {
				got += line
			}
		}
		if strings.TrimSpace(got) != step.want {
			t.Errorf("got\n%s\nwant\n%s", got, step.want)
		}
	}
}

func exposed(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}
