package report

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// Log writes a service's log about one stack. It logs every step that is carried out, and sometimes the objects for which the pass waits. It logs
// the end of a run if it differs from the end of the last run. It is both a watcher and a sink.
type Log struct {
	log *slog.Logger

	mu      sync.Mutex
	commit  string
	outcome string // the end of the last logged run
	refused string // the commit whose problems were reported
	left    string // the commit whose ignored files were reported
	waited  time.Time
}

// NewLog returns a Log that writes to log. The name of the stack should be an attribute of log.
func NewLog(log *slog.Logger) *Log { return &Log{log: log} }

// Planned implements engine.Watcher.
func (l *Log) Planned(p plan.Plan, needs preflight.Findings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commit, l.waited = Short(p.Commit), time.Now()
	if l.left != l.commit {
		l.left = l.commit
		l.logIgnored(p)
		for _, reason := range p.Refused {
			l.log.Warn("not seen", "commit", l.commit, "refused", reason)
		}
	}
	s := p.Summary()
	if s.Writes()+s.Wait+s.Refuse+s.Drifted == 0 {
		return
	}
	l.log.Info("planned", "commit", l.commit, "create", s.Create, "update", s.Update, "replace", s.Replace,
		"delete", s.Delete, "detach", s.Detach, "wait", s.Wait, "refuse", s.Refuse, "drifted", s.Drifted, "adopt", s.Adopt)
	for _, q := range needs.Short() {
		l.log.Warn("quota too small", "service", q.Service, "quota", q.Name, "type", q.Type, "needed", q.Needed, "freed", q.Freed, "limit", q.Limit, "used", q.Used)
	}
	for _, step := range p.Steps {
		if step.Drift {
			l.logDrift(step, l.commit)
		}
		if step.Action == plan.Refuse {
			l.log.Warn("refused", "key", step.Key.String(), "commit", l.commit, "origin", step.Origin.String(), "reason", step.FullCause())
		}
	}
}

func (l *Log) logIgnored(p plan.Plan) {
	list, more := IgnoredFiles(p.Ignored, MaxLeft)
	for _, i := range list {
		l.log.Info("left alone", "commit", l.commit, "origin", i.Origin.String(), "reason", i.Why, "more", more)
	}
}

func (l *Log) logDrift(s plan.Step, commit string) {
	l.log.Warn("drift", append([]any{"key", s.Key.String(), "commit", commit, "fields", fields(s)}, traceAttributes(s)...)...)
}

// traceAttributes returns who caused the difference in a step, and when, as far as the cloud knows.
func traceAttributes(s plan.Step) (attrs []any) {
	if s.Trace == nil {
		return nil
	}
	attrs = []any{"by", s.Trace.Who}
	if !s.Trace.When.IsZero() {
		attrs = append(attrs, "at", s.Trace.When.UTC())
	}
	if s.Trace.What != "" {
		attrs = append(attrs, "did", s.Trace.What)
	}
	return attrs
}

func fields(s plan.Step) []string {
	var names []string
	for _, c := range s.Known() {
		if c.Field != kind.MarkField || len(s.Changes) == 1 {
			names = append(names, c.Field)
		}
	}
	return names
}

// Started implements engine.Watcher.
func (l *Log) Started(s plan.Step) {
	l.log.Debug("started", "key", s.Key.String(), "action", s.Action)
}

// Finished implements engine.Watcher.
func (l *Log) Finished(r engine.Result) {
	attrs := []any{"key", r.Step.Key.String(), "action", r.Step.Action, "commit", l.commit, "took", r.Took}
	if names := fields(r.Step); len(names) > 0 {
		attrs = append(attrs, "fields", names)
	}
	if wasBusy(r) {
		l.log.Debug("step waits", append(attrs, "error", r.Err)...)
		return
	}
	if r.Err != nil {
		l.log.Warn("step failed", append(attrs, "error", r.Err)...)
		return
	}
	if r.Unfinished {
		attrs = append(attrs, "yet", unfinishedText(r.Step.Action))
	}
	l.log.Info("step done", attrs...)
}

// Progress implements engine.Watcher.
func (l *Log) Progress(p engine.Progress) {
	const every = 30 * time.Second
	now := time.Now()
	if len(p.Waiting) == 0 || now.Sub(l.waited) < every {
		return
	}
	l.waited = now
	oldest := p.Waiting[0]
	l.log.Info("waiting", "key", oldest.Key.String(), "reason", oldest.Why.String(), "since", now.Sub(oldest.Since), "waiting", len(p.Waiting))
}

