package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator"
)

const thousand = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: machines}
spec: {resource: {}}
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Subnet
metadata: {name: machines}
spec: {resource: {networkRef: machines, ipVersion: 4, cidr: 10.8.0.0/16}}
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachineGroup
metadata: {name: web}
spec:
  replicas: 1000
  haPolicy: none
  template: {network: machines, image: centos79, flavor: n3-1vcpu-2gb, initScript: {value: ls}}
`

// BenchmarkNoChange runs a whole process that finds 1,000 unchanged machines, on an empty disk. It measures the requests, the time and the peak memory.
func BenchmarkNoChange(b *testing.B) {
	noChange(b, thousand, "run", "--once")
}

// BenchmarkNoChangeKept does the same with 31 machines behind a load balancer, and with the folder for data of the process before.
func BenchmarkNoChangeKept(b *testing.B) {
	noChange(b, balanced, "run", "--once", "--data-dir", b.TempDir())
}

func noChange(b *testing.B, manifests string, args ...string) {
	b.Helper()
	s := newBench(b, manifests)
	if out, err := s.command(args...).CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var use usage
	s.Server.ResetRequests()
	for b.Loop() {
		use.run(b, s.command(args...))
	}
	b.ReportMetric(float64(len(s.Server.Requests()))/float64(b.N), "requests/op")
	use.report(b)
}

// balanced is a group of 31 machines behind a load balancer.
var balanced = strings.Replace(thousand, "1000", "31", 1) + `---
apiVersion: stackreeve.dev/v1alpha1
kind: LoadBalancer
metadata: {name: web}
spec: {vipNetwork: machines, ports: [{port: 80, protocol: tcp, realServers: {port: 80, virtualMachineGroupRef: web}}]}
`

// BenchmarkStart measures the time from the start of the process to its first request.
func BenchmarkStart(b *testing.B) {
	s := newBench(b, strings.Replace(thousand, "1000", "2", 1))
	var total time.Duration
	for b.Loop() {
		first := make(chan time.Time, 1)
		var once sync.Once
		s.Server.OnRequest(func(int, simulator.Request) { once.Do(func() { first <- time.Now() }) })
		started := time.Now()
		cmd := s.command("run", "--once")
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		total += (<-first).Sub(started)
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms-to-first-request")
}

// BenchmarkIdle measures the memory of an idle agent, and the size of its binary.
func BenchmarkIdle(b *testing.B) {
	s := newBench(b, strings.Replace(thousand, "1000", "10", 1))
	var resident, own int
	for b.Loop() {
		ctx, stop := context.WithCancel(b.Context())
		cmd := s.command("run", "--poll", "@every 1s", "--drift-check", "@every 1s")
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		passes := 0
		s.Server.OnRequest(func(_ int, r simulator.Request) {
			if r.Method == "GET" && strings.Contains(r.Path, "servers/detail") {
				if passes++; passes == 5 {
					stop()
				}
			}
		})
		<-ctx.Done()
		resident, own = max(resident, residentKiB(cmd.Process.Pid, "VmRSS:")), max(own, residentKiB(cmd.Process.Pid, "RssAnon:"))
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			b.Fatal(err)
		}
		_ = cmd.Wait() // the process was stopped
	}
	info, err := os.Stat(s.binary)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(resident)/1024, "idle-MiB")
	b.ReportMetric(float64(own)/1024, "own-MiB") // the rest are pages of the binary, which the machine can free
	b.ReportMetric(float64(info.Size())/1e6, "binary-MB")
}

func newBench(b *testing.B, manifests string) *stage {
	b.Helper()
	s := newStage(b, simulator.Options{})
	s.Write("repo/group.yaml", manifests)
	s.Commit()
	s.build()
	return s
}

// BenchmarkCreate runs a whole process that creates machines in an empty cloud. It measures the peak memory and the CPU time of the process.
func BenchmarkCreate(b *testing.B) {
	for _, groups := range []int{1, 2, 5} {
		b.Run(fmt.Sprint(groups*1000), func(b *testing.B) {
			docs := strings.SplitAfterN(thousand, "---\n", 3)
			manifests := docs[0] + docs[1]
			for i := range groups {
				manifests += strings.Replace(docs[2], "name: web", fmt.Sprintf("name: web%d", i), 1) + "---\n"
			}
			var use usage
			for b.Loop() {
				use.run(b, newBench(b, manifests).command("run", "--once"))
			}
			use.report(b)
		})
	}
}
