package probe_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/probe"
	"github.com/stackreeve/stackreeve/internal/reconcile/rollout"
)

// home may also send requests to the agent's own machine.
var home = probe.Asker{Machines: outbound.Machines{Home: true}}

func ask(a probe.Asker, address string, p rollout.Probe) string {
	at := netip.MustParseAddrPort(address)
	p.Port = int(at.Port())
	if p.Timeout == 0 {
		p.Timeout = 10 * time.Second
	}
	if err := a.Ask(context.Background(), at.Addr().String(), p); err != nil {
		return err.Error()
	}
	return ""
}

func answers(w http.ResponseWriter, req *http.Request) {
	switch req.URL.Path {
	case "/moved":
		http.Redirect(w, req, "http://169.254.169.254/", http.StatusFound)
	case "/host":
		if req.Host != "shop.example.org" || req.URL.RawQuery != "deep=1" {
			http.Error(w, req.Host, http.StatusNotFound)
		}
	case "/endless":
		for {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	case "/headers":
		w.Header().Set("X", strings.Repeat("x", 1<<20))
	case "/hang":
		<-req.Context().Done()
	case "/bad":
		http.Error(w, "the password is hunter2", http.StatusServiceUnavailable)
	}
}

func TestAsk(t *testing.T) {
	plain := httptest.NewServer(http.HandlerFunc(answers))
	defer plain.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(answers))
	defer secure.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	address := map[string]string{"http": plain.Listener.Addr().String(), "https": secure.Listener.Addr().String(), "closed": closed.Addr().String()}
	for _, c := range []struct {
		at    string
		probe rollout.Probe
		want  string // "" if the machine passes the probe, otherwise the end of the error
	}{
		{"http", rollout.Probe{Type: "tcp"}, ""},
		{"http", rollout.Probe{Type: "http", Path: "/"}, ""},
		{"http", rollout.Probe{Type: "http", Path: "/host?deep=1", Host: "shop.example.org"}, ""},
		{"https", rollout.Probe{Type: "https", Path: "/"}, ""},
		{"http", rollout.Probe{Type: "http", Path: "/bad"}, "status 503"},
		{"http", rollout.Probe{Type: "http", Path: "/moved"}, ""}, // a redirect also passes, and is not followed
		{"http", rollout.Probe{Type: "http", Path: "/endless"}, ""},
		{"http", rollout.Probe{Type: "http", Path: "/headers"}, "no answer in HTTP"},
		{"http", rollout.Probe{Type: "http", Path: "/hang", Timeout: 50 * time.Millisecond}, "no answer within 50ms"},
		{"http", rollout.Probe{Type: "https", Path: "/"}, "no answer in HTTPS"},
		{"closed", rollout.Probe{Type: "tcp"}, "connection refused"},
		{"closed", rollout.Probe{Type: "http", Path: "/"}, "connection refused"},
	} {
		got := ask(home, address[c.at], c.probe)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Contains(got, "127.0.0.1") || strings.Contains(got, "hunter2") {
			t.Errorf("%s, %+v: %q, want %q", c.at, c.probe, got, c.want)
		}
	}
}

// The authors of manifests choose the addresses of machines. No address makes the agent send requests to its own
// machine, or to the metadata service of the cloud in which it runs.
func TestAttackProbeOfTheAgentsOwnMachine(t *testing.T) {
	for _, address := range []string{"127.0.0.1:80", "[::1]:80", "169.254.169.254:80", "[fe80::a9fe:a9fe]:80", "0.0.0.0:80", "224.0.0.1:80", "[::ffff:127.0.0.1]:80"} {
		for _, protocol := range []string{"tcp", "http", "https", "grpc"} {
			if got := ask(probe.Asker{}, address, rollout.Probe{Type: protocol, Path: "/"}); !strings.Contains(got, "refused: ") {
				t.Errorf("%s %s: %q", protocol, address, got)
			}
		}
	}
}
