package member

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

// Records are read to the last page. If the list is cut off, no record is known.
func TestRecordsOnSeveralPages(t *testing.T) {
	for name, last := range map[string]string{"whole": `{"ports": [{"id": "b", "tags": ["stackreeve:etcd", "blue"]}], "ports_links": []}`, "cut": ""} {
		t.Run(name, func(t *testing.T) {
			c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case !r.URL.Query().Has("marker"):
					next := "http://" + r.Host + r.URL.Path + "?" + r.URL.RawQuery + "&marker=a"
					fmt.Fprintf(w, `{"ports": [{"id": "a", "tags": ["stackreeve:etcd"]}], "ports_links": [{"rel": "next", "href": %q}]}`, next)
				case last == "":
					w.WriteHeader(http.StatusForbidden)
				default:
					fmt.Fprint(w, last)
				}
			})
			tags, err := RecordsOfPorts(t.Context(), c)
			if last == "" && (err == nil || tags != nil) {
				t.Errorf("a list that is cut is %v, %v", tags, err)
			}
			if last != "" && (err != nil || strings.Join(tags["a"], " ") != "stackreeve:etcd" || strings.Join(tags["b"], " ") != "stackreeve:etcd" || len(tags) != 2) {
				t.Errorf("they are %v, %v", tags, err)
			}
		})
	}
}

// clientOf returns a client of a cloud whose network service answers with handler.
func clientOf(t *testing.T, handler http.HandlerFunc) *cloud.Client {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "gAAAA")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"token": {"expires_at": "2036-01-01T00:00:00.000000Z", "project": {"id": "p1", "name": "p"}, "user": {"id": "u", "name": "me"}, "catalog": [
			{"type": "network", "id": "n", "name": "neutron", "endpoints": [{"id": "e", "interface": "public", "region": "r", "region_id": "r", "url": %q}]}]}}`, s.URL)
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"versions": [{"id": "v2.0", "status": "CURRENT", "links": []}]}`)
	})
	mux.HandleFunc("GET /v2.0/", handler)
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
