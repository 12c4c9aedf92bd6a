package lease

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Member is this agent among the agents that serve the same stacks. Its exported fields are read-only once it runs.
type Member struct {
	Agent            // this agent
	Stacks  []string // the stacks at the start; see [Member.Set]
	Store   Store
	Periods Periods
	Log     *slog.Logger
	// Serve serves a stack until ctx ends, or until h.Leave is closed and the pass in progress has ended. It returns when no request is in
	// flight, and not later than h.Grace after the end of ctx.
	Serve func(ctx context.Context, h *Hold)
	// Summary returns the state of a stack that this agent serves.
	Summary func(stack string) Summary
	// Seen, when set, is called with every view of the agents and stacks.
	Seen func(View)

	mu            sync.Mutex
	view          View
	lastComplaint string        // the last complaint
	isSet         bool          // whether Set was called
	shared        []string      // the stacks of the last Set
	changed       chan struct{} // contains one value after Set
}

// Set replaces the list of the stacks that the agents share. If this agent serves a stack that is no longer in the list, it finishes the
// pass in progress.
func (m *Member) Set(stacks []string) {
	m.mu.Lock()
	m.isSet, m.shared = true, slices.Clone(stacks)
	m.mu.Unlock()
	select {
	case m.changes() <- struct{}{}:
	default: // a value is waiting already
	}
}

// wanted lists the stacks that are shared now.
func (m *Member) wanted() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isSet {
		return m.shared
	}
	return m.Stacks
}

func (m *Member) changes() chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.changed == nil {
		m.changed = make(chan struct{}, 1)
	}
	return m.changed
}

// View is the result of the last list.
func (m *Member) View() View {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.view
}

// ServedByOther returns the other agent that serves a stack. ok is false if this agent serves it, or if no agent does.
func (m *Member) ServedByOther(stack string) (h Holder, ok bool) {
	h, ok = m.View().Stacks[stack]
	return h, ok && h.Agent != m.Name
}

// Run shares the stacks with the other agents until ctx has ended and this agent serves no stack any more.
func (m *Member) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := m.session(ctx); err != nil && ctx.Err() == nil {
			m.complain("several agents: "+err.Error(), "next", m.Periods.Retry())
		}
		pause(ctx, m.Periods.Retry())
	}
}

// session shares the stacks under one lease, until the lease or ctx has ended.
func (m *Member) session(ctx context.Context) error {
	sent := time.Now()
	id, err := m.grant(ctx)
	if err != nil {
		return fmt.Errorf("no lease: %w", err)
	}
	s := &session{Member: m, id: id, term: newTerm(m.Periods, sent), began: time.Now(), running: map[string]*running{}, failed: map[string]failure{}, free: ages{}, arrived: ages{}, finished: make(chan string)}
	defer s.close(ctx)
	if err := s.register(ctx); err != nil {
		return err
	}
	m.Log.Info("this agent shares the stacks with other agents", "agent", m.Name, "stacks", len(m.wanted()))
	m.complain("")
	return s.loop(ctx)
}

func (m *Member) grant(ctx context.Context) (ID, error) {
	ctx, cancel := context.WithTimeout(ctx, m.Periods.Start())
	defer cancel()
	return m.Store.Grant(ctx, m.Periods.TTL)
}

// register writes the name and address of this agent. It does not take a name that another process has. After a crash, the
// name is free when the lease of the crashed process has ended.
func (s *session) register(ctx context.Context) error {
	text, err := json.Marshal(s.Agent)
	if err != nil {
		return err
	}
	held, err := s.write(ctx, agentKeys+s.Name, text)
	switch {
	case err != nil:
		return fmt.Errorf("register: %w", err)
	case !held:
		return fmt.Errorf("another agent is registered as %s; if that was this agent before a crash, its lease ends within %s; if not, give each agent a different name", s.Name, s.Periods.TTL)
	}
	return nil
}

// complain logs a problem, unless the last call was for the same problem. It logs nothing if the text is empty.
func (m *Member) complain(what string, more ...any) {
	m.mu.Lock()
	news := what != m.lastComplaint
	m.lastComplaint = what
	m.mu.Unlock()
	if news && what != "" {
		m.Log.Warn(what, more...)
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// leaseEnded reports whether an error says that a lease has ended.
func leaseEnded(err error) bool { return errors.Is(err, ErrEnded) }
