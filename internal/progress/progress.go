// Package progress shows a person what a command waits for.
//
// It uses only the names of tasks and requests, and depends on neither stacks nor clouds.
package progress

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/report"
)

// Teller writes what a command waits for, if the command has written nothing else for [report.Quiet]. A nil
// Teller writes nothing.
type Teller struct {
	w   io.Writer
	now func() time.Time

	mu      sync.Mutex
	silent  bool
	written time.Time // the time of the last output, from anybody
	begun   []*task   // oldest first
}

// task is a piece of work that takes time. A request is a part of another task.
type task struct {
	what    string
	request bool
	since   time.Time
}

// New returns a Teller for a command that also writes to w.
func New(w io.Writer, now func() time.Time) *Teller {
	return &Teller{w: w, now: now, written: now()}
}

// Begin starts a task. The task lasts until end is called.
func (p *Teller) Begin(what string) (end func()) { return p.task(what, false) }

func (p *Teller) task(what string, request bool) (end func()) {
	if p == nil {
		return func() {}
	}
	t := &task{what, request, p.now()}
	p.mu.Lock()
	p.begun = append(p.begun, t)
	p.mu.Unlock()
	return func() {
		p.mu.Lock()
		p.begun = slices.DeleteFunc(p.begun, func(other *task) bool { return other == t })
		p.mu.Unlock()
	}
}

// Wrote records that the command has just written something.
func (p *Teller) Wrote() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.written = p.now()
	p.mu.Unlock()
}

// Hush stops all output of the Teller, because nobody waits or nobody wants to read it.
func (p *Teller) Hush() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.silent = true
	p.mu.Unlock()
}

// tick writes a line if it is time for one.
func (p *Teller) tick() {
	p.mu.Lock()
	line := p.line()
	if line != "" {
		p.written = p.now()
	}
	p.mu.Unlock()
	if line != "" {
		_, _ = io.WriteString(p.w, line) // the output is only for comfort
	}
}

// line returns the text about the oldest running request. Without a request, it is about the newest of the other
// tasks, because that task is a part of the older ones.
func (p *Teller) line() string {
	now := p.now()
	if p.silent || now.Sub(p.written) < report.Quiet || len(p.begun) == 0 {
		return ""
	}
	shown, requests := p.begun[len(p.begun)-1], 0
	for _, t := range p.begun {
		if !t.request {
			continue
		}
		if requests++; requests == 1 {
			shown = t
		}
	}
	text := fmt.Sprintf("%s (%d s", shown.what, int(now.Sub(shown.since).Seconds()))
	if requests > 1 {
		text += fmt.Sprintf(", and %d more requests", requests-1)
	}
	return printable.Line(text+")") + "\n"
}

// Watch calls tick repeatedly until stop is called.
func (p *Teller) Watch() (stop func()) {
	if p == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.tick()
			case <-ctx.Done():
				return
			}
		}
	}()
	return stop
}

// Of returns the name of a task of a stack.
func Of(stack, what string) string { return "stack " + stack + ": " + what }

// Requests returns a function that adds every request of a stack to its cloud as a task.
func (p *Teller) Requests(stack string) func(http.RoundTripper) http.RoundTripper {
	if p == nil {
		return nil
	}
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			defer p.task(Of(stack, "waiting for the cloud to "+asked(req)), true)()
			return next.RoundTrip(req)
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// asked returns a request in words: "list ports", "answer POST /v2.0/ports".
func asked(req *http.Request) string {
	words := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	last := words[len(words)-1]
	switch {
	case req.Method == http.MethodPost && last == "tokens":
		return "log us in"
	case req.Method == http.MethodGet && strings.HasSuffix(last, "s"), req.Method == http.MethodGet && last == "detail" && len(words) > 1:
		if last == "detail" {
			last = words[len(words)-2]
		}
		return "list " + last
	}
	return "answer " + req.Method + " " + req.URL.Path
}
