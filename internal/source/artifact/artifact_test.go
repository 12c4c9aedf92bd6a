package artifact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/source/failure"
	"github.com/stackreeve/stackreeve/internal/standin/registry"
)

func TestTagIsFollowed(t *testing.T) {
	w := startRegistry(t)
	first := w.push(t, "prod", "clouds/prod/a.yaml", "one", "clouds/dev/b.yaml", "two")
	a := follow(t, Config{URL: w.url, Tag: "prod", Path: "clouds/prod"})
	if _, ok := a.Last(); ok {
		t.Error("there is a revision before the first fetch")
	}
	rev, changed, err := a.Fetch(t.Context())
	if err != nil || !changed || rev.Commit != first.Digest || rev.Branch != "prod" || rev.Root != "clouds/prod" || rev.Subject != "main@sha1:abc of https://git.example/x" || !rev.Time.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
		t.Fatalf("%+v, %v, %v", rev, changed, err)
	}
	if text, err := fs.ReadFile(rev.Files, "a.yaml"); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	w.Asked()
	if _, changed, err := a.Fetch(t.Context()); err != nil || changed {
		t.Errorf("%v, %v", changed, err)
	}
	if asked := w.Asked(); !slices.Equal(asked, []string{"HEAD /v2/team/config/manifests/prod"}) {
		t.Errorf("a poll without news sent %v", asked)
	}
	second := w.push(t, "prod", "clouds/prod/a.yaml", "three")
	if rev, changed, err := a.Fetch(t.Context()); err != nil || !changed || rev.Commit != second.Digest {
		t.Errorf("%+v, %v, %v", rev, changed, err)
	}
	old, err := a.At(t.Context(), first.Digest)
	if last, _ := a.Last(); err != nil || old.Commit != first.Digest || old.Branch != "" || last.Commit != second.Digest {
		t.Errorf("%+v, %v", old, err)
	}
}

func TestTags(t *testing.T) {
	w := startRegistry(t)
	for _, tag := range []string{"v1.2.0", "v1.10.0", "prod"} {
		w.push(t, tag, "a.yaml", "one")
	}
	a := follow(t, Config{URL: w.url, Tag: "prod"})
	if tags, err := a.Tags(t.Context()); err != nil || !slices.Equal(tags, []string{"prod", "v1.10.0", "v1.2.0"}) {
		t.Errorf("%v, %v", tags, err)
	}
	for n := range 2 * tagsInPage {
		w.Raw("text", []byte("x"), fmt.Sprintf("build-%05d", n))
	}
	w.Asked()
	if tags, err := a.Tags(t.Context()); err != nil || len(tags) != 3+2*tagsInPage || len(w.Asked()) != 3 {
		t.Errorf("%d tags, %v", len(tags), err)
	}
	for n := range maxTags {
		w.Raw("text", []byte("x"), fmt.Sprintf("many-%05d", n))
	}
	if tags, err := a.Tags(t.Context()); !errors.Is(err, failure.ErrContent) || len(tags) > 0 {
		t.Errorf("%d tags, %v", len(tags), err)
	}
}

// TestAttackListsOfTags checks that endless pages are errors, and that names that cannot be tags are left out.
func TestAttackListsOfTags(t *testing.T) {
	w := startRegistry(t)
	a := follow(t, Config{URL: w.url, Tag: "prod"})
	list := func(text, link string) {
		w.Before = func(out http.ResponseWriter, _ *http.Request) bool {
			if out.Header().Set("Content-Type", "application/json"); link != "" {
				out.Header().Set("Link", link)
			}
			_, _ = out.Write([]byte(text))
			return true
		}
	}
	list(`{"tags": ["v1", "a b", "../x", "", "\u001b[2J"]}`, "")
	if tags, err := a.Tags(t.Context()); err != nil || !slices.Equal(tags, []string{"v1"}) {
		t.Errorf("%q, %v", tags, err)
	}
	list(`{"tags": []}`, `</v2/team/config/tags/list?last=x>; rel="next"`)
	if _, err := a.Tags(t.Context()); err == nil || len(w.Asked()) > maxTagPages+2 {
		t.Error(err)
	}
	list(`{"tags": []}`, `<http://192.0.2.1/v2/team/config/tags/list>; rel="next"`)
	if _, err := a.Tags(t.Context()); err == nil {
		t.Error("a page of another host was read")
	}
	list(`{"tags": ["`+strings.Repeat("x", maxManifest)+`"]}`, "")
	if _, err := a.Tags(t.Context()); err == nil {
		t.Error("a page without end was read")
	}
}

