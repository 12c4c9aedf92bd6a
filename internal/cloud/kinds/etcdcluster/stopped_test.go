package etcdcluster_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// A machine stops right after a pass has listed the machines. That pass notices it, and waits for the member of that
// machine.
func TestAMachineIsStoppedRightAfterItWasListed(t *testing.T) {
	w := newWorld(t)
	w.MustSync(sized(3))
	stop := func() {
		id := w.ids("servers", "kv-1")[0]
		if err := w.client.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodPost, Path: "servers/" + id + "/action", Body: map[string]any{"os-stop": nil}}); err != nil {
			t.Error(err)
			return
		}
		var now struct{ Server struct{ Status string } }
		for now.Server.Status != "SHUTOFF" && t.Context().Err() == nil {
			if err := w.client.Do(t.Context(), cloud.Call{Service: cloud.Compute, Path: "servers/" + id, Into: &now}); err != nil {
				t.Error(err)
				return
			}
		}
		w.forgetLook()
	}
	g := w.Through(func(next http.RoundTripper) http.RoundTripper { return &afterServers{do: stop, next: next} })
	e := g.Engine(g.Client(nil))
	e.Timing.PendingWait = 5 * time.Second
	pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(sized(3))})
	at := slices.IndexFunc(pass.Last.Steps, func(s plan.Step) bool { return s.Key.Kind == "EtcdMember" && s.Key.Name == "kv-1" })
	if at < 0 || !strings.HasSuffix(pass.Last.Steps[at].ShortCause(), " SHUTOFF") || pass.Outcome() != plan.InSync {
		t.Errorf("%s after %s: %v", pass.Outcome(), pass.Took, pass.Last.Steps)
	}
}

// afterServers is a transport that calls do once, right after the first list of machines was read.
type afterServers struct {
	once sync.Once
	do   func()
	next http.RoundTripper
}

func (a *afterServers) RoundTrip(req *http.Request) (*http.Response, error) {
	answer, err := a.next.RoundTrip(req)
	if strings.HasSuffix(req.URL.Path, "/servers/detail") {
		a.once.Do(a.do)
	}
	return answer, err
}
