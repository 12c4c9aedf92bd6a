package child

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
)

// self is the program of this process, also after its file was replaced.
func self() (string, error) { return "/proc/self/exe", nil }

// limit limits the memory, the processor time and the files of the process.
func limit() error {
	debug.SetMemoryLimit(maxMemory * 3 / 4)
	limits := map[int]uint64{syscall.RLIMIT_DATA: maxMemory, syscall.RLIMIT_CPU: uint64(maxTime.Seconds()), syscall.RLIMIT_FSIZE: 0, syscall.RLIMIT_CORE: 0}
	for which, most := range limits {
		if err := syscall.Setrlimit(which, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", which, err)
		}
	}
	return nil
}

// isolate gives a command a group of processes of its own and, if alone is true, namespaces without a network.
func isolate(c *exec.Cmd, alone bool) (possible bool) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if alone {
		c.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return true
}

// kill ends a command and everything that it began.
func kill(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
