package kindtest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/probe"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// homeOfGuests is the address at which real machines reach this machine.
const homeOfGuests = "169.254.77.1"

// NewGuests returns a cloud whose servers are real machines. It skips the test if there is none. Volumes that are not deleted with
// their machines are deleted at the end of the test.
func NewGuests(t *testing.T, kinds Kinds) *Target {
	t.Helper()
	if os.Getenv("STACKREEVE_TEST_GUESTS") != "1" {
		t.Skip("real machines: deploy/devcloud/README.md says how, then STACKREEVE_TEST_GUESTS=1")
	}
	var g *Target
	t.Cleanup(func() { g.DiscardVolumes(t) }) // runs after the clean-up of the target
	g = NewTarget(t, kinds)
	return g
}

// DiscardVolumes deletes the volumes of the stack, which are not deleted with their machines.
func (g *Target) DiscardVolumes(t *testing.T) {
	t.Helper()
	var answer struct {
		Volumes []struct {
			ID       string
			Metadata map[string]string
		}
	}
	c, ctx := g.Client(nil), context.WithoutCancel(t.Context())
	err := c.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Path: "volumes/detail", Into: &answer})
	for _, v := range answer.Volumes {
		if strings.HasPrefix(v.Metadata["stackreeve"], "stackreeve:"+g.Stack+":") {
			err = errors.Join(err, c.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodDelete, Path: "volumes/" + v.ID}))
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// RealImage makes the servers of another image real machines until the test ends. It needs an administrator of the devcloud.
func RealImage(t *testing.T, name string) {
	t.Helper()
	ask := func(ctx context.Context, verb, property string) {
		admin := exec.CommandContext(ctx, "/usr/bin/openstack", "--os-cloud", os.Getenv("STACKREEVE_TEST_CLOUD")+"-admin", "image", verb, "--property", property, name)
		if out, err := admin.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	ask(t.Context(), "set", "devcloud_guest=1")
	t.Cleanup(func() { ask(context.WithoutCancel(t.Context()), "unset", "devcloud_guest") })
}

// ServeGuests starts a web server with the files of a folder for real machines, and returns its address and port. Their network may
// not exist yet.
func ServeGuests(t *testing.T, folder string) (at string) {
	t.Helper()
	early := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) { failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, 15, 1) }) // IP_FREEBIND
		return errors.Join(err, failed)
	}}
	l, err := early.Listen(t.Context(), "tcp", homeOfGuests+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(folder)), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

// ProbingAgent is a newly started agent that probes the machines.
func (g *Target) ProbingAgent() *engine.Engine {
	e := g.Engine(g.Client(nil))
	e.Probe = probe.Asker{}.Ask
	return e
}

// MustSyncGuests runs an agent without faults until the manifests are in sync, and ends the test if that takes longer than within.
// Further passes finish the work that the first one leaves.
func (g *Target) MustSyncGuests(t *testing.T, within time.Duration, manifests string) {
	t.Helper()
	began := time.Now()
	ctx, stop := context.WithTimeout(t.Context(), within)
	defer stop()
	agent, revision := g.ProbingAgent(), engine.Revision{Commit: "test", Want: g.Resolve(manifests)}
	pass := agent.Sync(ctx, revision)
	for pass.LeavesUnforeseen && ctx.Err() == nil {
		pass = agent.Sync(ctx, revision)
	}
	if pass.Outcome() != plan.InSync {
		t.Fatalf("%s: %v\nleft: %v", pass.Outcome(), pass.Failures, unfinishedSteps(pass.Last))
	}
	t.Logf("in sync after %s", time.Since(began).Round(time.Second))
}

// AddressOf is the address of a port, by the port's name.
func AddressOf(t *testing.T, c *cloud.Client, port string) string {
	t.Helper()
	var answer struct {
		Ports []struct {
			IPs []struct {
				Address string `json:"ip_address"`
			} `json:"fixed_ips"`
		}
	}
	call := cloud.Call{Service: cloud.Network, Path: "ports?name=" + port, Into: &answer}
	if err := c.Do(t.Context(), call); err != nil || len(answer.Ports) != 1 || len(answer.Ports[0].IPs) != 1 {
		t.Fatalf("ports called %s: %v, %v", port, answer, err)
	}
	return answer.Ports[0].IPs[0].Address
}
