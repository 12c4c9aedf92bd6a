package etcd_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/outbound"
	simulated "github.com/stackreeve/stackreeve/internal/standin/etcd"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// taken reads the snapshot that a server sends.
func taken(t *testing.T, most int64, serve http.HandlerFunc) ([]byte, *etcd.Snapshot, error) {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	at := netip.MustParseAddrPort(server.Listener.Addr().String())
	c := etcd.Client{Machines: outbound.Machines{Home: true}, Port: int(at.Port())}
	s, err := c.Snapshot(context.WithoutCancel(t.Context()), at.Addr().String(), most)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	var data bytes.Buffer
	_, err = io.Copy(&data, s)
	return data.Bytes(), s, err
}

func serving(data string, sum [sha256.Size]byte) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { simulated.SendSnapshot(rw, []byte(data), sum) }
}

func TestSnapshot(t *testing.T) {
	for _, size := range []int{1, 31, 32, 33, 32 << 10, 100_000} {
		data := strings.Repeat("x", size)
		sum := sha256.Sum256([]byte(data))
		got, s, err := taken(t, 1<<20, serving(data, sum))
		if err != nil || string(got) != data+string(sum[:]) || s.Size() != int64(size+sha256.Size) {
			t.Errorf("%d bytes: %d came, %v", size, len(got), err)
		}
	}
}

// TestAttackSnapshotCutOrForged checks that reading an incomplete or forged snapshot returns an error.
func TestAttackSnapshotCutOrForged(t *testing.T) {
	data := strings.Repeat("data", 50_000)
	whole := httptest.NewRecorder()
	simulated.SendSnapshot(whole, []byte(data), sha256.Sum256([]byte(data)))
	lines := strings.SplitAfter(whole.Body.String(), "\n")
	text := func(text string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, text) }
	}
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  error
	}{
		"the connection ends": {func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(rw, strings.Join(lines[:3], ""))
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		}, etcd.ErrCut},
		"the answer ends early":   {text(strings.Join(lines[:3], "")), etcd.ErrCut},
		"without the digest":      {text(strings.Join(lines[:len(lines)-2], "")), etcd.ErrCut},
		"half a message":          {text(strings.Join(lines[:3], "") + lines[3][:100]), etcd.ErrCut},
		"a message is left out":   {text(strings.Join(append(lines[:2:2], lines[3:]...), "")), etcd.ErrCut},
		"another digest":          {serving(data, sha256.Sum256([]byte("other"))), etcd.ErrCut},
		"nothing":                 {text(""), etcd.ErrCut},
		"no JSON":                 {text("<html>\n"), etcd.ErrCut},
		"no result":               {text("{}\n"), etcd.ErrCut},
		"more than it announced":  {text(strings.Join(lines, "") + lines[0]), etcd.ErrCut},
		"larger than is taken":    {serving(strings.Repeat("x", 2<<20), sha256.Sum256(nil)), etcd.ErrTooLarge},
		"announced as endless":    {text(`{"result": {"remaining_bytes": "18446744073709551615", "blob": ""}}` + "\n"), etcd.ErrTooLarge},
		"an error of etcd's":      {text(`{"error": {"grpc_code": 14, "message": "etcdserver: no leader"}}` + "\n"), &etcd.Refused{}},
		"an error in place of it": {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusServiceUnavailable) }, etcd.ErrSilent},
		"another server, answered": {func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "http://127.0.0.1:1/", http.StatusFound)
		}, etcd.ErrSilent},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := taken(t, 1<<20, c.serve)
			if refused := new(etcd.Refused); errors.As(c.want, &refused) && errors.As(err, &refused) {
				return
			}
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// TestAttackSnapshotWithoutEnd uses a server that sends data without end. This needs little memory, whether the
// data are in one message or in many.
func TestAttackSnapshotWithoutEnd(t *testing.T) {
	for name, block := range map[string]string{"one message": strings.Repeat("A", 64<<10), "many": `{"result": {"blob": "` + strings.Repeat("A", 40_000) + `"}}` + "\n"} {
		var err error
		used := testcost.Allocated(func() {
			_, _, err = taken(t, 4<<20, func(rw http.ResponseWriter, req *http.Request) {
				_, _ = io.WriteString(rw, `{"result": {"remaining_bytes": "100", "blob": "`)
				if name == "many" {
					_, _ = io.WriteString(rw, "\"}}\n")
				}
				for req.Context().Err() == nil {
					if _, err := io.WriteString(rw, block); err != nil {
						return
					}
				}
			})
		})
		if err == nil || errors.Is(err, context.DeadlineExceeded) || used > 64<<20 {
			t.Errorf("%s: %v, and %d bytes were allocated", name, err, used)
		}
	}
}

// TestASnapshotIsReadOnce checks that a closed snapshot cannot be read any more, because a second read would
// miss the beginning.
func TestASnapshotIsReadOnce(t *testing.T) {
	data := strings.Repeat("x", 1000)
	_, s, err := taken(t, 1<<20, serving(data, sha256.Sum256([]byte(data))))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Read(make([]byte, 10)); n > 0 || err == nil || errors.Is(err, io.EOF) {
		t.Errorf("%d bytes, %v", n, err)
	}
}
