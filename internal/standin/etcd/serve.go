package etcd

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// join starts etcd on a machine without data, if its address belongs to a member that was added and never started.
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

// Serve answers as the machine at an address. ok is false if the machine does not answer.
func (w *World) Serve(address string, rw http.ResponseWriter, req *http.Request) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, n, me := w.runs(address)
	if m == nil {
		return false
	}
	if w.failure != "" {
		reply(rw, http.StatusServiceUnavailable, map[string]any{"state": "fails", "message": w.failure})
		return true
	}
	if n != nil && me == nil {
		if most, _ := w.majority(n.cluster); most {
			delete(w.disks, m.Disk) // the script moves the data away when a majority reports that the machine is no member
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
		if !w.answers(m) {
			return false
		}
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

// wait answers as the boot script of a machine without data.
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
	case req.Method == http.MethodPost && w.forgets:
	case req.Method == http.MethodPost && p == nil:
		w.begin(address, m, []byte("an empty database"))
	}
	reply(rw, http.StatusOK, p.says())
}

// begin makes a cluster whose only member is the machine.
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
	_ = json.NewDecoder(req.Body).Decode(&asked) // some requests have no body
	c, header := n.cluster, map[string]string{"cluster_id": strconv.FormatUint(n.cluster.id, 10), "member_id": strconv.FormatUint(me.ID, 10), "revision": strconv.Itoa(revision(n.cluster.data))}
	most, all := w.majority(c)
	switch req.URL.Path {
	case "/v3/maintenance/status":
		leader := uint64(0)
		if most {
			leader = w.leads(c).ID
		}
		me.Name, me.published = cmp.Or(me.Name, me.published), ""
		reply(rw, http.StatusOK, map[string]any{"header": header, "version": n.version, "leader": strconv.FormatUint(leader, 10), "raftAppliedIndex": "7", "isLearner": me.IsLearner, "dbSize": "20480", "errors": w.alarms})
		return
	case "/v3/cluster/member/list":
		if me.IsLearner {
			refuse(rw, 14, "rpc not supported for learner")
			return
		}
		reply(rw, http.StatusOK, map[string]any{"header": header, "members": c.members})
		return
	case "/v3/maintenance/snapshot": // a learner also answers this, and so does a member without a majority
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

func reply(rw http.ResponseWriter, status int, body any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(body)
}

func refuse(rw http.ResponseWriter, code int, message string) {
	reply(rw, http.StatusServiceUnavailable, map[string]any{"code": code, "error": "etcdserver: " + message, "message": "etcdserver: " + message})
}