func TestDigestNeedsNoSecondRequest(t *testing.T) {
	w := startRegistry(t)
	at := w.push(t, "prod", "a.yaml", "one")
	w.push(t, "prod", "a.yaml", "two")
	a := follow(t, Config{URL: w.url, Digest: at.Digest})
	rev, _, err := a.Fetch(t.Context())
	if err != nil || rev.Commit != at.Digest {
		t.Fatalf("%+v, %v", rev, err)
	}
	w.Asked()
	if _, changed, err := a.Fetch(t.Context()); err != nil || changed || len(w.Asked()) != 0 {
		t.Errorf("%v, %v", changed, err)
	}
}

func TestLogins(t *testing.T) {
	w := startRegistry(t)
	w.User, w.Password = "ada", "pass:word"
	w.push(t, "prod", "a.yaml", "one")
	host := strings.TrimSuffix(strings.TrimPrefix(w.url, scheme), "/team/config")
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, c := range []struct {
		name string
		auth Auth
		want error
	}{
		{"none", Auth{}, failure.ErrCredentials},
		{"basic", Auth{BasicAuthFile: file("ada:pass:word\n")}, nil},
		{"wrong", Auth{BasicAuthFile: file("ada:pass")}, failure.ErrCredentials},
		{"token", Auth{Username: "ada", TokenFile: file("pass:word")}, nil},
		{"docker", Auth{DockerConfigFile: file(`{"auths": {"` + host + `": {"auth": "YWRhOnBhc3M6d29yZA=="}}}`)}, nil},
		{"helper", Auth{DockerConfigFile: file(`{"auths": {"` + host + `": {}}, "credsStore": "desktop"}`)}, failure.ErrCredentials},
		{"not JSON", Auth{DockerConfigFile: file(`auths`)}, failure.ErrCredentials},
	} {
		_, _, err := follow(t, Config{URL: w.url, Tag: "prod", Auth: c.auth}).Fetch(t.Context())
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && strings.Contains(err.Error(), "pass") {
			t.Errorf("%s: the error has the password: %v", c.name, err)
		}
	}
}

