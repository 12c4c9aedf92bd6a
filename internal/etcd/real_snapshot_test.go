package etcd_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/outbound"
)

// programs returns the folder in STACKREEVE_TEST_ETCD, or the folder of the etcd in PATH.
func programs(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("STACKREEVE_TEST_ETCD"); folder != "" {
		return folder
	}
	path, err := exec.LookPath("etcd")
	if err != nil {
		t.Skip("etcd is not here; STACKREEVE_TEST_ETCD names the folder that etcd and etcdutl, or etcdctl, are in; see `make test-etcd`")
	}
	return filepath.Dir(path)
}

// restorer returns the program that restores snapshots: etcdutl, or etcdctl in older versions.
func restorer(folder string) string {
	for _, name := range []string{"etcdutl", "etcdctl"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return name
		}
	}
	return "etcdutl"
}

// archived starts a server with an archive that machines can download. The archive contains etcd and the program
// that restores snapshots. archived also returns the version.
func archived(t *testing.T) (url, version string) {
	t.Helper()
	folder := programs(t)
	said, err := exec.CommandContext(t.Context(), filepath.Join(folder, "etcd"), "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(said), "\n")
	version = first[strings.LastIndexByte(first, ' ')+1:]
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		packed, _ := gzip.NewWriterLevel(rw, gzip.NoCompression)
		archive := tar.NewWriter(packed)
		for _, name := range []string{"etcd", restorer(folder)} {
			data, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				t.Error(err)
				return
			}
			_ = archive.WriteHeader(&tar.Header{Name: "etcd-v" + version + "/" + name, Mode: 0o755, Size: int64(len(data))})
			_, _ = archive.Write(data)
		}
		_, _ = archive.Close(), packed.Close()
	}))
	t.Cleanup(server.Close)
	return server.URL, version
}

// port returns a port on which nothing listens.
func port(t *testing.T) int {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// start runs a server with some data. It runs until the test ends or stop is called.
func start(t *testing.T, data, peer string) (c etcd.Client, stop func()) {
	t.Helper()
	c = etcd.Client{Machines: outbound.Machines{Home: true}, Port: port(t)}
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	clients := fmt.Sprintf("http://127.0.0.1:%d", c.Port)
	cmd := exec.CommandContext(ctx, filepath.Join(programs(t), "etcd"), "--name", "one", "--data-dir", data, "--listen-client-urls", clients, "--advertise-client-urls", clients,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "one="+peer)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() { end(); _ = cmd.Wait() }
	t.Cleanup(stop)
	for s, err := c.Status(ctx, "127.0.0.1"); err != nil || s.Leader == 0; s, err = c.Status(ctx, "127.0.0.1") {
		if t.Context().Err() != nil || cmd.ProcessState != nil {
			t.Fatal("the server does not start")
		}
	}
	return c, stop
}

// at returns the URL of a path on a server.
func at(c etcd.Client, address, path string) string {
	scheme := "http"
	if c.TLS != nil {
		scheme = "https"
	}
	return fmt.Sprintf("%s://%s:%d/v3/%s", scheme, address, c.Port, path)
}

// call sends a server a request for which the client has no method.
func call(t *testing.T, c etcd.Client, address, path string, body, into any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at(c, address, path), bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: c.TLS} // without the client's limit for answers
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || json.Unmarshal(answer, into) != nil {
		t.Fatalf("%s: %s, %v", resp.Status, answer, err)
	}
}

// TestARealSnapshotIsRestored checks that a snapshot of a real server, restored by etcd's own program, has every key.
func TestARealSnapshotIsRestored(t *testing.T) {
	const keys = 300
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	folder, peer := t.TempDir(), fmt.Sprintf("http://127.0.0.1:%d", port(t))
	c, stop := start(t, filepath.Join(folder, "before"), peer)
	for n := range keys {
		call(t, c, "127.0.0.1", "kv/put", map[string]string{"key": encoded(fmt.Sprintf("key-%03d", n)), "value": encoded(strings.Repeat(fmt.Sprint(n), 500))}, &struct{}{})
	}
	status, err := c.Status(t.Context(), "127.0.0.1")
	if err != nil || status.Revision != keys+1 {
		t.Fatalf("revision %d, %v", status.Revision, err)
	}
	data, err := c.Snapshot(t.Context(), "127.0.0.1", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	file := filepath.Join(folder, "snapshot.db")
	to, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, data); err != nil {
		t.Fatal(err)
	}
	_ = to.Close()
	stop()

	restore := exec.CommandContext(t.Context(), filepath.Join(programs(t), restorer(programs(t))), "snapshot", "restore", file, "--name", "one", "--data-dir", filepath.Join(folder, "after"),
		"--initial-cluster", "one="+peer, "--initial-advertise-peer-urls", peer)
	restore.Env = append(os.Environ(), "ETCDCTL_API=3")
	if out, err := restore.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	c, _ = start(t, filepath.Join(folder, "after"), peer)
	var got struct {
		Count string
		Kvs   []struct{ Key, Value string }
	}
	call(t, c, "127.0.0.1", "kv/range", map[string]string{"key": "AA==", "range_end": "AA=="}, &got)
	for n, kv := range got.Kvs {
		if kv.Key != encoded(fmt.Sprintf("key-%03d", n)) || kv.Value != encoded(strings.Repeat(fmt.Sprint(n), 500)) {
			t.Errorf("%s is %.20s", kv.Key, kv.Value)
		}
	}
	if len(got.Kvs) != keys {
		t.Errorf("%d keys of %d are there", len(got.Kvs), keys)
	}
	t.Logf("etcd %s: %d keys, %d bytes, SHA-256 %s", status.Version, len(got.Kvs), data.Size(), data.Sum())
}
