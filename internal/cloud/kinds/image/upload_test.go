package image_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/engine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

const (
	xzDisk    = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4AO1ACBdADCbgAWSFClBO7ZqBqpPrOEmupvrGUzaRkNWjAxYKwAAAKDUA7/FqhHOAAE8tgcAAAAG1r2yscRn+wIAAAAABFla"
	bzip2Disk = "QlpoOTFBWSZTWU2Keo8AAMfRgAAQQAAnq4gAIABgKVQ0aNAgGgDtF0iwi0iyi6RaRZRbovEXqLKLhFpF8i+RYRYRbovxdyRThQkE2Keo8A=="
)

func decoded(t *testing.T, text string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func managed(download string) string {
	return head + "{resource: {name: os-1, content: {diskFormat: raw, download: " + download + "}}}"
}

func simulated(t *testing.T) *kindtest.Target {
	t.Helper()
	g := kindtest.NewTargetOn(t, from, &simulator.Options{}) // the simulated cloud, because the agent downloads from a server of this test
	g.Only(managed(`{url: "https://example.org/"}`))
	return g
}

// byGlance returns a target whose configuration allows that Glance downloads files.
func byGlance(t *testing.T) *kindtest.Target {
	t.Helper()
	g := kindtest.NewTargetOn(t, func(c *cloud.Client, d defaults.Defaults) []*kind.Kind {
		d.ImageDownload = "glance"
		return from(c, d)
	}, &simulator.Options{})
	g.Only(managed(`{url: "https://example.org/"}`))
	return g
}

// stored returns the number of images with a name, the number of those that have content, and the content.
func stored(t *testing.T, g *kindtest.Target, name string) (images, holding int, data string) {
	t.Helper()
	for _, i := range list(t, g) {
		if i.Name != name {
			continue
		}
		if images++; i.Phase == kind.Ready {
			holding++
			data = contents(t, g, i.ID)
		}
	}
	return images, holding, data
}

func list(t *testing.T, g *kindtest.Target) []*kind.Live {
	t.Helper()
	c := g.Engine(g.Client(nil)).Survey(t.Context())["Image"]
	if c.Err != nil {
		t.Fatal(c.Err)
	}
	return c.Items
}

// contents reads the content of an image from the simulator. It reads in a transport, because the client cannot read
// files.
func contents(t *testing.T, g *kindtest.Target, id string) (data string) {
	t.Helper()
	c := g.Client(func(next http.RoundTripper) http.RoundTripper {
		return through(func(req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if err == nil && strings.HasSuffix(req.URL.Path, "/file") {
				b, failed := io.ReadAll(resp.Body)
				data, err = string(b), failed
				resp.Body = io.NopCloser(strings.NewReader("{}"))
			}
			return resp, err
		})
	})
	if err := c.Do(t.Context(), callFor(id)); err != nil {
		t.Fatal(err)
	}
	return data
}

type through func(*http.Request) (*http.Response, error)

func (f through) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestDecompression(t *testing.T) {
	files := map[string]string{"/gz": zipped(t, disk), "/xz": decoded(t, xzDisk), "/bz2": decoded(t, bzip2Disk), "/empty": zipped(t, "")}
	s, g := serve(t, files), simulated(t)
	for _, how := range []string{"gz", "xz", "bz2", "none"} {
		download, want := fmt.Sprintf("{url: %q, decompress: %s, hash: {algorithm: sha256, value: %s}}", s.URL+"/"+how, how, sha(files["/"+how])), disk
		if how == "none" {
			download, want = fmt.Sprintf("{url: %q, hash: {algorithm: sha256, value: %s}}", s.URL+"/gz", sha(files["/gz"])), files["/gz"]
		}
		g.MustSync(managed(download))
		if n, holding, data := stored(t, g, "os-1"); n != 1 || holding != 1 || data != want {
			t.Errorf("%s: %d images, %d of them with content, %d bytes, want %d", how, n, holding, len(data), len(want))
		}
	}
}

// An upload does not delay other steps, and its progress is reported. If the image is no longer wanted, it is deleted
// and its upload is stopped.
func TestUploadGoesOnBesideThePass(t *testing.T) {
	ended := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(5<<20))
		_, _ = w.Write(make([]byte, 3<<20))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	}))
	t.Cleanup(s.Close)
	quick := serve(t, map[string]string{"/disk.img": disk})
	g := simulated(t)
	e := g.Engine(g.Client(nil))
	e.Timing.PendingWait = 300 * time.Millisecond
	slow := managed(fmt.Sprintf("{url: %q, hash: {algorithm: sha256, value: %s}}", s.URL, sha(disk)))
	fast := strings.NewReplacer("name: os}", "name: quick}", "name: os-1", "name: quick-1").Replace(managed(fmt.Sprintf("{url: %q, hash: {algorithm: sha256, value: %s}}", quick.URL+"/disk.img", sha(disk))))
	var said string
	var holding int
	var data string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline) && (!strings.Contains(said, "is being uploaded: 3 of 5 MiB") || holding != 1); {
		said = fmt.Sprint(e.Sync(t.Context(), engine.Revision{Commit: "test", Want: g.Resolve(slow + "\n---\n" + fast)}).Failures)
		_, holding, data = stored(t, g, "quick-1")
	}
	if !strings.Contains(said, "is being uploaded: 3 of 5 MiB") || holding != 1 || data != disk {
		t.Errorf("%d of the other image have content; failures are %s", holding, said)
	}
	if pass := e.Sync(t.Context(), engine.Revision{Commit: "test"}); pass.Last.Owned != 0 {
		t.Errorf("%d images are left: %v", pass.Last.Owned, pass.Failures)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute): // long before the agent cancels a download that receives no data
		t.Error("the upload goes on")
	}
}

