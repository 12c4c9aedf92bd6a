package lease

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Summary is what an agent tells others of a stack that it serves. It holds no words of clouds or manifests.
type Summary struct {
	Outcome   string    `json:"outcome,omitempty"`
	Stands    string    `json:"stands,omitempty"` // the outcome of the last run that found out anything
	Commit    string    `json:"commit,omitempty"`
	Looked    time.Time `json:"looked,omitzero"`
	Held      bool      `json:"held,omitempty"`
	Suspended bool      `json:"suspended,omitempty"`
}

// Agent is one that is registered.
type Agent struct {
	Name    string `json:"name"`
	Address string `json:"address,omitempty"` // at which others reach it; "" for nowhere

	Since int64 `json:"-"`
	lease ID
}

// Holder is who serves a stack, and how it is.
type Holder struct {
	Agent   string  `json:"agent"`
	Address string  `json:"address,omitempty"`
	Summary Summary `json:"summary"`

	Since int64 `json:"-"`
	lease ID
}

// View is what was listed at one moment.
type View struct {
	Agents map[string]Agent  // by name
	Stacks map[string]Holder // by name of the stack
}

const (
	agentKeys = "agents/"
	stackKeys = "stacks/"
	// maxValue bounds what is read of a value, in bytes, and maxWord a text of it.
	maxValue = 2 << 10
	maxWord  = 200
)

// viewOf reads keys. What cannot be read of a value is left out, and its key still counts.
func viewOf(records []Record) View {
	v := View{map[string]Agent{}, map[string]Holder{}}
	for _, r := range records {
		if len(r.Value) > maxValue {
			r.Value = nil
		}
		if name, ok := strings.CutPrefix(r.Key, agentKeys); ok {
			var a Agent
			_ = json.Unmarshal(r.Value, &a) // then its address is not known
			v.Agents[name] = Agent{Name: name, Address: word(a.Address), Since: r.Since, lease: r.Lease}
		}
		if name, ok := strings.CutPrefix(r.Key, stackKeys); ok {
			var h Holder
			_ = json.Unmarshal(r.Value, &h)
			h.Agent, h.Address, h.Since, h.lease = word(h.Agent), word(h.Address), r.Since, r.Lease
			of := &h.Summary
			of.Outcome, of.Stands, of.Commit = word(of.Outcome), word(of.Stands), word(of.Commit)
			v.Stacks[name] = h
		}
	}
	return v
}

func word(text string) string { return printable.Clip(printable.Line(text), maxWord) }

// preferred is the agent that is to serve a stack; the zero Agent when nobody is registered.
func (v View) preferred(stack string) Agent {
	return v.Agents[Preferred(slices.Collect(maps.Keys(v.Agents)), stack)]
}

// Action is what an agent does about a stack.
type Action int

// The actions.
const (
	Wait     Action = iota // another one is to take it
	Take                   // nobody has it, and it is ours to take
	Serve                  // we have it
	HandOver               // we have it, and the one that is to have it is there
	Leave                  // another one has it
	GiveUp                 // we have it, and cannot serve it
)

// situation is what an agent knows besides a view.
type situation struct {
	me      string
	lease   ID
	settled time.Duration // since we registered
	free    time.Duration // how long the stack has been without anybody, as far as we know
	arrived time.Duration // how long the preferred agent has been there, as far as we know
	failed  int           // how often serving it ended by itself, one after the other
	ago     time.Duration // since it did so last
	periods Periods
}

// resting reports whether it is too early to serve a stack again.
func (s situation) resting() bool { return s.failed > 0 && s.ago < s.periods.Renew() }

// unable reports whether another agent should try to serve a stack.
func (s situation) unable() bool { return s.failed >= several && s.ago < s.periods.GivenUp() }

// decide says what to do about a stack.
//
//	held by           the preferred agent is                        action
//	another           any                                           Leave
//	us                any; we failed several times, just now        GiveUp, unless we are alone
//	us                any; we failed a moment ago                   Wait
//	us                us, or was there before we took it            Serve
//	us                another, which came no earlier and stays      HandOver
//	nobody            any; we failed several times, just now        Wait, unless we are alone
//	nobody            us, and all had the time to register          Take
//	nobody            another, which has not taken it for long      Take
//	nobody            another                                       Wait
//
// Who takes a stack that its preferred agent neglects keeps it until that one has registered anew: no stack goes to and fro.
func (v View) decide(stack string, s situation) Action {
	holder, held := v.Stacks[stack]
	preferred := v.preferred(stack)
	unable := s.unable() && len(v.Agents) > 1
	switch {
	case held && holder.lease != s.lease:
		return Leave
	case held && unable:
		return GiveUp
	case held && preferred.Name != s.me && preferred.Since >= holder.Since && s.arrived >= s.periods.TTL:
		return HandOver
	case held && s.resting():
		return Wait
	case held:
		return Serve
	case unable, s.settled < s.periods.Settle():
		return Wait
	case preferred.Name == s.me || s.free >= s.periods.Neglected():
		return Take
	}
	return Wait
}
