package etcd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// parcel is a snapshot that was sent to a waiting machine, or the first part of a snapshot. It is stored on the machine's disk.
type parcel struct {
	sum   string
	size  int
	data  []byte
	unfit string
}

// says returns the answer of the script about the snapshot. p is nil if there is no snapshot.
func (p *parcel) says() map[string]any {
	switch {
	case p == nil:
		return map[string]any{"state": "blank"}
	case p.unfit != "":
		return map[string]any{"state": "unfit", "message": p.unfit, "sum": p.sum, "received": len(p.data)}
	}
	return map[string]any{"state": "receives", "sum": p.sum, "received": len(p.data)}
}

func (w *World) take(disk string, asked url.Values, part string) *parcel {
	size, _ := strconv.Atoi(asked.Get("size"))
	from, _ := strconv.Atoi(asked.Get("from"))
	p := w.parcels[disk]
	if p == nil || p.sum != asked.Get("sum") || p.size != size {
		p = &parcel{sum: asked.Get("sum"), size: size}
		w.parcels[disk] = p
	}
	if from == len(p.data) && from+len(part) <= size {
		p.data = append(p.data, part...)
	}
	return p
}

// restore begins a cluster with the data of a complete snapshot. In a snapshot, etcd's own digest follows the data.
func (w *World) restore(address string, m *Machine, p *parcel, body string) {
	var asked struct{ Snapshot string }
	if json.Unmarshal([]byte(body), &asked) != nil || p == nil || p.sum != asked.Snapshot || len(p.data) != p.size || p.unfit != "" {
		return
	}
	if sum := sha256.Sum256(p.data); hex.EncodeToString(sum[:]) != p.sum {
		p.unfit = "what came has another SHA-256 digest"
		return
	}
	before := len(p.data) - sha256.Size
	if before < 0 {
		p.unfit = "etcdctl cannot restore it: snapshot missing hash"
		return
	}
	if inner := sha256.Sum256(p.data[:before]); !bytes.Equal(inner[:], p.data[before:]) {
		p.unfit = "etcdctl cannot restore it: expected sha256 is another one"
		return
	}
	w.begin(address, m, p.data[:before])
	delete(w.parcels, m.Disk)
}

// Data returns the data of each cluster.
func (w *World) Data() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.clusters() {
		all = append(all, string(c.data))
	}
	return all
}

func readAll(req *http.Request) string {
	text, _ := io.ReadAll(io.LimitReader(req.Body, 16<<20))
	return string(text)
}
