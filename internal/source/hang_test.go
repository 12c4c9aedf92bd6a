package source

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/source/gittest"
)

// deafServer accepts connections and never answers.
func deafServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan net.Conn, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(conns)
				return
			}
			conns <- c
		}
	}()
	t.Cleanup(func() {
		l.Close()
		for c := range conns {
			c.Close()
		}
	})
	return l.Addr().String()
}

func TestHangingServer(t *testing.T) {
	addr := deafServer(t)
	g := gittest.New(t)
	g.Commit("first", "a.yaml", "1")
	_, key := newSigner(t)
	host, _ := newSigner(t)
	slow := serveHTTP(t, g)
	slow.answer(func(rw http.ResponseWriter, req *http.Request) {
		rw.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		rw.Write([]byte("001e# service=git-upload-pack\n"))
		rw.(http.Flusher).Flush()
		<-req.Context().Done()
	})
	for name, cfg := range map[string]Config{
		"http": {URL: "http://" + addr + "/repo.git"},
		"tls":  {URL: "https://" + addr + "/repo.git"},
		"slow": {URL: slow.url()},
		"ssh": {URL: "ssh://" + addr + "/repo.git", Auth: Auth{SSHKeyFile: writeFile(t, key),
			KnownHostsFile: writeFile(t, hostLine(addr, host))}},
	} {
		t.Run(name+"/timeout", func(t *testing.T) {
			cfg.Timeout = 50 * time.Millisecond
			wantError(t, fetchError(t, newRepo(t, cfg)), ErrUnavailable, "no answer within 50ms")
		})
		t.Run(name+"/context", func(t *testing.T) {
			cfg.Timeout = time.Hour
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, _, err := newRepo(t, cfg).Fetch(ctx)
			wantError(t, err, ErrUnavailable)
		})
	}
}
