//go:build !linux

package child

import (
	"errors"
	"os"
	"os/exec"
	"runtime/debug"
)

func self() (string, error) { return os.Executable() }

// limit limits the memory of the process as far as Go can.
func limit() error {
	debug.SetMemoryLimit(maxMemory * 3 / 4)
	return nil
}

func forbid() error { return errors.New("only Linux can forbid them") }

func isolate(_ *exec.Cmd, alone bool) (possible bool) { return !alone }

func kill(c *exec.Cmd) error { return c.Process.Kill() }
