package kindtest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// Impostor returns the same target with one difference: a foreign server answers agents at an address of a machine,
// such as 10.0.0.5:2379.
func (g *Target) Impostor(at string, answer http.HandlerFunc) *Target {
	g.t.Helper()
	server := httptest.NewServer(answer)
	g.t.Cleanup(server.Close)
	other := g.Through(func(next http.RoundTripper) http.RoundTripper { return next })
	other.Machines = outbound.Machines{Through: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == at {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		}
		return g.Machines.Through(ctx, network, address)
	}}
	return other
}

// Nonsense returns answers of a machine that runs another program than it should, by name.
func Nonsense() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"a page": func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("<html>")) },
		"deep":   func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(strings.Repeat("[", 200_000))) },
		"elsewhere": func(rw http.ResponseWriter, req *http.Request) {
			http.Redirect(rw, req, "http://127.0.0.1:1/", http.StatusFound)
		},
	}
}

// Writes lists the steps of a plan that change something: "create Kind/name".
func Writes(p plan.Plan) (list []string) {
	for _, s := range p.Steps {
		if s.Action.Writes() {
			list = append(list, fmt.Sprintf("%s %s", s.Action, s.Key))
		}
	}
	return list
}
