package child

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/kustomize"
	"github.com/stackreeve/stackreeve/internal/printable"
)

// The limits of one build.
const (
	maxTime   = time.Minute // of the clock, and of the processor
	maxMemory = 512 << 20   // bytes of data
	maxOutput = 128 << 20   // bytes of the answer, which is JSON with base64
	maxErrors = 64 << 10
)

// Runner runs kustomize. It keeps the newest results, so that a folder that has not changed costs no process. The zero
// value is ready to use, by several goroutines. It runs few processes at once, and equal builds that overlap are one.
type Runner struct {
	turns
	mu     sync.Mutex
	log    *slog.Logger
	warned map[string]bool
	kept   []result // the newest last
}

// result is a build that was run.
type result struct {
	of     [sha256.Size]byte
	output kustomize.Output
	size   int
}

// The limits of the results that a Runner keeps.
const (
	maxKept      = 64
	maxKeptBytes = 8 << 20
)

// Build is a [kustomize.Build].
func (r *Runner) Build(ctx context.Context, in kustomize.Input) (kustomize.Output, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return kustomize.Output{}, fmt.Errorf("encode the files: %w", err)
	}
	sum := sha256.Sum256(text)
	return r.join(ctx, sum, func() (kustomize.Output, error) {
		if out, ok := r.known(sum); ok {
			return out, nil
		}
		if err := r.begin(ctx); err != nil {
			return kustomize.Output{}, err
		}
		defer r.end()
		out, err := r.run(ctx, text)
		if err != nil {
			return kustomize.Output{}, err
		}
		r.keep(result{of: sum, output: out.Output})
		if out.Open != "" {
			r.warn("kustomize runs without a filter for sockets and files", out.Open)
		}
		return out.Output, nil
	})
}

func (r *Runner) known(sum [sha256.Size]byte) (kustomize.Output, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, one := range r.kept {
		if one.of == sum {
			r.kept = append(append(r.kept[:i:i], r.kept[i+1:]...), one)
			return one.output, true
		}
	}
	return kustomize.Output{}, false
}

// keep keeps a result in place of the oldest ones.
func (r *Runner) keep(one result) {
	for _, d := range one.output.Documents {
		one.size += len(d.Text)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, one)
	size := 0
	for i := len(r.kept) - 1; i >= 0; i-- {
		if size += r.kept[i].size; size > maxKeptBytes || len(r.kept)-i > maxKept {
			r.kept = append([]result(nil), r.kept[i+1:]...)
			return
		}
	}
}

// Warn sets the log for a warning if the system cannot forbid something to the process. There is one warning of each kind.
func (r *Runner) Warn(log *slog.Logger) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = log
}

func (r *Runner) warn(what, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log == nil || r.warned[what] {
		return
	}
	if r.warned == nil {
		r.warned = map[string]bool{}
	}
	r.warned[what] = true
	r.log.Warn(what, "reason", why)
}

// run runs the process without a network, or with one if the system does not allow a process without.
func (r *Runner) run(ctx context.Context, input []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	out, started, err := once(ctx, input, true)
	if !started && ctx.Err() == nil {
		r.warn("kustomize runs in the network of the agent", printable.Line(err.Error()))
		out, _, err = once(ctx, input, false)
	}
	return out, err
}

var errNotAlone = errors.New("this operating system has no network namespaces, which only Linux has")

// once runs the process once. started is false if the system refused to begin it.
func once(ctx context.Context, input []byte, alone bool) (a answer, started bool, err error) {
	program, err := self()
	if err != nil {
		return a, false, fmt.Errorf("find the program: %w", err)
	}
	c := exec.CommandContext(ctx, program, Command)
	c.Args[0] = os.Args[0]
	c.Env, c.Dir = []string{}, "/"
	c.Stdin = bytes.NewReader(input)
	output, wrong := &bounded{most: maxOutput}, &bounded{most: maxErrors}
	c.Stdout, c.Stderr = output, wrong
	c.WaitDelay = time.Second
	c.Cancel = func() error { return kill(c) }
	if !isolate(c, alone) {
		return a, false, errNotAlone
	}
	if err := c.Start(); err != nil {
		return a, false, fmt.Errorf("begin the process: %w", err)
	}
	err = c.Wait()
	_ = kill(c) // usually everything has ended
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return a, true, fmt.Errorf("kustomize needed more than %s", maxTime)
	case ctx.Err() != nil:
		return a, true, ctx.Err()
	case output.over:
		return a, true, fmt.Errorf("kustomize made more than %d MiB", maxOutput>>20)
	case err != nil:
		return a, true, fmt.Errorf("kustomize: %w: %s", err, reason(wrong.String()))
	}
	if err := json.Unmarshal(output.Bytes(), &a); err != nil {
		return a, true, fmt.Errorf("read what kustomize made: %w", err)
	}
	return a, true, nil
}

// reason returns the part of the error output that people need.
func reason(text string) string {
	if strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate memory") {
		return fmt.Sprintf("it needed more than %d MiB of memory", maxMemory>>20)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return printable.Line(line)
}

// bounded keeps the beginning of what is written, and then refuses more.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

var errTooMuch = io.ErrShortWrite

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		b.over = true
		return 0, errTooMuch
	}
	return b.Buffer.Write(p)
}