// A registry can answer anything. Nothing wrong is used, and an artifact that cannot be read is an error.
func TestAttackHostileRegistry(t *testing.T) {
	layer := func(w *world, kind string, text []byte) registry.Manifest {
		return registry.Manifest{Layers: []registry.Descriptor{w.Blob(kind, text)}}
	}
	for _, c := range []struct {
		name string
		put  func(t *testing.T, w *world)
		want error
	}{
		{"no tag", func(*testing.T, *world) {}, failure.ErrNotFound},
		{"no layer", func(_ *testing.T, w *world) { w.Put(registry.Manifest{}, "prod") }, failure.ErrContent},
		{"two layers", func(t *testing.T, w *world) {
			d := w.Blob(registry.LayerType, packedFiles(t, "a.yaml", "x"))
			w.Put(registry.Manifest{Layers: []registry.Descriptor{d, d}}, "prod")
		}, failure.ErrContent},
		{"no file", func(t *testing.T, w *world) { w.Put(layer(w, registry.LayerType, packedFiles(t)), "prod") }, failure.ErrNotFound},
		{"no folder", func(t *testing.T, w *world) { w.push(t, "prod", "else/a.yaml", "x") }, failure.ErrNotFound},
		{"no tar", func(_ *testing.T, w *world) { w.Put(layer(w, "application/json", []byte("{}")), "prod") }, failure.ErrContent},
		{"no gzip", func(_ *testing.T, w *world) { w.Put(layer(w, registry.LayerType, []byte("{}")), "prod") }, failure.ErrContent},
		{"an index", func(_ *testing.T, w *world) {
			w.Raw("application/vnd.oci.image.index.v1+json", []byte(`{"schemaVersion": 2, "manifests": []}`), "prod")
		}, failure.ErrContent},
		{"an index as a manifest", func(_ *testing.T, w *world) {
			w.Raw(registry.ManifestType, []byte(`{"schemaVersion": 2, "layers": [], "manifests": [{}]}`), "prod")
		}, failure.ErrContent},
		{"another digest", func(t *testing.T, w *world) {
			d := w.Blob(registry.LayerType, packedFiles(t, "in/a.yaml", "x"))
			w.Put(registry.Manifest{Layers: []registry.Descriptor{d}}, "prod")
			w.Before = func(out http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, d.Digest) {
					return false
				}
				_, _ = out.Write(make([]byte, d.Size))
				return true
			}
		}, failure.ErrContent},
		{"a huge layer", func(_ *testing.T, w *world) {
			d := w.Blob(registry.LayerType, []byte("x"))
			d.Size = 1 << 40
			w.Put(registry.Manifest{Layers: []registry.Descriptor{d}}, "prod")
		}, failure.ErrContent},
		{"a negative size", func(_ *testing.T, w *world) {
			d := w.Blob(registry.LayerType, []byte("x"))
			d.Size = -1
			w.Put(registry.Manifest{Layers: []registry.Descriptor{d}}, "prod")
		}, failure.ErrContent},
		{"a failing server", func(_ *testing.T, w *world) {
			w.Before = func(out http.ResponseWriter, _ *http.Request) bool {
				out.WriteHeader(http.StatusBadGateway)
				return true
			}
		}, failure.ErrUnavailable},
		{"a redirect to http", func(_ *testing.T, w *world) {
			w.Before = func(out http.ResponseWriter, r *http.Request) bool {
				http.Redirect(out, r, "http://registry.example/x", http.StatusTemporaryRedirect)
				return true
			}
		}, failure.ErrConfig},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := startRegistry(t)
			c.put(t, w)
			_, _, err := follow(t, Config{URL: w.url, Tag: "prod", Path: "in"}).Fetch(t.Context())
			if !errors.Is(err, c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A digest always names the same bytes, so a refused archive is downloaded once.
func TestRefusedArchiveIsDownloadedOnce(t *testing.T) {
	w := startRegistry(t)
	good := w.push(t, "prod", "a.yaml", "x")
	a := follow(t, Config{URL: w.url, Tag: "prod"})
	if _, _, err := a.Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.push(t, "prod", "../a.yaml", "x")
	for range 2 {
		if _, _, err := a.Fetch(t.Context()); !errors.Is(err, failure.ErrContent) {
			t.Fatal(err)
		}
	}
	if asked := w.Asked(); !slices.Equal(asked[len(asked)-1:], []string{"HEAD /v2/team/config/manifests/prod"}) {
		t.Errorf("%v", asked)
	}
	if last, ok := a.Last(); !ok || last.Commit != good.Digest {
		t.Errorf("the last good artifact is gone: %+v", last)
	}
}

// After an answer with Retry-After, a server gets no request until that time.
func TestRetryAfterIsObeyed(t *testing.T) {
	w := startRegistry(t)
	w.push(t, "prod", "a.yaml", "x")
	w.Before = func(out http.ResponseWriter, _ *http.Request) bool {
		out.Header().Set("Retry-After", "1000")
		out.WriteHeader(http.StatusTooManyRequests)
		return true
	}
	a := follow(t, Config{URL: w.url, Tag: "prod"})
	for range 3 {
		if _, _, err := a.Fetch(t.Context()); !errors.Is(err, failure.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	if asked := w.Asked(); len(asked) != 1 {
		t.Errorf("%v", asked)
	}
}

func TestEndedContext(t *testing.T) {
	w := startRegistry(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := follow(t, Config{URL: w.url, Tag: "prod"}).Fetch(ctx)
	if !errors.Is(err, context.Canceled) || failure.NeedsPerson(err) {
		t.Error(err)
	}
}

func TestSilentRegistry(t *testing.T) {
	w := startRegistry(t)
	w.Before = func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	}
	_, _, err := follow(t, Config{URL: w.url, Tag: "prod", Timeout: time.Millisecond}).Fetch(t.Context())
	if !errors.Is(err, failure.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestArchive(t *testing.T) {
	text := packedFiles(t, "./clouds/a.yaml", "one")
	files := map[string][]byte{"/x/config.tar.gz": text}
	url, asked := serveArchive(t, files)
	a := follow(t, Config{URL: url + "/x/config.tar.gz", Digest: registry.Digest(text), Path: "clouds"})
	rev, changed, err := a.Fetch(t.Context())
	if err != nil || !changed || rev.Commit != registry.Digest(text) {
		t.Fatalf("%+v, %v, %v", rev, changed, err)
	}
	if _, err := fs.Stat(rev.Files, "a.yaml"); err != nil {
		t.Error(err)
	}
	if _, changed, err := a.Fetch(t.Context()); err != nil || changed || len(*asked) != 1 {
		t.Errorf("%v, %v: %d requests", changed, err, len(*asked))
	}
	files["/x/config.tar.gz"] = packedFiles(t, "clouds/a.yaml", "two")
	if _, _, err := follow(t, Config{URL: url + "/x/config.tar.gz", Digest: registry.Digest(text)}).Fetch(t.Context()); !errors.Is(err, failure.ErrContent) {
		t.Errorf("another archive is accepted: %v", err)
	}
	if _, err := a.At(t.Context(), "prod"); !errors.Is(err, failure.ErrNotFound) {
		t.Error(err)
	}
}

// A server says that an archive has not changed, although the agent has none yet.
func TestAttackNothingHasChanged(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }))
	defer server.Close()
	a := follow(t, Config{URL: server.URL + "/config.tar.gz", Digest: registry.Digest([]byte("x"))})
	for range 2 {
		if rev, _, err := a.Fetch(t.Context()); err == nil {
			t.Errorf("it is accepted: %+v", rev)
		}
	}
}

// The login is only sent to the configured host, whatever it refers to.
func TestAttackRedirectTakesNoLogin(t *testing.T) {
	text := packedFiles(t, "a.yaml", "one")
	elsewhere, asked := serveArchive(t, map[string][]byte{"/real.tgz": text})
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, _, _ := r.BasicAuth(); user != "ada" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, elsewhere+"/real.tgz", http.StatusFound)
	}))
	t.Cleanup(home.Close)
	login := filepath.Join(t.TempDir(), "login")
	if err := os.WriteFile(login, []byte("ada:secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := follow(t, Config{URL: home.URL + "/c.tgz", Digest: registry.Digest(text), Auth: Auth{BasicAuthFile: login}}).Fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(*asked) != 1 || (*asked)[0].Get("Authorization") != "" || (*asked)[0].Get("Referer") != "" {
		t.Errorf("%v", *asked)
	}
}

