package etcdbackup

import (
	"context"
	"crypto/md5" //nolint:gosec // stores report their content with it
	"crypto/sha256"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stackreeve/stackreeve/internal/cloud/etcdstore"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/outbound"
	simulator "github.com/stackreeve/stackreeve/internal/standin/etcd"
)

// sending returns a snapshot that is read from a server with the given handler.
func sending(t *testing.T, answer http.HandlerFunc) *sent {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	through := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
	}
	c := etcd.Client{Machines: outbound.Machines{Through: through}, Port: 2379}
	data, err := c.Snapshot(t.Context(), "10.0.0.1", etcdstore.Largest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = data.Close() })
	if _, err := data.Length(); err != nil {
		t.Fatal(err)
	}
	return newSent(data)
}

// A store that knows the length creates the object when it receives the last byte. So the last byte is sent only if the
// digest is correct.
func TestAttackTheLastByte(t *testing.T) {
	for _, size := range []int{1, 32, 33, 32 << 10, 200_000} {
		data := strings.Repeat("x", size)
		sum := sha256.Sum256([]byte(data))
		whole := httptest.NewRecorder()
		simulator.SendSnapshot(whole, []byte(data), sum)
		first := whole.Body.String()[:strings.Index(whole.Body.String(), "\n")+1]
		for name, c := range map[string]struct {
			answer http.HandlerFunc
			good   bool
		}{
			"right":             {func(rw http.ResponseWriter, _ *http.Request) { simulator.SendSnapshot(rw, []byte(data), sum) }, true},
			"a wrong digest":    {func(rw http.ResponseWriter, _ *http.Request) { simulator.SendSnapshot(rw, []byte(data), [32]byte{}) }, false},
			"more than it said": {func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, whole.Body.String()+first) }, false},
		} {
			for _, reads := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
				s := sending(t, c.answer)
				got, err := io.ReadAll(reads(s))
				if c.good {
					if md5 := md5.Sum(got); err != nil || string(got) != data+string(sum[:]) || string(s.sum.Sum(nil)) != string(md5[:]) || s.err != nil { //nolint:gosec // see above
						t.Errorf("%d bytes, %s: %d came, %v", size, name, len(got), err)
					}
				} else if len(got) >= size+sha256.Size || !errors.Is(err, etcd.ErrCut) || !errors.Is(s.err, etcd.ErrCut) {
					t.Errorf("%d bytes, %s: %d of %d were handed on, %v", size, name, len(got), size+sha256.Size, err)
				}
			}
		}
	}
}
