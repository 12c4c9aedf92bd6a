package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/printable"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
	"github.com/stackreeve/stackreeve/internal/source"
)

// Live shows a running pass on a terminal, as one block that is redrawn. Failures are printed above the block and remain there.
type Live struct {
	text Text
	rev  func() source.Revision
	size func() (width, height int)

	mu       sync.Mutex
	progress engine.Progress
	lines    int // the number of lines of the block on the screen
	ticking
}

// NewLive returns a Live that writes to w. It calls size for every drawing to get the size of the terminal.
func NewLive(w io.Writer, size func() (width, height int), rev func() source.Revision, text Text) *Live {
	text.W = w
	return &Live{text: text, rev: rev, size: size}
}

// Planned implements engine.Watcher.
func (l *Live) Planned(p plan.Plan, needs preflight.Findings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Plan(p, needs, l.rev())
	l.start(time.Second, l.redraw)
}

// Started implements engine.Watcher.
func (l *Live) Started(plan.Step) {}

// Finished implements engine.Watcher.
func (l *Live) Finished(r engine.Result) {
	if r.Err == nil || wasBusy(r) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	fmt.Fprintf(l.text.W, "%s %s\n", l.text.paint(red, "!"), finished(r))
}

// Progress implements engine.Watcher.
func (l *Live) Progress(p engine.Progress) {
	l.mu.Lock()
	l.progress = p
	l.mu.Unlock()
	l.redraw()
}

// Close removes the block.
func (l *Live) Close() {
	l.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
}

func (l *Live) redraw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	width, height := l.size()
	block := l.block(time.Now(), width, min(8, height-2))
	l.erase()
	for _, line := range block {
		fmt.Fprintln(l.text.W, line)
	}
	l.lines = len(block)
}

func (l *Live) erase() {
	if l.lines > 0 {
		fmt.Fprintf(l.text.W, "\x1b[%dA\x1b[J", l.lines)
	}
	l.lines = 0
}

// block returns the lines on the screen: the count, and the steps that are running, oldest first.
func (l *Live) block(now time.Time, width, most int) []string {
	p := l.progress
	if p.Total == 0 && len(p.Waiting) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("%s %d of %d", bar(p.Done, p.Total), p.Done, p.Total)}
	for _, r := range p.Rollouts {
		lines = append(lines, "  "+Clean(r.String()))
	}
	for _, a := range p.Doing {
		lines = append(lines, fmt.Sprintf("  %-8s %s  %s", string(a.Action), Clean(a.Key.String()), DurationText(now.Sub(a.Since).Truncate(time.Second))))
	}
	for _, a := range p.Waiting {
		lines = append(lines, fmt.Sprintf("  %-8s %s", "waiting", waiting(a, now)))
	}
	if len(lines) > most && most > 1 {
		more := len(lines) - most + 1
		lines = append(lines[:most-1], fmt.Sprintf("  and %d more", more))
	}
	for i, line := range lines {
		lines[i] = cut(line, width-1)
	}
	return lines
}

func waiting(a engine.Activity, now time.Time) string {
	text := a.Key.String()
	if why := a.Why.String(); why != "" {
		text += " (" + why + ")"
	}
	return Clean(text) + "  " + DurationText(now.Sub(a.Since).Truncate(time.Second))
}

func bar(done, total int) string {
	const width = 20
	full := 0
	if total > 0 {
		full = width * done / total
	}
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", width-full) + "]"
}

// cut shortens a line so that it does not wrap. Otherwise, erasing would not remove exactly the lines that were drawn.
func cut(line string, width int) string {
	if width > 0 {
		return printable.Fit(line, width)
	}
	return line
}