func TestConfigIsChecked(t *testing.T) {
	digest := registry.Digest(nil)
	for _, c := range []struct {
		cfg  Config
		want string // the beginning of the only problem; "" if there is none
	}{
		{Config{URL: "oci://ghcr.io/acme/config", Tag: "prod"}, ""},
		{Config{URL: "oci://localhost:5000/acme/config", Digest: digest}, ""},
		{Config{URL: "https://host/a.tar.gz", Digest: digest}, ""},
		{Config{URL: "http://127.0.0.1:1/a.tar", Digest: digest}, ""},
		{Config{URL: "https://host/a.tar.zst", KeyFiles: []string{"cosign.pub"}}, ""},
		{Config{URL: "oci://ghcr.io/acme/config:prod", Tag: "prod"}, "source.url: "},
		{Config{URL: "oci://ghcr.io/acme/config@" + digest, Digest: digest}, "source.url: "},
		{Config{URL: "oci://user:secret@ghcr.io/acme/config", Tag: "prod"}, "source.url: "},
		{Config{URL: "oci://ghcr.io/Acme/Config", Tag: "prod"}, "source.url: "},
		{Config{URL: "oci://ghcr.io/acme/config?x=y", Tag: "prod"}, "source.url: "},
		{Config{URL: "oci:///acme/config", Tag: "prod"}, "source.url: "},
		{Config{URL: "http://host/a.tar.gz", Digest: digest}, "source.url: "},
		{Config{URL: "oci://ghcr.io/acme/config"}, "source.tag: "},
		{Config{URL: "oci://ghcr.io/acme/config", Tag: "a b"}, "source.tag: "},
		{Config{URL: "oci://ghcr.io/acme/config", Tag: "prod", Digest: digest}, "source.digest: "},
		{Config{URL: "oci://ghcr.io/acme/config", Digest: "sha256:1"}, "source.digest: "},
		{Config{URL: "https://host/a.tgz"}, "source.digest: "},
		{Config{URL: "https://host/a.tgz", Digest: digest, Tag: "prod"}, "source.tag: "},
		{Config{URL: "https://host/a.tgz", Digest: digest, Path: "../x"}, "source.path: "},
		{Config{URL: "https://host/a.tgz", Digest: digest, Auth: Auth{DockerConfigFile: "x"}}, "source.auth: "},
		{Config{URL: "oci://ghcr.io/acme/config", Tag: "prod", Auth: Auth{DockerConfigFile: "x", TokenFile: "y"}}, "source.auth: "},
	} {
		_, err := New(c.cfg, nil)
		if !Is(c.cfg.URL) {
			t.Errorf("%s is no artifact", c.cfg.URL)
		}
		if (c.want == "") != (err == nil) || err != nil && (!errors.Is(err, failure.ErrConfig) || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%+v: %v", c.cfg, err)
		}
	}
	for _, url := range []string{"https://host/config.git", "https://host/config", "/srv/config.tar.gz", "ssh://git@host/config.tar.gz", "git@host:config.tar.gz", ""} {
		if Is(url) {
			t.Errorf("%q is an artifact", url)
		}
	}
}
