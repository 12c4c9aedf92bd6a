package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/report"
)

// shared is an output for several stacks, which write one at a time.
type shared struct {
	mu    sync.Mutex
	w     io.Writer
	wrote func() // called before each write; may be nil
	err   error  // the error of the last write that failed; nil if none failed
}

// Write implements io.Writer.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrote != nil {
		s.wrote()
	}
	n, err := s.w.Write(p)
	if err != nil {
		s.err = err
	}
	return n, err
}

func (s *shared) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// exit is an error that was already printed. Its value is the exit code.
type exit plan.Outcome

// Error implements error.
func (e exit) Error() string { return plan.Outcome(e).String() }

// ended returns the error that makes the process exit with the code of the outcome.
func ended(o plan.Outcome) error {
	if o == plan.InSync {
		return nil
	}
	return exit(o)
}

// lost returns the reason why standard output is incomplete, such as a full disk. It returns nil if the output is complete.
func (a *app) lost() error {
	for _, w := range []io.Writer{a.out, a.commands} {
		if s, ok := w.(*shared); ok && s.failed() != nil {
			return s.failed()
		}
	}
	return nil
}

// fail prints an error and returns its outcome.
func (a *app) fail(err error) plan.Outcome { return a.failed("", err) }

// failed does the same as fail for one of several stacks, and prints the name of the stack.
func (a *app) failed(stack string, err error) plan.Outcome {
	var code exit
	var problems manifest.Problems
	switch {
	case err == nil:
		return plan.InSync
	case errors.As(err, &code):
		return plan.Outcome(code)
	case errors.As(err, &problems):
		if a.logFormat == "json" {
			for _, p := range problems.Sorted() {
				a.logger(false).Error("problem", "stack", stack, "problem", p.String())
			}
			return plan.Invalid
		}
		if errors.As(err, new(folderError)) {
			fmt.Fprintln(a.err, err) // the other stacks are not affected
			return plan.Invalid
		}
		var text bytes.Buffer
		if stack != "" {
			fmt.Fprintf(&text, "stack %s:\n", stack)
		}
		report.Text{W: &text}.Problems(problems)
		_, _ = a.err.Write(text.Bytes()) // one write, because other stacks also write
		return plan.Invalid
	}
	for _, one := range joined(err) {
		// The class of the error controls what the agent does next. People need only the text after it.
		text := strings.TrimPrefix(private.Text(one), kind.ErrRejected.Error()+": ")
		if a.logFormat == "json" {
			a.logger(false).Error(text, "stack", stack)
			continue
		}
		if stack != "" {
			text = "stack " + stack + ": " + text
		}
		fmt.Fprintf(a.err, "error: %s\n", printable.Line(text))
	}
	return plan.Broken
}

// joined splits joined errors, so that each gets a separate line. Then a line end inside one of them is not mistaken for the end of an error.
func joined(err error) []error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	parts := several.Unwrap()
	if len(parts) == 0 || errors.Join(parts...).Error() != err.Error() {
		return []error{err}
	}
	var list []error
	for _, part := range parts {
		list = append(list, joined(part)...)
	}
	return list
}

// worse returns the worse of two outcomes: an error is worse than refused input, and that is worse than differences.
func worse(a, b plan.Outcome) plan.Outcome {
	rank := [...]int{plan.InSync: 0, plan.OutOfSync: 1, plan.Invalid: 2, plan.Broken: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// text returns a Text that writes on standard output.
func (a *app) text() report.Text {
	_, plain := os.LookupEnv("NO_COLOR")
	return report.Text{W: a.out, Color: a.terminal != nil && !plain && os.Getenv("TERM") != "dumb", Verbose: a.verbose}
}

// logger returns the logger for details of the work. With service, nobody watches the output, so everything important is logged.
func (a *app) logger(service bool) *slog.Logger {
	level := slog.LevelWarn
	if service {
		level = slog.LevelInfo
	}
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(report.NewHandler(a.err, a.logFormat == "json", level))
}
