package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// process is a program that is killed and started again.
type process struct {
	t       *testing.T
	name    string
	command func() *exec.Cmd
	heard   func(line string) // called for each line of output; may be nil

	cmd   *exec.Cmd
	ended chan struct{}

	mu     sync.Mutex
	said   []string       // the last lines of its output
	ending syscall.Signal // the last signal that should end it
}

const linesKept = 60

func (p *process) start() {
	out, in, err := os.Pipe()
	if err != nil {
		p.t.Error(err)
		return
	}
	p.cmd, p.ended = p.command(), make(chan struct{})
	p.cmd.Stdout, p.cmd.Stderr = in, in
	p.toEnd(0)
	if err := p.cmd.Start(); err != nil {
		p.t.Errorf("%s: %v", p.name, err)
	}
	in.Close()
	go func(cmd *exec.Cmd, ended chan struct{}) {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.hear(lines.Text())
		}
		out.Close()
		err := cmd.Wait()
		if p.isToEnd() == 0 {
			p.t.Errorf("%s ended by itself: %v", p.name, err)
		}
		close(ended)
	}(p.cmd, p.ended)
}

func (p *process) hear(line string) {
	p.mu.Lock()
	p.said = append(p.said, line)
	p.said = p.said[max(0, len(p.said)-linesKept):]
	p.mu.Unlock()
	if p.heard != nil {
		p.heard(line)
	}
}

func (p *process) toEnd(by syscall.Signal) { p.mu.Lock(); defer p.mu.Unlock(); p.ending = by }
func (p *process) isToEnd() syscall.Signal { p.mu.Lock(); defer p.mu.Unlock(); return p.ending }

func (p *process) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Errorf("%s: %s: %v", p.name, s, err)
	}
}

// end sends a signal to the process and waits until it has ended.
func (p *process) end(s syscall.Signal) {
	p.toEnd(s)
	p.signal(s)
	<-p.ended
}

// tell logs the last lines of the process.
func (p *process) tell() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.t.Logf("%s said last:\n%s", p.name, strings.Join(p.said, "\n"))
}

// memberPorts are the client ports of the etcd members; a member's peer port is the next one.
var memberPorts = []int{2379, 2381, 2383}

// newMembers returns the members of a real etcd in a folder. They listen at these addresses with TLS, with a certificate and its key.
// The members use the first address to reach each other.
func newMembers(t *testing.T, folder string, listen []string, cert, key string) (members []*process) {
	t.Helper()
	dir := t.TempDir()
	var cluster []string
	for i, port := range memberPorts {
		cluster = append(cluster, fmt.Sprintf("etcd-%d=http://%s:%d", i+1, listen[0], port+1))
	}
	for i, port := range memberPorts {
		name, peer, clients := fmt.Sprint("etcd-", i+1), fmt.Sprintf("http://%s:%d", listen[0], port+1), []string{}
		for _, address := range listen {
			clients = append(clients, fmt.Sprintf("https://%s:%d", address, port))
		}
		members = append(members, &process{t: t, name: name, command: func() *exec.Cmd {
			return exec.Command(filepath.Join(folder, "etcd"), "--name", name, "--data-dir", filepath.Join(dir, name), "--cert-file", cert, "--key-file", key,
				"--listen-client-urls", strings.Join(clients, ","), "--advertise-client-urls", clients[0], "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
				"--initial-cluster", strings.Join(cluster, ","))
		}})
	}
	return members
}

// contender is one of several agents: a process in its place, with its own proxy to the cloud.
type contender struct {
	process
	place
	gate gate

	counted struct {
		sync.Mutex
		took, refused int // took: the number of stacks that it took; refused: the number of log lines about refused writes
	}
}

var (
	serves    = regexp.MustCompile(`msg="serves a stack" stack=`)
	handsOver = regexp.MustCompile(`^time=(\S+) .*msg="hands over a stack" stack=(\S+)`)
	ofAStack  = regexp.MustCompile(`msg="(?:serves|hands over) a stack.* stack=(\S+)`)
	noMore    = regexp.MustCompile(`^time=(\S+) .*msg="stopped serving a stack" stack=(\S+)`)
)

// listens counts the agent's log lines about stacks that it takes, and about writes that are refused. The ledger records when it gives up a
// stack.
func (c *contender) listens(l *ledger) {
	c.heard = func(line string) {
		if about := ofAStack.FindStringSubmatch(line); about != nil {
			l.mu.Lock()
			l.said = append(l.said, said{c.name, about[1], line})
			l.mu.Unlock()
		}
		gives := handsOver.FindStringSubmatch(line)
		if gives == nil && c.isToEnd() == syscall.SIGTERM {
			gives = noMore.FindStringSubmatch(line)
		}
		if gives != nil {
			at, err := time.Parse(time.RFC3339Nano, gives[1])
			if err != nil {
				c.t.Errorf("%s: %v", line, err)
			}
			l.gives(c.name, gives[2], at)
		}
		c.counted.Lock()
		defer c.counted.Unlock()
		if serves.MatchString(line) {
			c.counted.took++
		}
		if strings.Contains(line, "nothing is written: ") {
			c.counted.refused++
		}
	}
}

// cloudAt starts a server for the cloud in the network of this agent, and returns its address.
func (c *contender) cloudAt(cloud http.Handler) string {
	listener, err := net.Listen("tcp", c.place.cloud+":0")
	if err != nil {
		c.t.Fatal(err)
	}
	server := &http.Server{Handler: cloud, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // it returns when the server is closed
	c.t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String()
}

// inPlace returns a command that runs in the agent's network.
func (c *contender) inPlace(words ...string) *exec.Cmd {
	if c.namespace != "" {
		words = append([]string{"ip", "netns", "exec", c.namespace}, words...)
	}
	return exec.Command(words[0], words[1:]...)
}
