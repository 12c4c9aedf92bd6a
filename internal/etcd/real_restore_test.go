package etcd_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd"
)

// waits waits until a machine is in a state.
func (r *machines) waits(c etcd.Client, state string) (w etcd.Waiting) {
	r.t.Helper()
	r.until("a machine is "+state, func() (err error) {
		if w, err = c.Waiting(r.t.Context(), address(0)); err != nil || w.State != state {
			return fmt.Errorf("%v %w", w, err)
		}
		return nil
	})
	return w
}

// send sends the bytes of a snapshot between two offsets.
func (r *machines) send(c etcd.Client, data []byte, from, to int) {
	r.t.Helper()
	sum := sha256.Sum256(data)
	const part = 100_000
	for ; from < to; from += part {
		w, err := c.SendPart(r.t.Context(), address(0), hex.EncodeToString(sum[:]), int64(len(data)), int64(from), data[from:min(from+part, to)])
		if err != nil || w.State != etcd.Receives || w.Received != int64(min(from+part, to)) {
			r.t.Fatalf("it has %v, %v", w, err)
		}
	}
}

// with sends the request to begin with a snapshot.
func (r *machines) with(c etcd.Client, data []byte) {
	r.t.Helper()
	sum := sha256.Sum256(data)
	if err := c.BeginWith(r.t.Context(), address(0), hex.EncodeToString(sum[:])); err != nil {
		r.t.Fatal(err)
	}
}

// TestARealMachineBeginsWithASnapshot sends a snapshot to a real machine in parts. The machine begins with the
// snapshot, even if it was restarted in between, and never without the snapshot.
func TestARealMachineBeginsWithASnapshot(t *testing.T) {
	for generation, name := range []string{"without TLS", "with TLS"} {
		t.Run(name, func(t *testing.T) {
			r := newReal(t)
			r.size = 1
			c, ctx := r.client(generation), t.Context()
			r.begin(generation)
			const keys = 300
			for n := range keys {
				r.put(c, fmt.Sprintf("key-%03d", n), strings.Repeat(fmt.Sprint(n), 500))
			}
			before, err := c.Status(ctx, address(0))
			if err != nil || before.Revision != keys+1 {
				t.Fatalf("revision %d, %v", before.Revision, err)
			}
			snapshot, err := c.Snapshot(ctx, address(0), 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(snapshot)
			_ = snapshot.Close()
			if err != nil {
				t.Fatal(err)
			}
			r.stop[0]()
			r.stop[0] = nil
			if err := os.RemoveAll(filepath.Join(r.folder, "0")); err != nil {
				t.Fatal(err)
			}

			r.boot(0, generation)
			r.waits(c, etcd.Blank)
			changed := bytes.Replace(data, []byte("key-007"), []byte("key-oo7"), 1)
			r.send(c, changed, 0, len(changed))
			r.with(c, changed) // with the digest of the changed data, which differs from the digest in etcd's trailer
			if w := r.waits(c, etcd.Unfit); !strings.Contains(w.Said(), "cannot restore it") {
				t.Errorf("of a changed snapshot it is said: %s", w.Said())
			}
			r.send(c, data, 0, 300_000)
			if err := c.Begin(ctx, address(0)); err != nil {
				t.Fatal(err)
			}
			r.with(c, data) // a part of it has not arrived yet
			r.boot(0, generation)
			if w := r.waits(c, etcd.Receives); w.Received != 300_000 {
				t.Fatalf("after a restart it has %d bytes", w.Received)
			}
			r.send(c, data, 300_000, len(data))
			r.with(c, data)
			r.serves(c, 0)
			after, err := c.Status(ctx, address(0))
			if err != nil || after.ClusterID == 0 || after.Version != r.version {
				t.Errorf("%+v, %v; want etcd %s", after, err, r.version)
			}
			r.raised(c, before.Revision, after.Revision)
			for n := range keys {
				if got := r.get(c, fmt.Sprintf("key-%03d", n)); got != strings.Repeat(fmt.Sprint(n), 500) {
					t.Fatalf("key %d is %.20s", n, got)
				}
			}
			if _, err := os.Stat(filepath.Join(r.folder, "0/data/restore")); !os.IsNotExist(err) {
				t.Errorf("the snapshot is left: %v", err)
			}
			t.Logf("etcd %s: %d keys, %d bytes; revision %d before, %d after", after.Version, keys, len(data), before.Revision, after.Revision)
		})
	}
}

// raise is the number by which a restore raises revisions, as the boot script requests.
const raise = 1_000_000_000

// raised checks that revisions are higher by raise, and that a watcher from an earlier revision receives an
// error about that. Etcd 3.4 cannot raise revisions; then the machine must report that.
func (r *machines) raised(c etcd.Client, before, after int64) {
	r.t.Helper()
	log, err := os.ReadFile(filepath.Join(r.folder, "0/log"))
	if err != nil {
		r.t.Fatal(err)
	}
	told, compacted := bytes.Contains(log, []byte("cannot raise revisions: restart clients that watch")), r.watched(c, before)
	if strings.HasPrefix(r.version, "3.4.") {
		if !told || after != before || compacted != 0 {
			r.t.Errorf("the revision is %d after %d, compacted at %d; that it cannot be raised is said: %v", after, before, compacted, told)
		}
		return
	}
	if told || after != before+raise || compacted != after {
		r.t.Errorf("the revision is %d after %d, compacted at %d; want %d more, and all before compacted", after, before, compacted, int64(raise))
	}
}

// watched returns the compaction revision that a watcher from an earlier revision receives, or 0.
func (r *machines) watched(c etcd.Client, from int64) int64 {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, at(c, address(0), "watch"),
		strings.NewReader(fmt.Sprintf(`{"create_request": {"key": "AA==", "range_end": "AA==", "start_revision": "%d"}}`, from)))
	if err != nil {
		r.t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: c.TLS}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	for said := json.NewDecoder(resp.Body); ; {
		var m struct {
			Result struct {
				Canceled  bool
				Compacted int64 `json:"compact_revision,string"`
				Events    []any
			}
		}
		if err := said.Decode(&m); err != nil {
			r.t.Fatal(err)
		}
		if m.Result.Canceled || len(m.Result.Events) > 0 {
			return m.Result.Compacted
		}
	}
}

// put and get write and read keys of etcd.
func (r *machines) put(c etcd.Client, key, value string) {
	r.t.Helper()
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	call(r.t, c, address(0), "kv/put", map[string]string{"key": encoded(key), "value": encoded(value)}, &struct{}{})
}

func (r *machines) get(c etcd.Client, key string) string {
	r.t.Helper()
	var got struct{ Kvs []struct{ Value []byte } }
	call(r.t, c, address(0), "kv/range", map[string]string{"key": base64.StdEncoding.EncodeToString([]byte(key))}, &got)
	if len(got.Kvs) != 1 {
		return ""
	}
	return string(got.Kvs[0].Value)
}