// Ran logs the end of a run, unless it is the same as the last logged end and no other line was written since then.
func (l *Log) Ran(r Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.Pass != nil {
		for _, step := range r.Pass.LateDrift {
			l.logDrift(step, Short(r.Revision.Commit))
		}
	}
	outcome, wrote := endKey(r), r.Pass != nil && r.Pass.Writes() > 0
	if outcome == l.outcome && !wrote {
		l.log.Debug("checked", "outcome", r.Outcome().String())
		return
	}
	l.outcome = outcome
	commit := Short(r.Revision.Commit)
	if r.FetchErr != nil {
		l.log.Warn("cannot fetch or check the newest revision; the agent continues with the last revision", "commit", commit, "error", r.FetchErr)
	}
	if r.Refused != nil && r.Refused.Commit != l.refused {
		l.problems(*r.Refused, commit)
	}
	l.refused = ""
	if r.Refused != nil {
		l.refused = r.Refused.Commit
	}
	switch {
	case r.Err != nil:
		l.log.Error("no pass", "commit", commit, "error", r.Err)
	case r.Pass != nil:
		l.logPass(*r.Pass, commit)
	}
}

func (l *Log) problems(f Refusal, kept string) {
	for _, p := range f.Problems.Sorted() {
		l.log.Error("problem", "commit", Short(f.Commit), "problem", p.String())
	}
	attrs := []any{"commit", Short(f.Commit), "problems", len(f.Problems), "kept", kept}
	if f.Back != "" {
		attrs = append(attrs, "earlier", f.Back)
	}
	if f.Cautious {
		attrs = append(attrs, "cautious", true)
	}
	l.log.Error("revision refused; nothing is applied", attrs...)
}

func (l *Log) logPass(p engine.Pass, commit string) {
	if p.Superseded != "" {
		l.log.Info("pass superseded", "commit", commit, "by", string(p.Superseded), "writes", p.Writes(), "took", p.Took)
		return
	}
	if p.Interrupted {
		l.log.Warn("pass interrupted", "commit", commit, "writes", p.Writes(), "took", p.Took)
		return
	}
	for _, f := range p.Failures {
		l.log.Error("not as wanted", "key", f.Key.String(), "commit", commit, "origin", f.Origin.String(), "reason", f.Reason(), "dependents", len(f.Dependents))
	}
	level := slog.LevelInfo
	if p.Outcome() != plan.InSync {
		level = slog.LevelWarn
	}
	attrs := []any{"outcome", p.Outcome().String(), "commit", commit, "writes", p.Writes(), "objects", p.Last.Owned, "took", p.Took}
	if by := p.First.Approved; by != nil {
		attrs = append(attrs, "approved", by.Hash, "by", by.By)
	}
	if p.First.Suspended != "" {
		attrs = append(attrs, "suspended", p.First.Suspended, "differ", p.Last.Differing())
	}
	if limit := p.First.Limit; limit != nil {
		attrs = append(attrs, "limited_to", strings.Join(limit.Targets, " "))
	}
	if p.First.Held != nil {
		attrs = append(attrs, "held", p.First.Held.String())
	}
	if p.First.Held != nil && p.First.Limit == nil {
		attrs = append(attrs, "approve", p.First.Hash())
	}
	l.log.Log(context.Background(), level, "pass ended", attrs...)
}

// endKey returns a text that represents the end of a run. If two runs have the same text, the second one is not logged.
func endKey(r Run) string {
	text := r.Outcome().String() + " " + r.Revision.Commit
	if r.FetchErr != nil {
		text += " fetch"
	}
	if r.Refused != nil {
		text += " refused " + r.Refused.Commit
	}
	if r.Err != nil {
		text += " " + r.Err.Error()
	}
	if r.Pass != nil {
		for _, f := range r.Pass.Failures {
			text += " " + f.Key.String()
		}
		text += " " + r.Pass.First.Held.String() + " " + r.Pass.First.Suspended + " " + string(r.Pass.Superseded)
		if r.Pass.First.Stopped() {
			text += " " + r.Pass.First.Hash()
		}
	}
	return text
}
