package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// ledger records the writes of each agent to a cloud, and the stacks that an agent has given up before its lease ended.
type ledger struct {
	// holder returns the agent that has a stack, or "".
	holder func(stack string) (agent string, err error)

	mu      sync.Mutex
	writes  []written
	given   []given
	said    []said
	owners  map[string]string // from ID of an object to stack.
	strange []string          // writes that belong to no stack
}

// written is a write to a stack. Its times are those of the proxy's clock.
type written struct {
	agent, stack, what string
	came, done         time.Time // the times when the request arrived, and when the cloud had answered.
	holder             string    // the agent that had the stack according to etcd during the write
	asked              time.Duration
}

// said is a line of an agent's log about a stack.
type said struct{ agent, stack, line string }

// given records that an agent has given up a stack in an orderly way.
type given struct {
	agent, stack string
	at           time.Time
}

var (
	stackName = regexp.MustCompile(`stack-\d\d`)
	anyID     = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// before returns a proxy for one agent. It records the agent's writes. Answers wait while the gate is closed.
func (l *ledger) before(cloud http.Handler, agent string, gate *gate) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came := time.Now()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the agent no longer runs
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		if r.Method == http.MethodGet || r.Method == http.MethodHead || strings.HasSuffix(r.URL.Path, "/auth/tokens") {
			cloud.ServeHTTP(answer, r)
		} else {
			l.write(cloud, answer, r, body, written{agent: agent, what: r.Method + " " + r.URL.Path, came: came})
		}
		gate.pass(r.Context().Done())
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()) // the agent may no longer run
	})
}

func (l *ledger) write(cloud http.Handler, answer *httptest.ResponseRecorder, r *http.Request, body []byte, one written) {
	if one.stack = l.stackOf(r.URL.Path + " " + string(body)); one.stack == "" {
		l.mu.Lock()
		l.strange = append(l.strange, one.agent+": "+one.what+" "+string(body))
		l.mu.Unlock()
	}
	asking := make(chan error, 1)
	go func() {
		var err error
		one.holder, err = l.holder(one.stack)
		one.asked = time.Since(one.came)
		asking <- err
	}()
	cloud.ServeHTTP(answer, r)
	done := time.Now()
	if err := <-asking; err != nil {
		one.holder, one.asked = err.Error(), time.Hour // etcd did not answer, so the holder is unknown
	}
	one.done = done
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes = append(l.writes, one)
	for _, id := range idsIn(answer.Body.Bytes()) {
		l.owners[id] = one.stack
	}
}

// stackOf returns the stack that is named in the text of a request, or the stack of an object that is named there. It returns "" if there is
// none.
func (l *ledger) stackOf(text string) string {
	if name := stackName.FindString(text); name != "" {
		return name
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range anyID.FindAllString(text, -1) {
		if stack := l.owners[id]; stack != "" {
			return stack
		}
	}
	return ""
}

// idsIn returns the IDs of the objects in an answer.
func idsIn(answer []byte) (ids []string) {
	var objects map[string]struct{ ID string }
	if json.Unmarshal(answer, &objects) == nil {
		for _, o := range objects {
			ids = append(ids, o.ID)
		}
	}
	return ids
}

func (l *ledger) gives(agent, stack string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.given = append(l.given, given{agent, stack, at})
}

// story returns the log lines of agents about a stack and their writes to it, sorted by time.
func (l *ledger) story(stack string) (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.said {
		if s.stack == stack {
			lines = append(lines, s.line+" by="+s.agent)
		}
	}
	for i, w := range l.writes {
		if w.stack == stack {
			lines = append(lines, fmt.Sprintf("time=%s write %d: %s by=%s", w.came.UTC().Format("2006-01-02T15:04:05.000Z"), i, w.what, w.agent))
		}
	}
	slices.Sort(lines)
	return lines
}

// verdict is the result of a check of the ledger, which records the writes of all agents.
type verdict struct {
	wrong           []string
	writes, unsure  int           // unsure: the writes for which etcd was too slow to return the holder.
	changes, orders int           // changes: how often another agent than before wrote to a stack; orders: how many times the agent before had given the stack up.
	shortest        time.Duration // the shortest time between the writes of two agents to one stack, except orderly changes
	closest         string        // the stack with this time
}

// judge compares a ledger with the promise that only the holder of a stack writes it. If the holder changes and the old one did not give the
// stack up, at least the time window must pass between their writes. clock is the possible error of the proxy's times.
func (l *ledger) judge(window, clock time.Duration) (v verdict) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.SortStableFunc(l.writes, func(a, b written) int { return a.came.Compare(b.came) })
	v.writes = len(l.writes)
	for _, s := range l.strange {
		v.wrong = append(v.wrong, "of no stack: "+s)
	}
	last := map[string]written{} // the last write of each stack; its done is the latest of all writes so far
	for _, w := range l.writes {
		before, known := last[w.stack]
		if w.asked >= window {
			v.unsure++
		} else if w.holder != w.agent {
			v.wrong = append(v.wrong, fmt.Sprintf("%s wrote %s, which %q had: %s at %s", w.agent, w.stack, w.holder, w.what, w.came.Format(time.StampMilli)))
		}
		if known && before.agent != w.agent {
			v.change(l.gave(before, w.came), before, w, window-clock)
		}
		if known && before.agent == w.agent && before.done.After(w.done) {
			w.done = before.done
		}
		last[w.stack] = w
	}
	return v
}

