package report

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Metrics counts the results of stacks for Prometheus. It is a sink.
type Metrics struct {
	Registry *prometheus.Registry

	reconciles *prometheus.CounterVec
	steps      *prometheus.CounterVec
	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	waits      *prometheus.HistogramVec
	allowed    *prometheus.GaugeVec
	passes     *prometheus.HistogramVec
	applied    *prometheus.HistogramVec
	drifted    *prometheus.GaugeVec
	success    *prometheus.GaugeVec
	objects    *prometheus.GaugeVec
	held       *prometheus.GaugeVec
	verified   *prometheus.GaugeVec
	forges     *prometheus.CounterVec
	budget     *prometheus.GaugeVec
	webhooks   *prometheus.CounterVec
	plans      *prometheus.HistogramVec
	traces     *prometheus.CounterVec
	owed       *undelivered

	notifications *prometheus.CounterVec
	reading       *prometheus.GaugeVec
	looks         *prometheus.CounterVec

	mu     sync.Mutex
	commit map[string]string // the last commit in sync, by stack
}

// NewMetrics registers all metrics in a new registry.
func NewMetrics(version string) *Metrics {
	m := &Metrics{Registry: prometheus.NewRegistry(), owed: newUndelivered(), commit: map[string]string{}}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stackreeve_" + name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "stackreeve_" + name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "stackreeve_" + name, Help: help, Buckets: buckets}, labels)
	}
	minutes := []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600}
	m.reconciles = counter("reconciles_total", "Runs of a stack, by how they ended.", "stack", "outcome")
	m.steps = counter("steps_total", "Steps carried out, by action and result.", "stack", "action", "result")
	m.requests = counter("cloud_requests_total", "Requests to OpenStack; code 0 when no answer came.", "service", "method", "code")
	m.durations = histogram("cloud_request_seconds", "How long requests to OpenStack took.", prometheus.DefBuckets, "service", "method")
	m.waits = histogram("cloud_wait_seconds", "How long requests to OpenStack waited because of the load of their service.", prometheus.DefBuckets, "service")
	m.allowed = gauge("cloud_requests_allowed", "Requests to a service that may be in flight at the same time, after the last request to it.", "service")
	m.passes = histogram("pass_seconds", "How long passes took.", minutes, "stack")
	m.applied = histogram("applied_seconds", "Time from a commit to the moment when the cloud matched it.", minutes, "stack")
	m.drifted = gauge("drifted_objects", "Objects whose difference no commit explained, at the last check.", "stack")
	m.success = gauge("last_success_timestamp_seconds", "When the stack was last in sync.", "stack")
	m.objects = gauge("objects", "Objects after the last pass, by the work that remains.", "stack", "action")
	m.held = gauge("held", "1 while a plan is held until its hash is approved.", "stack")
	m.verified = gauge("verified", "1 if the newest commit is signed as the configuration wants, 0 if it is refused; signer is who signed the revision in force. Absent without verify.", "stack", "signer")
	m.forges = counter("forge_requests_total", "Requests to forges; code 0 when no answer came, 304 when nothing had changed, limited when none was sent.", "repository", "method", "route", "code")
	m.budget = gauge("forge_requests_left", "Requests to the forge that the budget of this hour still allows.", "repository")
	m.webhooks = counter("webhooks_total", "Messages from forges, by their result; cloud for alarms of the cloud.", "forge", "outcome")
	m.plans = histogram("pull_plan_seconds", "How long plans of pull requests took, by their result.", prometheus.DefBuckets, "stack", "result")
	m.traces = counter("traces_total", "Traces of passes, by their result: sent, failed, or dropped because too many waited.", "outcome")
	m.notifications = counter("notifications_total", "Notifications of the cloud's services, by what follows: now or later (a stack looks), unrelated, no_change, unreadable; missed when some may be lost.", "outcome")
	m.looks = counter("looks_total", "Looks of stacks at changed collections, by their result: same (no pass is needed), changed, unknown (any collection may have changed), failed (a list).", "result")
	m.reading = gauge("notifications_read", "1 while notifications of a virtual host of RabbitMQ are read. While it is 0, changes are noticed by drift checks only.", "vhost")
	build := gauge("build_info", "The version that runs.", "version")
	build.WithLabelValues(version).Set(1)
	m.Registry.MustRegister(m.reconciles, m.steps, m.requests, m.durations, m.waits, m.allowed, m.passes, m.applied, m.drifted, m.success, m.objects, m.held, m.verified, m.forges, m.budget, m.webhooks, m.plans, m.traces, m.owed, m.notifications, m.reading, m.looks, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Request counts one request to the cloud.
func (m *Metrics) Request(service, method string, code int, took time.Duration) {
	m.requests.WithLabelValues(service, method, codeLabel(code)).Inc()
	m.durations.WithLabelValues(service, method).Observe(took.Seconds())
}

// Load stores how long a request to the cloud waited before it was sent, and how many requests may be in flight; 0 if there is no limit.
func (m *Metrics) Load(service string, waited time.Duration, allowed int) {
	if allowed > 0 {
		m.waits.WithLabelValues(service).Observe(waited.Seconds())
		m.allowed.WithLabelValues(service).Set(float64(allowed))
	}
}

// codeLabel returns a status code as a label. A server may answer any number, so all numbers without a meaning have the same label.
func codeLabel(code int) string {
	if code != 0 && http.StatusText(code) == "" {
		return "other"
	}
	return strconv.Itoa(code)
}

// Webhook counts one message from a forge.
func (m *Metrics) Webhook(forge, outcome string) { m.webhooks.WithLabelValues(forge, outcome).Inc() }

// Notification counts one notification of a service of the cloud.
func (m *Metrics) Notification(outcome string) { m.notifications.WithLabelValues(outcome).Inc() }

// Looked counts one look of a stack at the changed collections of its cloud.
func (m *Metrics) Looked(result string) { m.looks.WithLabelValues(result).Inc() }

// Reading stores whether the notifications of a virtual host are read.
func (m *Metrics) Reading(vhost string, reading bool) {
	value := 0.0
	if reading {
		value = 1
	}
	m.reading.WithLabelValues(printable.Line(vhost)).Set(value)
}

// Traced counts one trace.
func (m *Metrics) Traced(outcome string) { m.traces.WithLabelValues(outcome).Inc() }

// Planned counts one plan of a pull request. result is success, a failure that a person must correct, or unavailable.
func (m *Metrics) Planned(stack, result string, took time.Duration) {
	m.plans.WithLabelValues(stack, result).Observe(took.Seconds())
}

// Forget deletes the gauges of a stack that this process no longer serves, and the last commit in sync. Another agent reports them now. Counters
// are not deleted.
func (m *Metrics) Forget(stack string) {
	for _, gauge := range []*prometheus.GaugeVec{m.drifted, m.success, m.objects, m.held, m.verified} {
		gauge.DeletePartialMatch(prometheus.Labels{"stack": stack})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.commit, stack)
}

// Remove deletes all metrics of a stack that is no longer configured, including counters. They must be deleted, because anybody who may push can
// create folders with any names in any number.
func (m *Metrics) Remove(stack string) {
	m.Forget(stack)
	of := prometheus.Labels{"stack": stack}
	for _, counted := range []interface {
		DeletePartialMatch(prometheus.Labels) int
	}{m.reconciles, m.steps, m.passes, m.applied, m.plans} {
		counted.DeletePartialMatch(of)
	}
}

// Forge counts one request to a forge.
func (m *Metrics) Forge(repository string, e forge.Exchange) {
	code := codeLabel(e.Code)
	switch {
	case e.Cached:
		code = codeLabel(http.StatusNotModified)
	case e.Refused:
		code = "limited"
	}
	repository = printable.Line(repository)
	m.forges.WithLabelValues(repository, e.Method, e.Route, code).Inc()
	m.budget.WithLabelValues(repository).Set(float64(e.Left))
}

// OutcomeWord returns an outcome as the word for labels and attributes.
func OutcomeWord(o plan.Outcome) string {
	return map[plan.Outcome]string{plan.InSync: "in_sync", plan.Broken: "failed", plan.OutOfSync: "differences", plan.Invalid: "refused"}[o]
}

// Ran counts one run.
func (m *Metrics) Ran(r Run) {
	m.reconciles.WithLabelValues(r.Stack, OutcomeWord(r.Outcome())).Inc()
	m.signed(r)
	if r.Pass == nil {
		return
	}
	m.pass(r.Stack, *r.Pass)
	if r.Pass.Outcome() == plan.InSync {
		m.synced(r)
	}
}

func (m *Metrics) pass(stack string, p engine.Pass) {
	m.passes.WithLabelValues(stack).Observe(p.Took.Seconds())
	for _, done := range p.Results {
		result := "ok"
		if done.Err != nil {
			result = "error"
		}
		m.steps.WithLabelValues(stack, string(done.Step.Action), result).Inc()
	}
	if p.First.Limit != nil {
		return // the rest is about all objects of the stack
	}
	m.drifted.WithLabelValues(stack).Set(float64(p.Drifted()))
	held := 0.0
	if p.First.Held != nil {
		held = 1
	}
	m.held.WithLabelValues(stack).Set(held)
	s := p.Last.Summary()
	for action, n := range map[plan.Action]int{
		plan.Keep: s.Keep, plan.Create: s.Create, plan.Update: s.Update, plan.Recreate: s.Replace,
		plan.Delete: s.Delete, plan.Detach: s.Detach, plan.Wait: s.Wait, plan.Refuse: s.Refuse,
	} {
		m.objects.WithLabelValues(stack, string(action)).Set(float64(n))
	}
}

// signed stores whether the newest commit is verified.
func (m *Metrics) signed(r Run) {
	refused := r.Refused != nil && r.Refused.Unverified
	signer := r.Revision.Signed.String()
	if !refused && signer == "" {
		return // no signatures are needed, or the run did not come so far
	}
	m.verified.DeletePartialMatch(prometheus.Labels{"stack": r.Stack})
	value := 1.0
	if refused {
		value = 0
	}
	m.verified.WithLabelValues(r.Stack, signer).Set(value)
}

// synced stores the time when the cloud became equal to a commit. It ignores the first commit that a process sees, because that commit may have
// been applied long ago.
func (m *Metrics) synced(r Run) {
	now := r.Started.Add(r.Took)
	if r.Refused == nil && r.FetchErr == nil {
		m.success.WithLabelValues(r.Stack).Set(float64(now.UnixMilli()) / 1000)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.commit[r.Stack]
	if before != "" && before != r.Revision.Commit && !r.Revision.Time.IsZero() {
		m.applied.WithLabelValues(r.Stack).Observe(max(0, now.Sub(r.Revision.Time).Seconds()))
	}
	m.commit[r.Stack] = r.Revision.Commit
}
