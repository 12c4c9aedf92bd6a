package lease

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Summary is the information that an agent gives to others about a stack that it serves. It contains no texts from clouds or manifests.
type Summary struct {
	Outcome     string    `json:"outcome,omitempty"`
	LastOutcome string    `json:"stands,omitempty"` // the outcome of the last run that had one
	Commit      string    `json:"commit,omitempty"`
	Looked      time.Time `json:"looked,omitzero"`
	Held        bool      `json:"held,omitempty"`
	Suspended   bool      `json:"suspended,omitempty"`
}

// Agent is a registered agent.
type Agent struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"` // the address for other agents; "" if there is none

	Since int64 `json:"-"`
	lease ID
}

// Holder is the agent that serves a stack, with the stack's state.
type Holder struct {
	Agent   string  `json:"agent"`
	Address string  `json:"address,omitempty"`
	Summary Summary `json:"summary"`

	Since int64 `json:"-"`
	lease ID
}

// View is the content of one list: the agents and the stacks at one moment.
type View struct {
	Agents map[string]Agent  // by name
	Stacks map[string]Holder // by name of the stack
}

const (
	agentKeys = "agents/"
	stackKeys = "stacks/"
	// maxValue is the maximum number of bytes of a value that is read, and maxWord is the maximum length of a text in it.
	maxValue = 2 << 10
	maxWord  = 200
)

// viewOf returns the view that the keys describe. If a value cannot be read, its fields are empty, but its key still counts.
func viewOf(records []Record) View {
	v := View{map[string]Agent{}, map[string]Holder{}}
	for _, r := range records {
		if len(r.Value) > maxValue {
			r.Value = nil
		}
		if name, ok := strings.CutPrefix(r.Key, agentKeys); ok {
			var a Agent
			_ = json.Unmarshal(r.Value, &a) // on an error, the address is unknown
			v.Agents[name] = Agent{Name: name, Address: word(a.Address), Since: r.Since, lease: r.Lease}
		}
		if name, ok := strings.CutPrefix(r.Key, stackKeys); ok {
			var h Holder
			_ = json.Unmarshal(r.Value, &h)
			h.Agent, h.Address, h.Since, h.lease = word(h.Agent), word(h.Address), r.Since, r.Lease
			of := &h.Summary
			of.Outcome, of.LastOutcome, of.Commit = word(of.Outcome), word(of.LastOutcome), word(of.Commit)
			v.Stacks[name] = h
		}
	}
	return v
}

func word(text string) string { return printable.Clip(printable.Line(text), maxWord) }

// preferred returns the agent that should serve a stack; the zero Agent if no agent is registered.
func (v View) preferred(stack string) Agent {
	return v.Agents[Preferred(slices.Collect(maps.Keys(v.Agents)), stack)]
}

// Action is what an agent does about a stack.
type Action int

// These are the actions.
const (
	Wait     Action = iota // another agent should take the stack, or it is too early to serve it again.
	Take                   // the stack is free, and this agent should take it.
	Serve                  // this agent has the stack.
	HandOver               // this agent has the stack, and the preferred agent is there.
	Leave                  // another agent has the stack.
	GiveUp                 // this agent has the stack, and cannot serve it.
)

// situation contains the facts about a stack and an agent that are not in the view.
type situation struct {
	agent        string
	lease        ID
	settled      time.Duration // time since this agent registered.
	free         time.Duration // time for which this agent knows that the stack is free.
	arrived      time.Duration // time for which this agent knows that the preferred agent is registered.
	failed       int           // number of times in a row that serving has failed.
	sinceFailure time.Duration // time since serving last failed.
	periods      Periods
}

// tooEarly reports whether it is too early to serve a stack again.
func (s situation) tooEarly() bool { return s.failed > 0 && s.sinceFailure < s.periods.Renew() }

// unable reports whether another agent should try to serve a stack.
func (s situation) unable() bool {
	return s.failed >= failuresBeforeGiveUp && s.sinceFailure < s.periods.GivenUp()
}

// decide returns the action of this agent for a stack. In the table, "us" is this agent, and the first row that fits counts.
//
//	held by           the preferred agent is                        action
//	another           any                                           Leave
//	us                any; we failed several times, just now        GiveUp, unless we are alone
//	us                another, which came no earlier and stays      HandOver
//	us                any; we failed a moment ago                   Wait
//	us                us, or was there before we took it            Serve
//	no agent          any; we failed several times, just now        Wait, unless we are alone
//	no agent          us, and all had the time to register          Take
//	no agent          another, which has not taken it for long      Take
//	no agent          another                                       Wait
//
// If the preferred agent does not take a stack, another agent takes it and serves it until the preferred agent registers again. So a stack
// does not move back and forth.
func (v View) decide(stack string, s situation) Action {
	holder, held := v.Stacks[stack]
	preferred := v.preferred(stack)
	unable := s.unable() && len(v.Agents) > 1
	switch {
	case held && holder.lease != s.lease:
		return Leave
	case held && unable:
		return GiveUp
	case held && preferred.Name != s.agent && preferred.Since >= holder.Since && s.arrived >= s.periods.TTL:
		return HandOver
	case held && s.tooEarly():
		return Wait
	case held:
		return Serve
	case unable, s.settled < s.periods.Settle():
		return Wait
	case preferred.Name == s.agent || s.free >= s.periods.Neglected():
		return Take
	}
	return Wait
}
