package probe_test

import (
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/probe"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// healthServer is a server whose answer is in the name of the requested service: "FRAME,STATUS". Both can be
// omitted.
func healthServer(t *testing.T) string {
	answer := func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if req.ProtoMajor != 2 || req.Method != http.MethodPost || req.URL.Path != "/grpc.health.v1.Health/Check" || req.Header.Get("Te") != "trailers" ||
			req.Header.Get("Content-Type") != "application/grpc" || len(body) < 5 || string(body[:4]) != "\x00\x00\x00\x00" || int(body[4]) != len(body)-5 {
			t.Errorf("%s %s %s %v %x", req.Proto, req.Method, req.URL.Path, req.Header, body)
		}
		service := "0000000002" + "0801,0" // the answer about the server as a whole
		if len(body) > 5 {
			if body[5] != 0x0a || int(body[6]) != len(body)-7 {
				t.Errorf("message %x", body[5:])
			}
			service = string(body[7:])
		}
		switch service {
		case "html":
			return
		case "hang":
			<-req.Context().Done()
			return
		case "503":
			http.Error(w, "the password is hunter2", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/grpc+proto")
		if service == "endless" {
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}
		frame, code, _ := strings.Cut(service, ",")
		if frame == "only" {
			w.Header().Set("Grpc-Status", code)
			return
		}
		w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
		raw, err := hex.DecodeString(frame)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(raw)
		if code != "" {
			w.Header().Set("Grpc-Status", code)
			w.Header().Set("Grpc-Message", "hunter2")
		}
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(answer))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestHealth(t *testing.T) {
	at := healthServer(t)
	for service, want := range map[string]string{
		"":                         "",
		"00000000020801,0":         "",
		"00000000020802,0":         "health status 2, not SERVING",
		"0000000000,0":             "health status 0, not SERVING",
		"00000000020803,0":         "health status 3, not SERVING",
		"000000000408010802,0":     "health status 2, not SERVING", // the last one is used
		"only,5":                   "the server does not know the service",
		"only,12":                  "the server has no health checks",
		"only,14":                  "gRPC status 14",
		"00000000020801,2":         "gRPC status 2",
		"00000000020801":           "no answer in GRPC", // the end of the frame is missing
		"only,hunter2":             "no answer in GRPC",
		"01000000020801,0":         "no answer in GRPC", // the frame is compressed
		"00000000030801,0":         "no answer in GRPC",
		"00ffffffff0801,0":         "no answer in GRPC",
		"00000000020880,0":         "no answer in GRPC",
		"0000000001ff,0":           "no answer in GRPC",
		"00000000021001,0":         "no answer in GRPC",
		"0000000002080100000000,0": "no answer in GRPC",
		"0000,0":                   "no answer in GRPC",
		",0":                       "no answer in GRPC",
		"html":                     "no answer in GRPC",
		"endless":                  "no answer in GRPC",
		"503":                      "status 503",
	} {
		got := ask(home, at, rollout.Probe{Type: "grpc", Service: service})
		if got != want {
			t.Errorf("%q: %q, want %q", service, got, want)
		}
	}
	if got := ask(home, at, rollout.Probe{Type: "grpc", Service: "hang", Timeout: 50 * time.Millisecond}); got != "no answer within 50ms" {
		t.Error(got)
	}
	plain := httptest.NewServer(http.HandlerFunc(answers))
	defer plain.Close()
	if got := ask(home, plain.Listener.Addr().String(), rollout.Probe{Type: "grpc"}); got != "no answer in GRPC" {
		t.Error("a server of HTTP/1:", got)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if got := ask(home, closed.Addr().String(), rollout.Probe{Type: "grpc"}); !strings.Contains(got, "connection refused") {
		t.Error(got)
	}
	if got := ask(probe.Asker{}, at, rollout.Probe{Type: "grpc"}); !strings.Contains(got, "refused: ") {
		t.Error(got)
	}
}
