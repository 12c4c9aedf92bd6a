// Package notify tells people of what happens to stacks, where they look anyway: a chat, a pager, a program of theirs.
//
// It knows when something is worth telling, how each receiver wants it told, and nothing of how a stack came to be as
// it is. It is quiet: one notification when a stack gets into a state, and one when it is well again.
package notify

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/manifest"
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

// String is the word that configurations and receivers have for it.
func (s Severity) String() string { return [...]string{"info", "warning", "error"}[s] }

// ParseSeverity reads such a word; the least that is notified of where there is none is Warning.
func ParseSeverity(word string) Severity {
	if at := slices.Index([]string{"info", "warning", "error"}, word); at >= 0 {
		return Severity(at)
	}
	return Warning
}

// Notification is one thing to tell.
type Notification struct {
	Stack, Commit string
	State, Before string // as in [report.StackState]; Before is "" for the first of a process
	Message       string
	Severity      Severity
	Kinds         []string // of the objects that it is about
	At            time.Time
	Stacks        []string // of one that is about several, see [Crowd]; Stack is one of them
}

// About is the stacks that it is about: nothing else is about the same ones.
func (n Notification) About() string {
	if len(n.Stacks) > 0 {
		return strings.Join(n.Stacks, " ")
	}
	return n.Stack
}

// Title is what happened, in a line.
func (n Notification) Title() string {
	title := "stack " + n.Stack + " is " + n.State
	if len(n.Stacks) > 0 {
		title = report.Plural(len(n.Stacks), "further stack") + " are " + n.State
	}
	if n.Over() {
		title += " again"
	}
	if n.Commit != "" {
		title += " at commit " + report.Short(n.Commit)
	}
	return title
}

// Over reports whether it says that something else is over.
func (n Notification) Over() bool {
	return n.State == report.StateInSync && !slices.Contains([]string{"", report.StateInSync, healed}, n.Before)
}

// well reports whether nothing is wrong with the stack.
func (n Notification) well() bool { return n.State == report.StateInSync || n.State == healed }

// Rule is whom to tell of what.
type Rule struct {
	Name   string
	Origin manifest.Origin
	Stacks []string // patterns of names; none means all
	Kinds  []string // none means all, and what is about no object
	Least  Severity
	To     Receiver
}

// About reports whether the rule is about a stack.
func (r *Rule) About(stack string) bool {
	return len(r.Stacks) == 0 || slices.ContainsFunc(r.Stacks, func(pattern string) bool {
		matched, err := path.Match(pattern, stack)
		return matched && err == nil // others are refused when they are read
	})
}

func (r *Rule) takes(n Notification) bool {
	return n.Severity >= r.Least && (len(r.Kinds) == 0 || slices.ContainsFunc(n.Kinds, func(kind string) bool { return slices.Contains(r.Kinds, kind) }))
}

// severities are those of states that are notified of. Others pass by themselves, or somebody wants them.
var severities = map[string]Severity{
	report.StateFailed: Error, report.StateRefused: Error, report.StateHeld: Warning, report.StateDrifted: Warning, healed: Warning, report.StateInSync: Info,
}

// healed is the state of a stack whose drift was corrected by the run.
const healed = "in sync after drift was corrected"

// Memory is what receivers were told last of stacks. It outlives the sinks of an agent that begins again with other stacks.
type Memory struct {
	mu   sync.Mutex
	told map[subject]toldOf
}

// NewMemory is one of nothing.
func NewMemory() *Memory { return &Memory{told: map[subject]toldOf{}} }

// Keep forgets all other stacks.
func (m *Memory) Keep(stacks []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.told, func(of subject, _ toldOf) bool { return !slices.Contains(stacks, of.stack) })
}

// subject is a stack, and the name of a rule.
type subject struct{ stack, rule string }

// toldOf is what a rule's receiver was told last.
type toldOf struct{ state, commit string }

// Sink notifies of the runs of one stack.
type Sink struct {
	*Memory
	stack string
	rules []Rule
	send  func(rule *Rule, n Notification)
}

// New notifies by the rules that are about a stack. send must not wait.
func New(stack string, rules []Rule, m *Memory, send func(rule *Rule, n Notification)) *Sink {
	about := slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !r.About(stack) })
	return &Sink{Memory: m, stack: stack, rules: about, send: send}
}

// Ran takes note of a run.
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
	var known bool
	if n.Severity, known = severities[n.State]; !known {
		return
	}
	n.Kinds = kindsOf(run)
	for i := range s.rules {
		s.tell(&s.rules[i], n)
	}
}

// tell sends what a rule's receiver does not know yet.
func (s *Sink) tell(rule *Rule, n Notification) {
	at := subject{s.stack, rule.Name}
	before, now := s.told[at], toldOf{n.State, n.Commit}
	n.Before = before.state
	switch {
	case n.State == report.StateInSync && before.state == "" && rule.To.Format.remembers():
		s.told[at] = now // an agent that has ended since may have told of something
		s.send(rule, n)
	case n.State == report.StateInSync && (before.state == "" || rule.Least > Info && !n.Over()):
		s.told[at] = now // there was nothing that could be over
	case n.Over(), rule.takes(n) && before != now:
		s.told[at] = now
		s.send(rule, n)
	}
}

// kindsOf are the kinds of the objects that a run is about: what failed, and what drifted.
func kindsOf(run report.Run) (kinds []string) {
	if run.Pass == nil {
		return nil
	}
	for _, f := range run.Pass.Failures {
		kinds = append(kinds, f.Key.Kind)
	}
	for _, e := range report.Events(run) {
		if e.Warning {
			kinds = append(kinds, e.Key.Kind)
		}
	}
	slices.SortFunc(kinds, strings.Compare)
	return slices.Compact(kinds)
}
