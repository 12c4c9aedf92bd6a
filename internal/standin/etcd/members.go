package etcd

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
)

// Invite adds a learner with an address, as if a client made this request and crashed immediately afterwards.
func (w *World) Invite(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next += 7
	c := w.clusters()[0]
	c.members = append(c.members, &member{ID: w.next, PeerURLs: []string{w.Machine(address).peerURL(address)}, IsLearner: true})
}

// add refuses the same requests as etcd (server/etcdserver/server.go: mayAddMember).
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

// promote makes a learner a voter. It fails for the first request, and until the learner has started, because a learner does not have all data at first.
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

// Interrupt is called before a machine of the cluster is deleted or stopped. If a member runs on the machine, all other members must be running
// voters. Then only one member changes at a time, and the majority remains.
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
