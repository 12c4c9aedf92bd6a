package define

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// clientOf returns a client of a cloud with two services, image and network. handler answers their
// requests; its paths do not contain the version.
func clientOf(t testing.TB, handler http.HandlerFunc) *cloud.Client {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch _, below, ok := strings.Cut(r.URL.Path, "/v2"); {
		case strings.HasSuffix(r.URL.Path, "/auth/tokens"):
			w.Header().Set("X-Subject-Token", "gAAAA")
			w.WriteHeader(http.StatusCreated)
			const service = `{"type": %[1]q, "id": %[1]q, "name": %[1]q, "endpoints": [{"id": %[1]q, "interface": "public", "region": "r", "region_id": "r", "url": "%[2]s/%[1]s"}]}`
			fmt.Fprint(w, `{"token": {"expires_at": "2036-01-01T00:00:00.000000Z", "project": {"id": "p1", "name": "p"}, "user": {"id": "u", "name": "me"}, "catalog": [`+
				fmt.Sprintf(service, "image", s.URL)+", "+fmt.Sprintf(service, "network", s.URL)+"]}}")
		case !ok:
			fmt.Fprint(w, `{"versions": [{"id": "v2.0", "status": "CURRENT", "links": []}]}`)
		default:
			r.URL.Path = strings.TrimPrefix(below, ".0")
			handler(w, r)
		}
	}))
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "clouds.yaml")
	text := "clouds: {c: {region_name: r, auth: {auth_url: '" + s.URL + "/v3', username: me, password: password, project_name: p, user_domain_name: d, project_domain_name: d}}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "c", File: file})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
