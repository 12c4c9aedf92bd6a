package etcd

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"
)

func (w *World) name(address string) string {
	if w.Name != nil {
		return w.Name(address)
	}
	return "member-" + address
}

func (w *World) clusters() (all []*cluster) {
	for _, n := range w.disks {
		if !slices.Contains(all, n.cluster) {
			all = append(all, n.cluster)
		}
	}
	return all
}

func (m *Machine) peerURL(address string) string {
	scheme := "http://"
	if m != nil && m.TLS != nil {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(address, "2380")
}

// runs returns the machine at an address, the data on its disk, and its member. n is nil if the machine waits without data. me is nil if the member
// was removed.
func (w *World) runs(address string) (m *Machine, n *node, me *member) {
	if m = w.Machine(address); m == nil {
		return nil, nil, nil
	}
	if n = w.disks[m.Disk]; n == nil {
		return m, nil, nil
	}
	return m, n, n.cluster.find(func(o *member) bool { return o.ID == n.id })
}

func (c *cluster) find(is func(*member) bool) *member {
	if i := slices.IndexFunc(c.members, is); i >= 0 {
		return c.members[i]
	}
	return nil
}

// healthy reports whether a member runs at the address that the other members know for it.
func (w *World) healthy(c *cluster, m *member) bool {
	at, n, me := w.runs(hostOf(m.PeerURLs[0]))
	return n != nil && n.cluster == c && me == m && opens(n.version, at.version())
}

func (m *Machine) version() string { return cmp.Or(m.Version, "3.5.35") }

// opens reports whether etcd in the version now can open data that was written in the version was. The minor version must be the same, or higher by
// one.
func opens(was, now string) bool {
	var major, before, minor int
	_, _ = fmt.Sscanf(was, "%d.%d", &major, &before)
	_, _ = fmt.Sscanf(now, "%d.%d", &major, &minor)
	return minor == before || minor == before+1
}

// leads returns the leader, which remains the leader as long as it runs. leads must be called only if there is a majority.
func (w *World) leads(c *cluster) *member {
	ok := func(m *member) bool { return !m.IsLearner && w.healthy(c, m) }
	if m := c.find(func(m *member) bool { return m.ID == c.leader && ok(m) }); m != nil {
		return m
	}
	m := c.find(ok)
	c.leader = m.ID
	w.elections++
	return m
}

// Elections returns how often the leader changed without a handover.
func (w *World) Elections() int { w.mu.Lock(); defer w.mu.Unlock(); return w.elections }

// Alarm makes all members report an alarm; "" ends that.
func (w *World) Alarm(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.alarms = nil; text != "" {
		w.alarms = []string{text}
	}
}

// majority reports whether a majority of the voters runs, and whether all voters run.
func (w *World) majority(c *cluster) (most, all bool) {
	voters, run := 0, 0
	for _, m := range c.members {
		if m.IsLearner {
			continue
		}
		voters++
		if w.healthy(c, m) {
			run++
		}
	}
	return run > voters/2, run == voters
}

// answers reports whether etcd on a machine answers clients. It also records which machines have found a majority.
func (w *World) answers(m *Machine) bool {
	for _, c := range w.clusters() {
		most, _ := w.majority(c)
		for _, o := range c.members {
			if at := w.Machine(hostOf(o.PeerURLs[0])); most && w.healthy(c, o) {
				w.ready[at.Boot] = true
			}
		}
	}
	return m.Boot == "" || w.ready[m.Boot]
}

func hostOf(url string) string {
	_, at, _ := strings.Cut(url, "://")
	host, _, _ := net.SplitHostPort(at)
	return host
}
