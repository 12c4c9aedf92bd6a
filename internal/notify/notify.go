// Package notify notifies people about stacks in the places where they look anyway: a chat, a pager, a program of theirs.
//
// It knows when something is worth a notification and which format each receiver needs. It does not know how a stack got into its state. It is
// quiet: one notification when a stack gets into a state, and one when it is well again.
package notify

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Severity is how bad something is.
type Severity int

// The severities.
const (
	Info Severity = iota
	Warning
	Error
)

// String is the word for it in configurations and at receivers.
func (s Severity) String() string { return [...]string{"info", "warning", "error"}[s] }

// ParseSeverity reads such a word. An unknown or empty word is Warning, the default threshold.
func ParseSeverity(word string) Severity {
	if at := slices.Index([]string{"info", "warning", "error"}, word); at >= 0 {
		return Severity(at)
	}
	return Warning
}

// Notification is one message about a stack, or about several.
type Notification struct {
	Stack, Commit string
	State, Before string // as in [report.StackState]; Before is "" for the first of a process
	Message       string
	Severity      Severity
	Kinds         []string // kinds of the objects concerned.
	Objects       []string // the objects concerned, as Kind/name.
	Further       bool     // there are more objects than in the last notification.
	Link          string   // where people see more; "" when unknown.
	At            time.Time
	Stacks        []string // of one about several stacks, see [Crowd]; Stack is one of them
}

// About identifies the stacks concerned: two notifications with the same text are about the same stacks.
func (n Notification) About() string {
	if len(n.Stacks) > 0 {
		return strings.Join(n.Stacks, " ")
	}
	return n.Stack
}

// cause is what it has in common with those of other stacks: drift of any objects, or the same failure.
func (n Notification) cause() string {
	if n.State == report.StateDrifted || n.State == healed {
		return ""
	}
	return n.Message
}

// Title is what happened, in a line.
func (n Notification) Title() string {
	title := "stack " + n.Stack + " is " + n.State
	if len(n.Stacks) > 0 {
		title = report.Plural(len(n.Stacks), "further stack") + " are " + n.State
	}
	if n.EndsProblem() {
		title += " again"
	}
	if n.Commit != "" {
		title += " at commit " + report.Short(n.Commit)
	}
	if n.Further {
		title += ", with more objects than before"
	}
	return title
}

// EndsProblem reports whether the notification says that an earlier problem is over.
func (n Notification) EndsProblem() bool {
	return n.State == report.StateInSync && !slices.Contains([]string{"", report.StateInSync, healed, report.StateRollingOut}, n.Before)
}

// well reports whether nothing is wrong with the stack.
func (n Notification) well() bool {
	return n.State == report.StateInSync || n.State == healed || n.State == report.StateRollingOut
}

// Rule says which receiver is told of what.
type Rule struct {
	Name   string
	Origin manifest.Origin
	Stacks []string // patterns of names; none means all
	Kinds  []string // none means all, and notifications without objects
	Least  Severity
	To     Receiver
}

// About reports whether the rule is about a stack.
func (r *Rule) About(stack string) bool {
	return len(r.Stacks) == 0 || slices.ContainsFunc(r.Stacks, func(pattern string) bool {
		matched, err := path.Match(pattern, stack)
		return matched && err == nil // wrong patterns are refused when the configuration is read
	})
}

func (r *Rule) takes(n Notification) bool {
	return n.Severity >= r.Least && (len(r.Kinds) == 0 || slices.ContainsFunc(n.Kinds, func(kind string) bool { return slices.Contains(r.Kinds, kind) }))
}

// severities are those of states with a notification. Other states end by themselves, or somebody wants them.
var severities = map[string]Severity{
	report.StateFailed: Error, report.StateRefused: Error, report.StateHeld: Warning, report.StateDrifted: Warning, healed: Warning, report.StateInSync: Info,
	report.StateRollingOut: Info,
}

// healed is the state of a stack whose drift the run has corrected.
const healed = "in sync after drift was corrected"

