package main

import (
	"bytes"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/progress"
)

// full is a device without free space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Output that could not be written is an error: a user who redirects manifests to a full disk must not take half of them for all.
func TestAttackFullDisk(t *testing.T) {
	for _, args := range [][]string{{"explain", "Network"}, {"version"}, {"help"}} {
		for out, want := range map[io.Writer]int{full{}: 1, io.Discard: 0} {
			var said bytes.Buffer
			a := &app{out: &shared{w: out}, err: &said, progress: progress.New(&said, time.Now)}
			if code := a.execute(t.Context(), args); code != want || (want == 1) != (bytes.Count(said.Bytes(), []byte("no space left")) == 1) {
				t.Errorf("%v to %T: exit code %d, said %q", args, out, code, said.String())
			}
		}
	}
}
