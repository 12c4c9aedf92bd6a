package readapi

import (
	"cmp"
	"time"

	"github.com/stackreeve/stackreeve/internal/report"
)

// Other is the report of another agent about a stack. If Agent is empty, no agent serves the stack.
type Other struct {
	Agent, Address string
	State, Commit  string
	Looked         time.Time
}

func (o Other) message() string {
	switch {
	case o.Agent == "":
		return "no agent serves the stack now"
	case o.Address == "":
		return "served by " + report.Clean(o.Agent)
	}
	return "served by " + report.Clean(o.Agent) + " at " + report.Clean(o.Address)
}

// ShowElsewhere shows a stack that this agent does not serve: its agent and its state. The objects must be read from that agent. If nothing
// has changed, ShowElsewhere returns without waiting for another write.
func (s *Store) ShowElsewhere(name string, o Other) {
	if had := s.other(name); had != nil && *had == o {
		return
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	old, known := s.views[name]
	newest := s.version
	s.mu.Unlock()
	if !known {
		return // the stack was removed
	}
	of := o.draft(name)
	next, newest := view{items: old.items, gone: old.gone, newest: old.newest, lost: old.lost, since: old.since}.with([]draft{namespace(name), of}, newest, cmp.Or(stamp(o.Looked), old.since), false)
	next.stack, next.other, next.runs = of, &o, old.runs
	s.mu.Lock()
	defer s.mu.Unlock()
	s.show(name, next, newest)
}

// other returns the last report about a stack that this agent does not serve. It returns nil if this agent serves the stack.
func (s *Store) other(name string) *Other {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.views[name].other
}

func (o Other) draft(name string) draft {
	d := stack(name, nil, nil)
	state, commit, lastRun := report.Clean(o.State), report.Clean(o.Commit), stamp(o.Looked)
	if state == "" {
		state = "unknown"
	}
	d.conditions = available(o.State != "", state, o.message(), reasonOf(o.State, nil))
	status := map[string]any{"state": state, "message": o.message(), "conditions": d.conditions}
	for field, text := range map[string]string{"servedBy": report.Clean(o.Agent), "address": report.Clean(o.Address), "commit": commit, "lastRun": lastRun} {
		if text != "" {
			status[field] = text
		}
	}
	d.fields = map[string]string{"status.state": state}
	d.cells = clean(name, state, report.Short(commit), lastRun, o.message())
	d.whole = map[string]any{"status": status}
	return d
}
