package etcd

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
)

// chunkSize is the amount of data in each message.
const chunkSize = 32 << 10

// Fill sets the data of all clusters.
func (w *World) Fill(data string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters() {
		c.data = []byte(data)
	}
}

// revision returns a revision that grows with the length of the data.
func revision(data []byte) int { return 1 + len(data) }

// SendSnapshot answers as the gateway does: with messages of 32 KiB each, and a last message that contains a digest. A correct server sends the
// data's own digest as sum. (server/etcdserver/api/v3rpc/maintenance.go: Snapshot)
func SendSnapshot(rw http.ResponseWriter, data []byte, sum [sha256.Size]byte) {
	rw.Header().Set("Content-Type", "application/json")
	send := func(chunk []byte, left int) {
		result := map[string]any{"blob": chunk}
		if left > 0 {
			result["remaining_bytes"] = fmt.Sprint(left)
		}
		_ = json.NewEncoder(rw).Encode(map[string]any{"result": result}) // adds a newline
	}
	for sent := 0; sent < len(data); {
		chunk := data[sent:min(len(data), sent+chunkSize)]
		sent += len(chunk)
		send(chunk, len(data)-sent)
	}
	send(sum[:], 0)
}

// Start starts a cluster at the addresses. Each of them is a voter.
func (w *World) Start(addresses ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next += 7
	c := &cluster{id: w.next}
	for _, address := range addresses {
		w.next += 7
		m := w.Machine(address)
		c.members = append(c.members, &member{ID: w.next, Name: w.name(address), PeerURLs: []string{m.peerURL(address)}, began: true})
		w.disks[m.Disk] = &node{w.next, c, m.version()}
	}
	c.leader = c.members[0].ID
}