// Sink sends notifications about the runs of one stack.
type Sink struct {
	*Memory
	stack string
	rules []Rule
	send  func(rule *Rule, n Notification)
	// Link returns an address with more about a commit; nil when unknown.
	Link func(commit string) string
}

// New returns a sink with the rules that are about a stack. send must not wait.
func New(stack string, rules []Rule, m *Memory, send func(rule *Rule, n Notification)) *Sink {
	about := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !r.About(stack) })
	return &Sink{Memory: m, stack: stack, rules: about, send: send}
}

// Ran sends the notifications that a run causes.
func (s *Sink) Ran(run report.Run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := report.StateAfter(&run)
	n := Notification{Stack: s.stack, Commit: run.Revision.Commit, State: now.State, Message: report.Clean(now.Message), At: run.Started.Add(run.Took).UTC()}
	if run.Refused != nil {
		n.Commit = run.Refused.Commit
	}
	if now.State == report.StateInSync && run.Pass != nil && run.Pass.Drifted() > 0 {
		n.State, n.Message = healed, report.Plural(run.Pass.Drifted(), "object")+" had changed in the cloud"
	}
	n.about(run)
	var known bool
	if n.Severity, known = severities[n.State]; !known {
		return
	}
	n.Kinds = kindsOf(run)
	n.Link = s.link(n.Commit)
	for i := range s.rules {
		s.tell(&s.rules[i], n)
	}
	s.save()
}

// RolloutWatcher returns a watcher of passes. It notifies when a group starts to change its members, once for each commit.
func (s *Sink) RolloutWatcher() engine.Watcher { return rolling{s} }

type rolling struct{ sink *Sink }

func (rolling) Planned(plan.Plan, preflight.Findings) {}
func (rolling) Started(plan.Step)                     {}
func (rolling) Finished(engine.Result)                {}

func (r rolling) Progress(p engine.Progress) {
	if len(p.Rollouts) == 0 || p.Total == 0 {
		return
	}
	s, now := r.sink, p.At
	s.mu.Lock()
	defer s.mu.Unlock()
	is := report.StateDuring(p, now)
	n := Notification{Stack: s.stack, Commit: p.Commit, State: report.StateRollingOut, Message: report.Clean(is.State + ": " + is.Message), At: now.UTC(), Severity: severities[report.StateRollingOut], Link: s.link(p.Commit)}
	for _, one := range p.Rollouts {
		n.Kinds = append(n.Kinds, one.Group.Kind)
		n.Message += "; " + report.Clean(one.String())
	}
	for i := range s.rules {
		if rule := &s.rules[i]; !s.told[subject{s.stack, rule.Name}].same(n) && rule.takes(n) {
			s.tell(rule, n)
		}
	}
	s.save()
}

// tell sends what a rule's receiver does not know yet.
func (s *Sink) tell(rule *Rule, n Notification) {
	at := subject{s.stack, rule.Name}
	before, now := s.told[at], toldOf{state: n.State, commit: n.Commit, objects: n.Objects}
	n.Before = before.state
	switch {
	case n.State == report.StateInSync && before.state == "" && rule.To.Format.remembers():
		s.note(at, now) // an agent that has ended since may have reported something
		s.send(rule, n)
	case n.State == report.StateInSync && (before.state == "" || rule.Least > Info && !n.EndsProblem()):
		if !before.same(n) {
			s.note(at, now) // there was nothing that could be over
		}
	case n.EndsProblem(), rule.takes(n) && !before.same(n):
		s.note(at, now)
		s.send(rule, n)
	case rule.takes(n) && before.grown(n):
		now.objects, now.quiet = slices.Concat(before.objects, before.unknown(n)), n.At.Add(pause)
		n.Further = true
		s.note(at, now)
		s.send(rule, n)
	}
}

func (s *Sink) link(commit string) string {
	if s.Link == nil {
		return ""
	}
	return s.Link(commit)
}
