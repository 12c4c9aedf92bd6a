package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// fourObjects returns the manifests of the four objects of a stack.
func fourObjects(i int) string {
	text := ""
	for _, side := range []string{"a", "b"} {
		name := fmt.Sprintf("%s-%d", side, i)
		text += servicetest.NetworkNamed(name, "") + "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Subnet\nmetadata: {name: " + name + "}\nspec: {resource: {networkRef: " + name + ", ipVersion: 4, cidr: 10.1.0.0/24}}\n"
	}
	return text
}

// newMany returns a stage with many stacks of one document, in one repository and one project.
func newMany(tb testing.TB, stacks int) *stage {
	tb.Helper()
	s := newStage(tb, simulator.Options{})
	for i := range stacks {
		s.Write(fmt.Sprintf("repo/stacks/%d/objects.yaml", i), fourObjects(i))
	}
	s.Write("stackreeve.yaml", "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: many}\nspec:\n  source: {url: "+s.Path("repo")+", paths: stacks/*}\n  cloud: demo\n  sync: {driftCheck: \"@every 24h\"}\n")
	s.Commit()
	s.build()
	return s
}

// passes counts the passes in a log that have ended in sync. It closes done when the wanted number is reached.
type passes struct {
	mu   sync.Mutex
	left int
	done chan struct{}
	part []byte       // an unfinished line
	said bytes.Buffer // the errors
}

// Write implements io.Writer. One write may contain several lines and parts of lines.
func (p *passes) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part = append(p.part, text...)
	for {
		end := bytes.IndexByte(p.part, '\n')
		if end < 0 {
			return len(text), nil
		}
		p.line(p.part[:end+1])
		p.part = p.part[end+1:]
	}
}

func (p *passes) line(line []byte) {
	if bytes.Contains(line, []byte("level=ERROR")) {
		p.said.Write(line)
	}
	if bytes.Contains(line, []byte(`msg="pass ended"`)) && bytes.Contains(line, []byte(`outcome="in sync"`)) {
		if p.left--; p.left == 0 {
			close(p.done)
		}
	}
}

// figures contains the cost until all stacks were in sync.
type figures struct {
	took     time.Duration
	use      usage
	requests []simulator.Request
}

// serveMany runs an agent with an empty disk until all stacks have been in sync.
func (s *stage) serveMany(stacks int) (f figures) {
	s.t.Helper()
	s.Server.ResetRequests()
	seen := &passes{left: stacks, done: make(chan struct{})}
	cmd := s.command("run")
	cmd.Stderr = seen
	started := time.Now()
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // the process may already have ended
	ended := f.use.watch(cmd)
	select {
	case <-seen.done:
	case <-time.After(15 * time.Minute):
		s.t.Errorf("%d stacks are not in sync after a quarter of an hour", seen.left)
	}
	f.took, f.requests = time.Since(started), s.Server.Requests()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	err := cmd.Wait()
	if ended(); err != nil {
		s.t.Fatalf("%v\n%s", err, seen.said.String())
	}
	if seen.said.Len() > 0 {
		s.t.Errorf("it logged\n%s", seen.said.String())
	}
	return f
}

// count returns the number of requests with a method and a path that ends with path.
func (f figures) count(method, path string) (n int) {
	for _, r := range f.requests {
		if r.Method == method && strings.HasSuffix(r.Path, path) {
			n++
		}
	}
	return n
}

// Many stacks are created with one login for all of them, and with few lists for each. After a restart, an agent lists each collection much
// less often than there are stacks, especially if the cloud is slow. It then writes nothing. The test takes long, because it starts three
// agents one after the other, and the first one creates the objects of all stacks.
func TestManyStacks(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	const stacks = 50
	s := newMany(t, stacks)
	first := s.serveMany(stacks)
	again := s.serveMany(stacks)
	if _, err := s.Server.AddFault(simulator.Fault{Method: "GET", Delay: 200 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	slow := s.serveMany(stacks)
	for _, c := range []struct {
		what       string
		have, most int
	}{
		{"logins", first.count("POST", "/auth/tokens"), stacks / 4},
		{"networks made", first.count("POST", "/networks"), 2 * stacks},
		{"lists of networks", first.count("GET", "/networks"), 3 * stacks}, // one list is needed because an earlier process may have requested a network
		{"requests of a start", len(again.requests), 25 * stacks},
		{"lists of networks of a start", again.count("GET", "/networks"), stacks / 2},
		{"lists of networks of a start where each takes 0.2 s", slow.count("GET", "/networks"), stacks / 4},
	} {
		t.Logf("%s: %d", c.what, c.have)
		if c.have > c.most {
			t.Errorf("%d %s for %d stacks, want %d at most", c.have, c.what, stacks, c.most)
		}
	}
	for what, f := range map[string]figures{"first": first, "again": again, "slow": slow} {
		t.Logf("%s: %s, CPU %s, %d MiB, %d MiB without the binary, %d requests", what, f.took, f.use.cpu, f.use.peak>>10, f.use.own>>10, len(f.requests))
	}
	for _, r := range again.requests {
		if r.Write() {
			t.Errorf("a start writes: %s %s", r.Method, r.Path)
		}
	}
}

// BenchmarkStacks runs one agent that creates stacks of four objects each. It measures the time until all are in sync, the CPU time, the
// requests and the peak memory.
func BenchmarkStacks(b *testing.B) {
	for _, stacks := range []int{50, 200, 1000} {
		b.Run(fmt.Sprint(stacks), func(b *testing.B) {
			var took time.Duration
			var requests int
			var use usage
			for b.Loop() {
				f := newMany(b, stacks).serveMany(stacks)
				took, requests = took+f.took, requests+len(f.requests)
				use.add(f.use)
			}
			b.ReportMetric(took.Seconds()/float64(b.N), "s-to-in-sync/op")
			b.ReportMetric(float64(requests)/float64(b.N), "requests/op")
			use.report(b)
		})
	}
}