// importing returns a target that answers like a Glance that downloads files itself. asked receives the body of the
// request.
func importing(g *kindtest.Target, asked *string) *kindtest.Target {
	return g.Through(func(next http.RoundTripper) http.RoundTripper {
		return through(func(req *http.Request) (*http.Response, error) {
			if !strings.HasSuffix(req.URL.Path, "/import") || req.Method != http.MethodPost {
				return next.RoundTrip(req)
			}
			body, err := io.ReadAll(req.Body)
			*asked += string(body)
			req.Method, req.URL.Path = http.MethodPut, strings.TrimSuffix(req.URL.Path, "import")+"file"
			req.Header.Set("Content-Type", "application/octet-stream")
			req.Body, req.ContentLength = io.NopCloser(strings.NewReader("by Glance")), 9
			if err != nil {
				return nil, err
			}
			return next.RoundTrip(req)
		})
	})
}

// Glance is requested to download a file if the file needs no check, the configuration allows it, and the agent itself
// may download the file.
func TestGlanceDownloads(t *testing.T) {
	s, asked := serve(t, map[string]string{"/disk.img": disk}), ""
	g := importing(byGlance(t), &asked)
	g.MustSync(managed(fmt.Sprintf("{url: %q}", s.URL+"/disk.img")))
	if n, _, data := stored(t, g, "os-1"); n != 1 || data != "by Glance" || !strings.Contains(asked, `"web-download"`) || !strings.Contains(asked, s.URL+"/disk.img") {
		t.Errorf("%d images hold %q, and Glance was asked %s", n, data, asked)
	}
	g.MustSync("")
	g = byGlance(t) // the simulator refuses the request, so the agent downloads the file
	g.MustSync(managed(fmt.Sprintf("{url: %q}", s.URL+"/disk.img")))
	if n, _, data := stored(t, g, "os-1"); n != 1 || data != disk {
		t.Errorf("%d images hold %q", n, data)
	}
}

// If an administrator has deactivated an image, the agent does not replace it by another image.
func TestDeactivatedStays(t *testing.T) {
	s, g := serve(t, map[string]string{"/disk.img": disk}), simulated(t)
	text := managed(fmt.Sprintf("{url: %q, hash: {algorithm: sha256, value: %s}}", s.URL+"/disk.img", sha(disk)))
	g.MustSync(text)
	for _, i := range list(t, g) {
		if i.Name == "os-1" {
			deactivate(t, g, i.ID)
		}
	}
	step := g.Plan(text).Steps[0]
	if step.Action != plan.Keep || !strings.Contains(step.FullCause(), "deactivated") {
		t.Errorf("%s: %s", step.Action, step.FullCause())
	}
}

// The agent neither replaces nor deletes a protected image until the manifest removes the protection.
func TestProtected(t *testing.T) {
	s, g := serve(t, map[string]string{"/disk.img": disk}), simulated(t)
	text := managed(fmt.Sprintf("{url: %q, hash: {algorithm: sha256, value: %s}}", s.URL+"/disk.img", sha(disk)))
	protected := strings.Replace(text, "name: os-1", "name: os-1, protected: true", 1)
	g.MustSync(protected)
	if pass := g.Sync(""); pass.Last.Owned != 1 || !strings.Contains(fmt.Sprint(pass.Failures), "is protected and cannot be deleted") {
		t.Errorf("%d owned: %v", pass.Last.Owned, pass.Failures)
	}
	g.MustSync(text)
	g.MustSync("")
}