// gave reports whether an agent has given up a stack between its last write and the time until.
func (l *ledger) gave(last written, until time.Time) bool {
	return slices.ContainsFunc(l.given, func(g given) bool {
		return g.agent == last.agent && g.stack == last.stack && g.at.After(last.came) && !g.at.After(until)
	})
}

// change judges two writes of a stack by different agents, one after the other.
func (v *verdict) change(inOrder bool, before, now written, least time.Duration) {
	v.changes++
	what := fmt.Sprintf("%s: %s wrote it at %s (%s), %s at %s (%s)", now.stack, before.agent, before.came.Format(time.StampMilli), before.what, now.agent, now.came.Format(time.StampMilli), now.what)
	apart := now.came.Sub(before.came)
	switch {
	case before.done.After(now.came):
		v.wrong = append(v.wrong, "at once: "+what)
	case inOrder:
		v.orders++
		return
	case apart < least:
		v.wrong = append(v.wrong, fmt.Sprintf("%s apart, want %s at least: %s", apart, least, what))
	}
	if v.shortest == 0 || apart < v.shortest {
		v.shortest, v.closest = apart, now.stack
	}
}

// gate delays answers while it is closed.
type gate struct {
	mu     sync.Mutex
	closed chan struct{} // nil while it is open
}

func (g *gate) close() { g.mu.Lock(); g.closed = make(chan struct{}); g.mu.Unlock() }
func (g *gate) open()  { g.mu.Lock(); close(g.closed); g.closed = nil; g.mu.Unlock() }

func (g *gate) pass(gone <-chan struct{}) {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if closed == nil {
		return
	}
	select {
	case <-closed:
	case <-gone:
	}
}

// The judge of the proof below finds the faults in these ledgers.
func TestLedger(t *testing.T) {
	began := time.Now()
	at := func(agent string, second float64, holder string) written {
		came := began.Add(time.Duration(second * float64(time.Second)))
		return written{agent: agent, stack: "stack-01", came: came, done: came.Add(time.Second / 2), holder: holder}
	}
	slow := at("a", 1, "b")
	slow.asked = time.Minute
	for name, c := range map[string]struct {
		writes []written
		given  []given
		want   string // "" for no fault
	}{
		"one writes":                {writes: []written{at("a", 0, "a"), at("a", 0.1, "a"), at("a", 9, "a")}},
		"the window between":        {writes: []written{at("a", 0, "a"), at("b", 3, "b")}},
		"less than the window":      {writes: []written{at("a", 0, "a"), at("b", 2, "b")}, want: "2s apart"},
		"in order":                  {writes: []written{at("a", 0, "a"), at("b", 1, "b")}, given: []given{{"a", "stack-01", began.Add(time.Second / 2)}}},
		"given up before it wrote":  {writes: []written{at("a", 1, "a"), at("b", 2, "b")}, given: []given{{"a", "stack-01", began}}, want: "1s apart"},
		"another one gave up":       {writes: []written{at("a", 0, "a"), at("b", 1, "b")}, given: []given{{"a", "stack-02", began.Add(time.Second / 2)}}, want: "1s apart"},
		"in order, and at once":     {writes: []written{at("a", 0, "a"), at("b", 0.4, "b")}, given: []given{{"a", "stack-01", began.Add(time.Second / 3)}}, want: "at once"},
		"to and fro":                {writes: []written{at("a", 0, "a"), at("b", 4, "b"), at("a", 5, "a")}, want: "1s apart"},
		"another one has it":        {writes: []written{at("a", 0, "b")}, want: `which "b" had`},
		"nobody has it":             {writes: []written{at("a", 0, "")}, want: `which "" had`},
		"etcd was too slow to tell": {writes: []written{slow}},
	} {
		l := &ledger{writes: c.writes, given: c.given}
		v := l.judge(3*time.Second, 0)
		if got := strings.Join(v.wrong, "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
