// Package notify sends people notifications about stacks: to a chat, a pager, or a program of theirs.
//
// It decides when a notification is sent, and makes the format that each receiver needs. It does not depend on
// how a stack got into its state. It sends few notifications: one when a stack gets into a state, and one when
// the stack is well again.
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

// Severity is the severity of a notification.
type Severity int

// These are the values of Severity.
const (
	Info Severity = iota
	Warning
	Error
)

// String returns the word for the severity in configurations and at receivers.
func (s Severity) String() string { return [...]string{"info", "warning", "error"}[s] }

// ParseSeverity returns the severity for a word. For an unknown or empty word, it returns Warning, the default
// threshold.
func ParseSeverity(word string) Severity {
	if at := slices.Index([]string{"info", "warning", "error"}, word); at >= 0 {
		return Severity(at)
	}
	return Warning
}

// Notification is one message about a stack, or about several stacks.
type Notification struct {
	Stack, Commit string
	State, Before string // as in [report.StackState]; Before is "" in the first notification to a receiver
	Message       string
	Severity      Severity
	Kinds         []string // the kinds of the objects.
	Objects       []string // the objects that the notification is about, as Kind/name.
	Further       bool     // reports whether there are more objects than in the last notification.
	Link          string   // an address with more information; "" if unknown.
	At            time.Time
	Stacks        []string // the stacks, if there are several (see [Crowd]); Stack is one of them
}

// About returns a text that identifies the stacks. Two notifications with the same text are about the same
// stacks.
func (n Notification) About() string {
	if len(n.Stacks) > 0 {
		return strings.Join(n.Stacks, " ")
	}
	return n.Stack
}

// cause returns a text that is the same for notifications with the same cause. All notifications of drift have
// the same cause, and so have notifications of the same failure.
func (n Notification) cause() string {
	if n.State == report.StateDrifted || n.State == healed {
		return ""
	}
	return n.Message
}

// Title returns one line about the event.
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

// EndsProblem reports whether the notification is about the end of an earlier problem.
func (n Notification) EndsProblem() bool {
	return n.State == report.StateInSync && !slices.Contains([]string{"", report.StateInSync, healed, report.StateRollingOut}, n.Before)
}

// well reports whether the stack has no problem.
func (n Notification) well() bool {
	return n.State == report.StateInSync || n.State == healed || n.State == report.StateRollingOut
}

// Rule says which receiver gets which notifications.
type Rule struct {
	Name   string
	Origin manifest.Origin
	Stacks []string // patterns of names; empty means all
	Kinds  []string // empty means all, and also notifications without objects
	Least  Severity
	To     Receiver
}

// About reports whether the rule applies to a stack.
func (r *Rule) About(stack string) bool {
	return len(r.Stacks) == 0 || slices.ContainsFunc(r.Stacks, func(pattern string) bool {
		matched, err := path.Match(pattern, stack)
		return matched && err == nil // invalid patterns are refused when the configuration is read
	})
}

func (r *Rule) takes(n Notification) bool {
	return n.Severity >= r.Least && (len(r.Kinds) == 0 || slices.ContainsFunc(n.Kinds, func(kind string) bool { return slices.Contains(r.Kinds, kind) }))
}

// severities contains the severity of each state with a notification. Other states end without help, or are
// wanted.
var severities = map[string]Severity{
	report.StateFailed: Error, report.StateRefused: Error, report.StateHeld: Warning, report.StateDrifted: Warning, healed: Warning, report.StateInSync: Info,
	report.StateRollingOut: Info,
}

// healed is the state of a stack if the run has corrected drift.
const healed = "in sync after drift was corrected"

// Sink sends notifications about the runs of one stack.
type Sink struct {
	*Memory
	stack string
	rules []Rule
	send  func(rule *Rule, n Notification)
	// Link returns an address with more information about a commit, or "" if unknown.
	Link func(commit string) string
}

// New returns a sink with the rules that apply to a stack. send must not block.
func New(stack string, rules []Rule, m *Memory, send func(rule *Rule, n Notification)) *Sink {
	about := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !r.About(stack) })
	return &Sink{Memory: m, stack: stack, rules: about, send: send}
}

// Ran sends the notifications about a run.
func (s *Sink) Ran(run report.Run) {
	if run.Limited() {
		return // a pass of all objects follows, and shows the state of the stack
	}
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

// RolloutWatcher returns a watcher of passes. It sends a notification when a group starts to change its members,
// once for each commit.
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

// tell sends the notification, or a part of it, if the rule's receiver has not got it yet.
func (s *Sink) tell(rule *Rule, n Notification) {
	at := subject{s.stack, rule.Name}
	before, now := s.told[at], toldOf{state: n.State, commit: n.Commit, objects: n.Objects}
	n.Before = before.state
	switch {
	case n.State == report.StateInSync && before.state == "" && rule.To.Format.remembers():
		s.note(at, now) // an agent that has stopped since then may have reported something
		s.send(rule, n)
	case n.State == report.StateInSync && (before.state == "" || rule.Least > Info && !n.EndsProblem()):
		if !before.same(n) {
			s.note(at, now) // there was no problem that could have ended
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
