//go:build linux && (amd64 || arm64)

package child

import "golang.org/x/sys/unix"

// everywhere returns the forbidden calls that all processors have.
func everywhere() []uint32 {
	return []uint32{
		unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_EXECVE, unix.SYS_EXECVEAT,
		unix.SYS_PTRACE, unix.SYS_IO_URING_SETUP, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT2, unix.SYS_MKDIRAT,
	}
}
