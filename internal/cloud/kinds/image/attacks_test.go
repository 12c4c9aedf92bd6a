package image_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator/glance"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// If a file has another hash or cannot be decompressed, it is never used. The image is deleted, the error says why, and
// further passes do not download the file again.
func TestAttackOtherContent(t *testing.T) {
	long := strings.Repeat(disk, 1<<10) // longer than the part that is read before the request to Glance
	s, g := serve(t, map[string]string{"/short": disk, "/long": long, "/plain": disk, "/half": zipped(t, long)[:2000]}), simulated(t)
	other := sha("another")
	for path, want := range map[string]struct{ more, value string }{
		"/short":   {"hash: {algorithm: sha256, value: " + other + "}", sha(disk)},
		"/long":    {"hash: {algorithm: sha256, value: " + other + "}", sha(long)},
		"/plain":   {"decompress: gz", "gz"},
		"/missing": {"hash: {algorithm: sha256, value: " + other + "}", "404"},
	} {
		text := managed(fmt.Sprintf("{url: %q, %s}", s.URL+path, want.more))
		e := g.Engine(g.Client(nil)) // one agent, several passes
		for n := range 3 {
			pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(text)})
			if text := fmt.Sprint(pass.Failures); pass.Outcome() == plan.InSync || !strings.Contains(text, want.value) {
				t.Errorf("%s, pass %d: %s: %s, want %q", path, n, pass.Outcome(), text, want.value)
			}
		}
		if n, holding, _ := stored(t, g, "os-1"); n != 0 || holding != 0 {
			t.Errorf("%s: %d images are left, %d of them with content", path, n, holding)
		}
		if n := s.count(path); n != 1 {
			t.Errorf("%s was downloaded %d times in three passes", path, n)
		}
		g.MustSync("")
	}
}

// A new login repeats neither a failed download nor one that is running. A new login happens, for example, after a pass
// in which a list failed.
func TestAttackALoginPerPass(t *testing.T) {
	asked := make(chan struct{}, 10)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		w.Header().Set("Content-Length", fmt.Sprint(5<<20))
		_, _ = w.Write(make([]byte, 3<<20))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	s, g := serve(t, map[string]string{"/short": disk}), simulated(t)
	g.Defaults.Memory = &defaults.Memory{}
	other := managed(fmt.Sprintf("{url: %q, hash: {algorithm: sha256, value: %s}}", s.URL+"/short", sha("another")))
	long := strings.NewReplacer("name: os}", "name: long}", "name: os-1", "name: long-1").Replace(managed(fmt.Sprintf("{url: %q, hash: {algorithm: sha256, value: %s}}", slow.URL, sha(disk))))
	for n := range 3 {
		e := g.Engine(g.Client(nil))
		e.Timing.PendingWait = 300 * time.Millisecond
		pass := e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(other + "\n---\n" + long)})
		if said := fmt.Sprint(pass.Failures); !strings.Contains(said, "the next attempt is made after") || !strings.Contains(said, "is being uploaded: ") {
			t.Errorf("pass %d says %s", n, said)
		}
	}
	if n := s.count("/short"); n != 1 || len(asked) != 1 {
		t.Errorf("what failed was downloaded %d times, and what is on its way %d times", n, len(asked))
	}
}

// If a download ends early, the image is not used, even if the manifest has no hash.
func TestAttackDownloadBreaksOff(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write([]byte(strings.Repeat(disk, 200)))
	}))
	t.Cleanup(s.Close)
	g := simulated(t)
	pass := g.Sync(managed(fmt.Sprintf("{url: %q, hash: {algorithm: sha256, value: %s}}", s.URL, sha(disk))))
	if text := fmt.Sprint(pass.Failures); pass.Outcome() == plan.InSync || !strings.Contains(text, "was interrupted") {
		t.Errorf("%s: %s", pass.Outcome(), text)
	}
	if n, holding, _ := stored(t, g, "os-1"); n != 0 || holding != 0 {
		t.Errorf("%d images are left, %d of them with content", n, holding)
	}
}

