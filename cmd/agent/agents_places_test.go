package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// place is the network in which an agent runs. It is a separate network if this machine allows that.
type place struct {
	namespace string   // network namespace; "" for the machine's own
	cloud     string   // the address at which the cloud listens for the agent
	etcd      []string // the addresses of the etcd members for the agent
	cut       func(cut bool) error
}

// network contains the addresses at which agents reach the members of etcd.
type network struct {
	listen []string // addresses on which the members listen; the first is for this process
	places []place
}

// ownLoopback returns a loopback address of this machine that no other process listens on.
func ownLoopback() string {
	return fmt.Sprintf("127.%d.%d.1", 1+os.Getpid()/250%250, 1+os.Getpid()%250)
}

// newNetwork makes places for the agents. If this machine allows it, each place is a namespace with one veth pair to the cloud and one to
// etcd. Otherwise, the places have relays that can drop all bytes.
func newNetwork(t *testing.T, agents int) network {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil || os.Getuid() != 0 {
		t.Log("agents are cut off by relays: network namespaces need root, and ip of iproute2")
		return relayed(t, agents)
	}
	probe := fmt.Sprintf("sr%d-probe", os.Getpid())
	if err := ip("netns add " + probe); err != nil {
		t.Log("agents are cut off by relays:", err)
		return relayed(t, agents)
	}
	_ = ip("netns del " + probe) // if this fails, the test fails below
	return cabled(t, agents)
}

// cabled gives each agent a namespace. The addresses come from the range that RFC 2544 reserves for benchmarks.
func cabled(t *testing.T, agents int) network {
	t.Helper()
	own := os.Getpid() % 250
	to := map[string]string{"c": fmt.Sprintf("198.18.%d.", own), "e": fmt.Sprintf("198.19.%d.", own)} // cloud, etcd
	must := func(commands ...string) {
		t.Helper()
		for _, c := range commands {
			if err := ip(c); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, prefix := range to { // packets for a cable that is cut must not use another route
		must("route add blackhole " + prefix + "0/24")
		t.Cleanup(func() { must("route del blackhole " + prefix + "0/24") })
	}
	n := network{listen: []string{ownLoopback(), to["e"] + "1"}}
	for i := range agents {
		space := fmt.Sprintf("sr%d-%d", os.Getpid(), i)
		must("netns add "+space, "-n "+space+" link set lo up")
		t.Cleanup(func() { must("netns del " + space) })
		for cable, prefix := range to {
			end, here, there := fmt.Sprintf("sr%d%s%d", os.Getpid()%1e6, cable, i), prefix+"1", fmt.Sprint(prefix, 11+i)
			must(
				fmt.Sprintf("link add %s type veth peer name %s netns %s", end, cable, space),
				fmt.Sprintf("addr add %s peer %s dev %s", here, there, end), fmt.Sprintf("link set %s up", end),
				fmt.Sprintf("-n %s addr add %s peer %s dev %s", space, there, here, cable), fmt.Sprintf("-n %s link set %s up", space, cable),
			)
		}
		end := fmt.Sprintf("sr%de%d", os.Getpid()%1e6, i)
		n.places = append(n.places, place{namespace: space, cloud: to["c"] + "1", etcd: addresses(to["e"] + "1"), cut: func(cut bool) error {
			return ip("link set " + end + map[bool]string{true: " down", false: " up"}[cut])
		}})
	}
	return n
}

func ip(words string) error {
	out, err := exec.Command("ip", strings.Fields(words)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", words, err, out)
	}
	return nil
}

// addresses returns the addresses of the etcd members on a host.
func addresses(host string) (list []string) {
	for _, port := range memberPorts {
		list = append(list, fmt.Sprintf("https://%s:%d", host, port))
	}
	return list
}

// relayed gives each agent a relay to each member.
func relayed(t *testing.T, agents int) (n network) {
	t.Helper()
	n.listen = []string{ownLoopback()}
	for range agents {
		var relays []*relay
		p := place{cloud: "127.0.0.1", cut: func(cut bool) error {
			for _, r := range relays {
				r.drop(cut)
			}
			return nil
		}}
		for _, port := range memberPorts {
			r := newRelay(t, fmt.Sprintf("%s:%d", n.listen[0], port))
			relays, p.etcd = append(relays, r), append(p.etcd, "https://"+r.listener.Addr().String())
		}
		n.places = append(n.places, p)
	}
	return n
}

// relay forwards bytes to an address, or discards them silently.
type relay struct {
	to       string
	listener net.Listener

	mu      sync.Mutex
	dropped bool
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &relay{to: to, listener: l}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			go r.carry(conn)
		}
	}()
	return r
}

func (r *relay) drop(dropped bool) { r.mu.Lock(); defer r.mu.Unlock(); r.dropped = dropped }
func (r *relay) drops() bool       { r.mu.Lock(); defer r.mu.Unlock(); return r.dropped }

func (r *relay) carry(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", r.to)
	if err != nil {
		return
	}
	defer far.Close()
	go func() { _, _ = io.Copy(dropping{far, r}, near); far.Close() }() // one of the two connections has ended
	_, _ = io.Copy(dropping{near, r}, far)
}

// dropping is a writer that discards its bytes while the relay drops them.
type dropping struct {
	net.Conn
	of *relay
}

func (d dropping) Write(p []byte) (int, error) {
	if d.of.drops() {
		return len(p), nil
	}
	return d.Conn.Write(p)
}
