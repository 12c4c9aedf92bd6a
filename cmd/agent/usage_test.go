package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// usage is the CPU time and the memory of processes that ran one after the other. Memory is in KiB, of the largest process. peak contains the
// pages of the binary that were read, which the machine can free and which all processes of one binary share. own does not contain them.
//
// Memory is read from /proc while the process runs. The system also returns a maximum when a process has ended. That maximum is not used,
// because it includes the memory of the process with the simulator, which started the agent.
type usage struct {
	peak, own int
	cpu       time.Duration
}

// lookInterval is how often memory is read.
const lookInterval = 5 * time.Millisecond

// watch measures a process that was started. The returned function must be called after the process was waited for.
func (u *usage) watch(cmd *exec.Cmd) (ended func()) {
	var look sync.WaitGroup
	stop := make(chan struct{})
	look.Go(func() {
		for {
			u.peak, u.own = max(u.peak, residentKiB(cmd.Process.Pid, "VmHWM:")), max(u.own, residentKiB(cmd.Process.Pid, "RssAnon:"))
			select {
			case <-stop:
				return
			case <-time.After(lookInterval):
			}
		}
	})
	return func() {
		close(stop)
		look.Wait()
		u.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
}

// run runs a process that must succeed.
func (u *usage) run(b *testing.B, cmd *exec.Cmd) {
	b.Helper()
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	ended := u.watch(cmd)
	err := cmd.Wait()
	if ended(); err != nil {
		b.Fatalf("%v\n%s", err, said.String())
	}
}

func (u *usage) add(other usage) {
	u.peak, u.own, u.cpu = max(u.peak, other.peak), max(u.own, other.own), u.cpu+other.cpu
}

func (u *usage) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(u.peak)/1024, "peak-MiB")
	b.ReportMetric(float64(u.own)/1024, "own-peak-MiB")
	b.ReportMetric(u.cpu.Seconds()/float64(b.N), "cpu-s/op")
}

// residentKiB returns a line of the status of a process; 0 if there is none.
func residentKiB(pid int, which string) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // it is missing when the process has ended
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, which); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			return n
		}
	}
	return 0
}
