package virtualmachinegroup_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// If machines share an object that must be replaced, it is replaced first, if that is possible while
// they exist. Then the machines are replaced one at a time.
func TestWhatMachinesShareIsReplaced(t *testing.T) {
	testcost.Long(t) // The agent creates and changes machines, one after the other.
	data := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("an image")) }))
	t.Cleanup(data.Close)
	image := func(format string) string {
		return "---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {name: own}\nspec: {resource: {content: {diskFormat: " + format + ", containerFormat: bare, download: {url: \"" + data.URL + "\"}}}}\n"
	}
	for name, c := range map[string]struct{ before, after, first string }{
		"a server group": {having("3", "zones: [az-a, az-b]"), strings.Replace(having("3", "zones: [az-a, az-b]"), "haPolicy: soft", "haPolicy: hard", 1), "ServerGroup/web"},
		"an image":       {strings.Replace(having("3"), "image: centos79", "image: own", 1) + image("qcow2"), strings.Replace(having("3"), "image: centos79", "image: own", 1) + image("raw"), "Image/own"},
	} {
		t.Run(name, func(t *testing.T) {
			g := pure(t)
			g.Defaults.ImageHosts = []string{"127.0.0.1"}
			g.MustSync(c.before)
			p := g.Plan(c.after)
			for _, s := range p.Steps {
				if s.Key.Kind == "Server" && (s.Action != plan.Recreate || s.Turn.Code != cause.Turn || !strings.Contains(s.ShortCause(), c.first)) {
					t.Errorf("the plan says %s %s: %s", s.Action, s.Key, s.ShortCause())
				}
			}
			away := &away{}
			pass := g.SyncThrough(c.after, func(next http.RoundTripper) http.RoundTripper { away.next = next; return away })
			if pass.Outcome() != plan.InSync || away.most != 1 {
				t.Errorf("%s, %d were away at a time: %v", pass.Outcome(), away.most, pass.Failures)
			}
			if p := g.Plan(c.after); !p.InSync() {
				t.Errorf("then: %s", p.Summary())
			}
			g.MustSync("")
		})
	}
}

// away is a transport that counts the servers that were deleted and not created again.
type away struct {
	next      http.RoundTripper
	mu        sync.Mutex
	now, most int
}

func (a *away) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := a.next.RoundTrip(req)
	if err != nil || !strings.Contains(req.URL.Path, "/servers") || resp.StatusCode >= http.StatusBadRequest {
		return resp, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case req.Method == http.MethodDelete && strings.Count(req.URL.Path[strings.Index(req.URL.Path, "/servers"):], "/") == 2:
		a.now++
	case req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "/servers"):
		a.now--
	}
	a.most = max(a.most, a.now)
	return resp, err
}
