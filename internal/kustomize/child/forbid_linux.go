package child

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forbid makes the kernel refuse every call that opens a file or a socket, or begins a program. Open files stay open.
// See seccomp(2). The filter applies to all threads, and nothing can remove it.
func forbid() error {
	calls, arch := forbidden()
	if len(calls) == 0 {
		return fmt.Errorf("not known for the processor %s", runtime.GOARCH)
	}
	const (
		load, equal, atLeast, result = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, unix.BPF_RET | unix.BPF_K
		offsetOfCall, offsetOfArch   = 0, 4
		otherCalls                   = 0x40000000 // calls of a second table, on amd64
	)
	refuse := uint8(len(calls)) // the distance from the first comparison to the last instruction but one
	program := []unix.SockFilter{
		{Code: load, K: offsetOfArch},
		{Code: equal, K: arch, Jt: 1},
		{Code: result, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: offsetOfCall},
		{Code: atLeast, K: otherCalls, Jt: refuse + 1},
	}
	for i, call := range calls {
		program = append(program, unix.SockFilter{Code: equal, K: call, Jt: refuse - uint8(i)})
	}
	program = append(program, unix.SockFilter{Code: result, K: unix.SECCOMP_RET_ALLOW}, unix.SockFilter{Code: result, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forbid new privileges: %w", err)
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	failed, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	runtime.KeepAlive(program)
	switch {
	case errno != 0:
		return fmt.Errorf("seccomp: %w", errno)
	case failed != 0:
		return errors.New("seccomp: a thread has another filter")
	}
	return nil
}