// Authors of manifests cannot make the agent send requests to addresses that only the agent can reach.
func TestAttackAddresses(t *testing.T) {
	testcost.Long(t) // several passes run on the simulator
	s := serve(t, map[string]string{"/disk.img": disk})
	port := netip.MustParseAddrPort(strings.TrimPrefix(s.URL, "http://")).Port()
	away := serve(t, map[string]string{"/redirect": fmt.Sprintf("to http://localhost:%d/disk.img", port)})
	g := simulated(t) // only 127.0.0.1 is allowed, not other names of it
	for _, at := range []string{
		fmt.Sprintf("http://localhost:%d/disk.img", port), fmt.Sprintf("http://[::ffff:127.0.0.1]:%d/disk.img", port), fmt.Sprintf("http://127.1:%d/disk.img", port),
		"http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.1/", "http://100.64.0.1/", "http://[fd00::1]/", "http://[fe80::1]/",
		"http://0.0.0.0/", "http://[64:ff9b::a9fe:a9fe]/", away.URL + "/redirect",
	} {
		for _, more := range []string{"", ", hash: {algorithm: sha256, value: " + sha(disk) + "}"} { // Glance could download the first, and only the agent the second
			pass := g.Sync(managed(fmt.Sprintf("{url: %q%s}", at, more)))
			if text := fmt.Sprint(pass.Failures); !strings.Contains(text, "public address") && !strings.Contains(at, "127.1:") || pass.Outcome() == plan.InSync {
				t.Errorf("%s: %s: %s", at, pass.Outcome(), text)
			}
		}
	}
	if n := s.count("/disk.img"); n != 0 {
		t.Errorf("it was requested %d times", n)
	}
}

// Glance itself follows redirects and resolves names, after the agent's check. So by default, Glance gets no address of
// a manifest, even if it offers to download.
func TestAttackGlanceIsSentElsewhere(t *testing.T) {
	s, asked := serve(t, map[string]string{"/disk.img": disk}), ""
	g := importing(simulated(t), &asked)
	g.MustSync(managed(fmt.Sprintf("{url: %q}", s.URL+"/disk.img")))
	if n, _, data := stored(t, g, "os-1"); n != 1 || data != disk || asked != "" {
		t.Errorf("%d images hold %q, and Glance was asked %s", n, data, asked)
	}
}

// The agent downloads files itself, without storing them in memory.
func TestAttackLargeDownloads(t *testing.T) {
	const size, most = 64 << 20, 8 << 20
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for n, block := 0, make([]byte, 1<<20); n < size; n += len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	t.Cleanup(s.Close)
	var came, took int64
	g := simulated(t).Through(func(next http.RoundTripper) http.RoundTripper {
		return through(func(req *http.Request) (*http.Response, error) {
			if req.Method != http.MethodPut || !strings.HasSuffix(req.URL.Path, "/file") {
				return next.RoundTrip(req)
			}
			took = testcost.AllocatedWithoutRace(func() { came, _ = io.Copy(io.Discard, req.Body) })
			return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
		})
	})
	g.Sync(managed(fmt.Sprintf("{url: %q}", s.URL)))
	if came != size || took > most {
		t.Errorf("%d bytes came, want %d, for which %d bytes were allocated, at most %d", came, size, took, most)
	}
}

// Nova copies the properties of an image to snapshots of its servers, but no stack owns the snapshots.
func TestAttackCopiedProperties(t *testing.T) {
	s, g := serve(t, map[string]string{"/disk.img": disk}), simulated(t)
	text := managed(fmt.Sprintf("{url: %q, hash: {algorithm: sha256, value: %s}}", s.URL+"/disk.img", sha(disk)))
	g.MustSync(text)
	var bears string
	for _, i := range list(t, g) {
		if i.Name == "os-1" {
			bears = i.Mark.Owner + " stackreeve-applied:" + i.Mark.Applied + " stackreeve-self:" + i.ID
		}
	}
	g.Simulator.Glance.Create(g.Client(nil).ProjectID, glance.Spec{Name: "snapshot", DiskFormat: "raw", ContainerFormat: "bare", Properties: map[string]string{"stackreeve": bears}}, []byte("x"))
	pass := g.MustSync(text)
	if len(pass.Results) > 0 {
		t.Errorf("%d steps were carried out", len(pass.Results))
	}
	g.MustSync("")
	if n, _, _ := stored(t, g, "snapshot"); n != 1 {
		t.Errorf("%d snapshots are left", n)
	}
}
