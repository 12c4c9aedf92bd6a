// Package etcd is the etcd that machines of the simulator run, as far as its JSON gateway shows it, and the script that
// waits on a machine without data. It keeps what a real one keeps on its disk, refuses what a real one refuses, and writes down what nobody
// should have asked for.
package etcd

import (
	"cmp"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Machine is one that runs: Disk is what its data is on, and stays when the machine is replaced. Version is of the etcd that it
// has, "" for 3.5.35; TLS is what it serves with, nil for none.
type Machine struct {
	Disk, Version string
	TLS           *tls.Config
}

// World is all machines and what is on their disks.
type World struct {
	// Machine finds the machine that runs at an address; nil for none.
	Machine func(address string) *Machine

	// Name is that of the machine at an address; nil where names do not matter.
	Name func(address string) string

	mu        sync.Mutex
	next      uint64
	elections int
	disks     map[string]*node
	parcels   map[string]*parcel
	// Sins are what nobody should have asked for.
	sins     []string
	begun    int
	requests func()
}

// node is what etcd has written to a disk.
type node struct {
	id      uint64
	cluster *cluster
	version string // of the etcd that opened it last
}

type cluster struct {
	id      uint64
	members []*member
	leader  uint64 // the last one
	data    []byte // its database, as a snapshot has it
}

type member struct {
	ID         uint64   `json:"ID,string"`
	Name       string   `json:"name,omitempty"`
	PeerURLs   []string `json:"peerURLs"`
	ClientURLs []string `json:"clientURLs,omitempty"`
	IsLearner  bool     `json:"isLearner,omitempty"`

	asked     int    // how often it was to be promoted
	began     bool   // it has written to its disk
	published string // the name that others hear of when it has answered once
}

// New is a world without any cluster.
func New(machine func(address string) *Machine) *World {
	return &World{Machine: machine, disks: map[string]*node{}, parcels: map[string]*parcel{}, next: 1 << 60}
}

// OnRequest has do called before each request that changes something is carried out.
func (w *World) OnRequest(do func()) { w.mu.Lock(); defer w.mu.Unlock(); w.requests = do }

// Sins are what nobody should have asked for, so far.
func (w *World) Sins() []string { w.mu.Lock(); defer w.mu.Unlock(); return slices.Clone(w.sins) }

// Members are the names of the members of the newest cluster, learners with a question mark behind.
func (w *World) Members() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters() {
		names = nil
		for _, m := range c.members {
			name := m.Name
			if m.IsLearner {
				name += "?"
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (w *World) name(address string) string {
	if w.Name != nil {
		return w.Name(address)
	}
	return "member-" + address
}

// Invite has a cluster make a learner of an address, as somebody does who is gone before anything follows from it.
func (w *World) Invite(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next += 7
	c := w.clusters()[0]
	c.members = append(c.members, &member{ID: w.next, PeerURLs: []string{w.Machine(address).peerURL(address)}, IsLearner: true})
}

// Wipe empties a disk.
func (w *World) Wipe(disk string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.disks, disk)
	delete(w.parcels, disk)
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

// runs is the machine at an address with its etcd, which there is not while it waits, or when it is no member any more.
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

// healthy reports whether a member runs, where the others know it.
func (w *World) healthy(c *cluster, m *member) bool {
	at, n, me := w.runs(hostOf(m.PeerURLs[0]))
	return n != nil && n.cluster == c && me == m && opens(n.version, at.version())
}

func (m *Machine) version() string { return cmp.Or(m.Version, "3.5.35") }

// opens reports whether an etcd may open data: as new, or one minor version newer.
func opens(was, now string) bool {
	var major, before, minor int
	_, _ = fmt.Sscanf(was, "%d.%d", &major, &before)
	_, _ = fmt.Sscanf(now, "%d.%d", &major, &minor)
	return minor == before || minor == before+1
}

// leads is the leader, which stays one as long as it runs; only where there is a majority.
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

// Elections are how often there was another leader without one handing over.
func (w *World) Elections() int { w.mu.Lock(); defer w.mu.Unlock(); return w.elections }

// majority reports whether most voters run, and whether all do.
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

func hostOf(url string) string {
	_, at, _ := strings.Cut(url, "://")
	host, _, _ := net.SplitHostPort(at)
	return host
}

// join has a machine without data start etcd where it was made a member that never started.
func (w *World) join(address string, m *Machine) {
	for _, c := range w.clusters() {
		if most, _ := w.majority(c); !most {
			continue
		}
		if me := c.find(func(o *member) bool { return o.Name == "" && o.PeerURLs[0] == m.peerURL(address) }); me != nil {
			if me.began {
				w.sins = append(w.sins, fmt.Sprintf("%x began again with an empty disk", me.ID))
			}
			me.began, me.published = true, w.name(address)
			w.disks[m.Disk] = &node{me.ID, c, m.version()}
		}
	}
}

// Serve answers as the machine at an address does; ok is false where nobody does.
func (w *World) Serve(address string, rw http.ResponseWriter, req *http.Request) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, n, me := w.runs(address)
	if m == nil {
		return false
	}
	if n != nil && me == nil {
		if most, _ := w.majority(n.cluster); most {
			delete(w.disks, m.Disk) // the script puts the data aside when the others say that it is no member
		}
		n = nil
	}
	if n == nil {
		w.join(address, m)
		m, n, me = w.runs(address)
	}
	switch {
	case n == nil:
		w.wait(address, m, rw, req)
	case !opens(n.version, m.version()):
		w.sins = append(w.sins, fmt.Sprintf("data of %s was to be opened by %s", n.version, m.version()))
		w.refuses(n, m, rw, req)
	case me == nil:
		return false
	default:
		n.version = m.version()
		w.serve(n, me, rw, req)
	}
	return true
}

func (w *World) refuses(n *node, m *Machine, rw http.ResponseWriter, req *http.Request) {
	if req.URL.Path != "/stackreeve/waiting" {
		rw.WriteHeader(http.StatusNotFound)
		return
	}
	reply(rw, http.StatusOK, map[string]string{"state": "refuses", "message": fmt.Sprintf("its data is of etcd %s, which %s must not open", n.version, m.version())})
}

// wait is what the boot script answers.
func (w *World) wait(address string, m *Machine, rw http.ResponseWriter, req *http.Request) {
	if req.URL.Path != "/stackreeve/waiting" {
		rw.WriteHeader(http.StatusNotFound)
		return
	}
	w.changesBy(req.Method)
	p, body := w.parcels[m.Disk], readAll(req)
	switch {
	case req.Method == http.MethodPut:
		p = w.take(m.Disk, req.URL.Query(), body)
	case req.Method == http.MethodPost && strings.Contains(body, "snapshot"):
		w.restore(address, m, p, body)
	case req.Method == http.MethodPost && p == nil:
		w.begin(address, m, []byte("an empty database"))
	}
	reply(rw, http.StatusOK, p.says())
}

// begin makes a cluster of one.
func (w *World) begin(address string, m *Machine, data []byte) {
	if len(w.disks) > 0 {
		w.sins = append(w.sins, "a second cluster was begun")
	}
	w.next += 7
	first := &member{ID: w.next, Name: w.name(address), PeerURLs: []string{m.peerURL(address)}, began: true}
	w.disks[m.Disk] = &node{first.ID, &cluster{id: w.next + 1, members: []*member{first}, leader: first.ID, data: data}, m.version()}
}

func (w *World) changesBy(method string) {
	if method != http.MethodGet {
		w.changes()
	}
}

func (w *World) changes() {
	if w.requests != nil {
		w.requests()
	}
}

func (w *World) serve(n *node, me *member, rw http.ResponseWriter, req *http.Request) {
	var asked struct {
		ID        uint64   `json:"ID,string"`
		PeerURLs  []string `json:"peerURLs"`
		IsLearner bool     `json:"isLearner"`
		Target    uint64   `json:"targetID,string"`
	}
	_ = json.NewDecoder(req.Body).Decode(&asked) // empty for some
	c, header := n.cluster, map[string]string{"cluster_id": strconv.FormatUint(n.cluster.id, 10), "member_id": strconv.FormatUint(me.ID, 10), "revision": strconv.Itoa(revision(n.cluster.data))}
	most, all := w.majority(c)
	switch req.URL.Path {
	case "/v3/maintenance/status":
		leader := uint64(0)
		if most {
			leader = w.leads(c).ID
		}
		me.Name, me.published = cmp.Or(me.Name, me.published), ""
		reply(rw, http.StatusOK, map[string]any{"header": header, "version": n.version, "leader": strconv.FormatUint(leader, 10), "raftAppliedIndex": "7", "isLearner": me.IsLearner, "dbSize": "20480"})
		return
	case "/v3/cluster/member/list":
		if me.IsLearner {
			refuse(rw, 14, "rpc not supported for learner")
			return
		}
		reply(rw, http.StatusOK, map[string]any{"header": header, "members": c.members})
		return
	case "/v3/maintenance/snapshot": // a learner, and one without the others, answers, too
		SendSnapshot(rw, c.data, sha256.Sum256(c.data))
		return
	}
	if me.IsLearner {
		refuse(rw, 9, "rpc not supported for learner")
		return
	}
	if w.changes(); !most {
		refuse(rw, 14, "request timed out")
		return
	}
	its := c.find(func(m *member) bool { return m.ID == asked.ID })
	switch req.URL.Path {
	case "/v3/cluster/member/add":
		w.add(c, asked.PeerURLs, all, rw)
	case "/v3/cluster/member/promote":
		w.promote(its, rw)
	case "/v3/cluster/member/remove":
		w.remove(c, its, rw)
	case "/v3/maintenance/transfer-leadership":
		to := c.find(func(m *member) bool { return m.ID == asked.Target })
		if w.leads(c) != me || to == nil || to.IsLearner || !w.healthy(c, to) {
			refuse(rw, 9, "bad leader transferee")
			return
		}
		c.leader = to.ID
		reply(rw, http.StatusOK, map[string]any{"header": header})
	default:
		rw.WriteHeader(http.StatusNotFound)
	}
}

// add refuses what etcd does (server/etcdserver/server.go: mayAddMember).
func (w *World) add(c *cluster, urls []string, all bool, rw http.ResponseWriter) {
	switch {
	case c.find(func(m *member) bool { return m.PeerURLs[0] == urls[0] }) != nil:
		refuse(rw, 9, "Peer URLs already exists")
		return
	case c.find(func(m *member) bool { return m.IsLearner }) != nil:
		refuse(rw, 9, "too many learner members in cluster")
		return
	case !all:
		refuse(rw, 14, "unhealthy cluster")
		return
	}
	w.next += 7
	m := &member{ID: w.next, PeerURLs: urls, IsLearner: true}
	c.members = append(c.members, m)
	reply(rw, http.StatusOK, map[string]any{"member": m})
}

// promote takes a while: a learner is behind at first.
func (w *World) promote(m *member, rw http.ResponseWriter) {
	switch {
	case m == nil:
		refuse(rw, 5, "member not found")
	case !m.IsLearner:
		refuse(rw, 9, "can only promote a learner member")
	case m.Name == "" || m.asked == 0:
		m.asked++
		refuse(rw, 9, "can only promote a learner member which is in sync with leader")
	default:
		m.IsLearner = false
		reply(rw, http.StatusOK, map[string]any{})
	}
}

func (w *World) remove(c *cluster, m *member, rw http.ResponseWriter) {
	if m == nil {
		refuse(rw, 5, "member not found")
		return
	}
	c.members = slices.DeleteFunc(c.members, func(o *member) bool { return o == m })
	if most, _ := w.majority(c); !most {
		w.sins = append(w.sins, fmt.Sprintf("%s was removed, and the others have no majority", m.Name))
	}
	if c.find(func(o *member) bool { return o.IsLearner }) != nil {
		w.sins = append(w.sins, "a member was removed while another one was coming")
	}
	reply(rw, http.StatusOK, map[string]any{})
}

// Interrupt is told before a machine is deleted or stopped by who keeps the cluster. Where a member runs on it, all others have to be voters
// that run: one changes at a time, and the majority stays.
func (w *World) Interrupt(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, n, me := w.runs(address)
	if me == nil || !w.healthy(n.cluster, me) {
		return
	}
	for _, o := range n.cluster.members {
		if o != me && (o.IsLearner || !w.healthy(n.cluster, o)) {
			w.sins = append(w.sins, fmt.Sprintf("the machine of %s was interrupted while %s did not run, or was coming", me.Name, cmp.Or(o.Name, o.PeerURLs[0])))
		}
	}
}

func reply(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(body)
}

func refuse(rw http.ResponseWriter, code int, message string) {
	reply(rw, http.StatusServiceUnavailable, map[string]any{"code": code, "error": "etcdserver: " + message, "message": "etcdserver: " + message})
}
