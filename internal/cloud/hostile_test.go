package cloud_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/simulator"
)

// hostile is a cloud whose answers, except the token, are written by a test.
type hostile struct {
	*httptest.Server
	catalog map[string]string // addresses by catalog type

	mu    sync.Mutex
	login http.HandlerFunc // answers logins instead of the cloud; if it is nil, the cloud answers with a normal token
	other http.HandlerFunc // answers all other requests
	asked []string
}

// newHostile starts a cloud that offers every service at its own address.
func newHostile(t *testing.T, secure bool, other http.HandlerFunc) *hostile {
	t.Helper()
	start(t, simulator.Options{}) // an environment without credentials
	h := &hostile{other: other, catalog: map[string]string{}}
	if h.Server = httptest.NewServer(h); secure {
		h.Close()
		h.Server = httptest.NewTLSServer(h)
	}
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	for _, service := range []string{"identity", "compute", "network", "image", "block-storage", "load-balancer", "dns", "key-manager", "object-store", "shared-file-system"} {
		h.catalog[service] = h.URL + "/" + service
	}
	h.catalog["compute"] += "/v2.1"
	h.catalog["block-storage"] += "/v3/p"
	h.catalog["identity"] += "/v3"
	h.catalog["shared-file-system"] += "/v2/p"
	h.clouds(t, h.URL+"/v3", "")
	return h
}

// clouds writes the clouds.yaml of an agent that uses the cloud.
func (h *hostile) clouds(t *testing.T, auth, more string) {
	t.Helper()
	if h.TLS != nil {
		write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})))
		more += "    cacert: ca.pem\n"
	}
	write(t, "clouds.yaml", "clouds:\n  hostile:\n"+more+"    auth: {auth_url: '"+auth+"', username: me, password: hunter2-hunter2, project_name: p, user_domain_name: d, project_domain_name: d}\n")
}

// ServeHTTP implements http.Handler.
func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.asked = append(h.asked, r.Method+" "+r.URL.Path)
	h.mu.Unlock()
	isLogin := strings.HasSuffix(r.URL.Path, "/auth/tokens")
	switch {
	case isLogin && h.login != nil:
		h.login(w, r)
	case isLogin:
		h.token(w, r)
	case slices.Contains([]string{"network", "image", "glance", "load-balancer", "dns"}, path.Base(r.URL.Path)):
		say(w, `{"versions": [{"id": "v2.0", "status": "CURRENT", "links": []}]}`)
	case path.Base(r.URL.Path) == "key-manager":
		say(w, `{"versions": {"values": [{"id": "v1", "status": "stable", "links": []}]}}`)
	default:
		h.other(w, r)
	}
}

func (h *hostile) token(w http.ResponseWriter, _ *http.Request) {
	var catalog []any
	for service, address := range h.catalog {
		catalog = append(catalog, map[string]any{"type": service, "id": service, "name": service,
			"endpoints": []any{map[string]any{"id": service, "interface": "public", "region": "r", "region_id": "r", "url": address}}})
	}
	w.Header().Set("X-Subject-Token", "gAAAA")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{"expires_at": "2036-01-01T00:00:00.000000Z",
		"project": map[string]any{"id": "p", "name": "p"}, "user": map[string]any{"id": "u", "name": "me"}, "catalog": catalog}})
}

// say writes an answer of JSON.
func say(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, text)
}

// requests counts the requests whose method and path contain word.
func (h *hostile) requests(word string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(h.asked), func(r string) bool { return !strings.Contains(r, word) }))
}

// open returns a client that has logged in.
func (h *hostile) open(t *testing.T) *cloud.Client {
	t.Helper()
	return h.openWith(t, nil)
}

// openWith returns a client that has logged in, and that shares answers with other clients.
func (h *hostile) openWith(t *testing.T, sharing *cloud.Sharing) *cloud.Client {
	t.Helper()
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "hostile", Sharing: sharing})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// victim is a server that must not get any request. It records the requests that it gets.
type victim struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	v := &victim{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.got = append(v.got, r.Method+" "+r.URL.Path+" token "+r.Header.Get("X-Auth-Token"))
		say(w, `{"networks": [], "servers": [], "images": []}`)
	}))
	t.Cleanup(v.Close)
	return v
}

// spared expects that nothing was sent to the victim.
func (v *victim) spared(t *testing.T, what string) {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.got) > 0 {
		t.Errorf("%s: another server got %q", what, v.got)
	}
	v.got = nil
}
