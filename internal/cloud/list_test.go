package cloud_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// list reads a list with one client, and checks that two clients that share answers read the same.
func list(t *testing.T, h *hostile, service, path, field string) ([]named, error) {
	t.Helper()
	call := cloud.Call{Service: service, Path: path}
	alone, failed := cloud.List[named](t.Context(), h.open(t), call, field)
	sharing, snapshot := &cloud.Sharing{}, cloud.At(t.Context(), &kind.SharedResults{})
	for _, c := range []*cloud.Client{h.openWith(t, sharing), h.openWith(t, sharing)} {
		if all, err := cloud.List[named](snapshot, c, call, field); !slices.Equal(all, alone) || fmt.Sprint(err) != fmt.Sprint(failed) {
			t.Errorf("%s: %s: who shares reads %v, %v; who is alone %v, %v", service, path, all, err, alone, failed)
		}
	}
	return alone, failed
}

// ways lists how each service announces a second page. %s is replaced by the address of the list.
var ways = []struct{ service, path, field, first, last string }{
	{cloud.Identity, "auth/projects", "projects", `"links": {"self": "%s", "next": "%s?marker=1", "previous": null}`, `"links": {"next": null}, "truncated": false`},
	{cloud.Compute, "servers/detail", "servers", `"servers_links": [{"rel": "next", "href": "%s?marker=1"}]`, ``},
	{cloud.Compute, "os-keypairs", "keypairs", `"keypairs_links": [{"rel": "next", "href": "%s?marker=1"}]`, ``},
	{cloud.Network, "ports", "ports", `"ports_links": [{"rel": "next", "href": "%s?marker=1"}, {"rel": "previous", "href": "%s"}]`, `"ports_links": [{"rel": "previous", "href": "%s"}]`},
	{cloud.Network, "extensions", "extensions", `"extensions_links": [{"rel": "next", "href": "%s?marker=1"}]`, ``},
	{cloud.Image, "images", "images", `"first": "/v2/images", "schema": "/v2/schemas/images", "next": "/v2/images?marker=1"`, `"first": "/v2/images"`},
	{cloud.BlockStorage, "volumes/detail", "volumes", `"volumes_links": [{"rel": "next", "href": "%s?marker=1"}]`, ``},
	{cloud.BlockStorage, "types", "volume_types", `"volume_type_links": [{"rel": "next", "href": "%s?marker=1"}]`, ``},
	{cloud.LoadBalancer, "lbaas/pools", "pools", `"pools_links": [{"rel": "next", "href": "%s?marker=1"}]`, `"pools_links": []`},
	{cloud.LoadBalancer, "lbaas/availabilityzones", "availability_zones", `"availability_zones_links": [{"rel": "next", "href": "%s?marker=1"}]`, ``},
	{cloud.DNS, "zones", "zones", `"links": {"self": "%s", "next": "%s?marker=1"}, "metadata": {"total_count": 2}`, `"links": {"self": "%s"}, "metadata": {"total_count": 2}`},
	{cloud.DNS, "pools", "pools", `"links": {"next": "%s?marker=1"}`, `"links": {}, "metadata": {"total_count": 2}`},
	{cloud.KeyManager, "secrets", "secrets", `"total": 2, "next": "%s?offset=1"`, `"total": 2, "previous": "%s"`},
}

// A second page is read, however the service announces it.
func TestSecondPage(t *testing.T) {
	for _, way := range ways {
		var h *hostile
		h = newHostile(t, false, func(w http.ResponseWriter, r *http.Request) {
			id, rest := "1", way.first
			if q := r.URL.Query(); q.Has("marker") || q.Has("offset") {
				id, rest = "2", way.last
			}
			if rest != "" {
				rest = ", " + strings.ReplaceAll(rest, "%s", h.URL+r.URL.Path)
			}
			say(w, `{"`+way.field+`": [{"id": "`+id+`"}]`+rest+`}`)
		})
		if all, err := list(t, h, way.service, way.path, way.field); err != nil || len(all) != 2 || all[1].ID != "2" {
			t.Errorf("%s: %s: %v, %v; want two", way.service, way.path, all, err)
		}
	}
}

// Between two requests, an object of the first page is deleted. So an object moves from the second page to the first one,
// and the client would miss it.
func TestAttackPagesThatMove(t *testing.T) {
	var h *hostile
	h = newHostile(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "" {
			say(w, `{"secrets": [{"id": "1"}, {"id": "2"}], "total": 4, "next": "`+h.URL+r.URL.Path+`?offset=2"}`)
			return
		}
		say(w, `{"secrets": [{"id": "4"}], "total": 3}`)
	})
	if all, err := list(t, h, cloud.KeyManager, "secrets", "secrets"); err == nil || !strings.Contains(err.Error(), "the list changed while it was read, from 4 to 3 objects") {
		t.Errorf("a list of %v, %v", all, err)
	}
}

// If a service gives no link, the client requests pages until one is empty.
func TestPagesByCounting(t *testing.T) {
	for _, way := range []struct{ service, path, field, query, from string }{
		{cloud.Compute, "os-server-groups", "server_groups", "offset", "0"},
		{cloud.SharedFileSystem, "shares/detail", "shares", "offset", "0"},
		{cloud.ObjectStore, "", "", "marker", ""},
	} {
		pages := map[string]string{way.from: `[{"id": "1", "name": "a"}]`, "1": `[{"id": "2", "name": "b"}]`, "a": `[{"id": "2", "name": "b"}]`}
		h := newHostile(t, false, func(w http.ResponseWriter, r *http.Request) {
			text := pages[r.URL.Query().Get(way.query)]
			if text == "" {
				text = "[]"
			}
			if way.field != "" {
				text = `{"` + way.field + `": ` + text + `}`
			}
			say(w, text)
		})
		all, err := list(t, h, way.service, way.path, way.field)
		if err != nil || len(all) != 2 || all[1].ID != "2" {
			t.Errorf("%s: %v, %v; want two", way.service, all, err)
		}
	}
}

// The page after a page without objects is read, too.
func TestEmptyPageInTheMiddle(t *testing.T) {
	var h *hostile
	h = newHostile(t, false, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			say(w, `{"servers": [], "servers_links": [{"rel": "next", "href": "`+h.URL+r.URL.Path+`?marker=1"}]}`)
			return
		}
		say(w, `{"servers": [{"id": "1"}]}`)
	})
	if all, err := listServers(t, h.open(t)); err != nil || len(all) != 1 {
		t.Errorf("%v, %v; want one", all, err)
	}
}

// An answer without a list is an error, not an empty list.
func TestAttackNoList(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, `{"servers": null}`, `{"servers": {}}`, `{"servers": "none"}`, `{"error": {}}`, `null`, `"servers"`, ``, `{"servers": [1]}`} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { say(w, text) })
		if all, err := listServers(t, h.open(t)); err == nil || all != nil {
			t.Errorf("%q: a list of %v, %v", text, all, err)
		}
	}
	for _, status := range []int{http.StatusNoContent, http.StatusAccepted, http.StatusMultipleChoices} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if all, err := listServers(t, h.open(t)); err == nil || all != nil {
			t.Errorf("%d: a list of %v, %v", status, all, err)
		}
	}
}

// Keystone and Designate announce the next page in every answer. An answer without that member is an error.
func TestAttackNoWordOfPages(t *testing.T) {
	for _, way := range ways {
		if way.service != cloud.Identity && way.service != cloud.DNS {
			continue
		}
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { say(w, `{"`+way.field+`": [{"id": "1"}]}`) })
		if all, err := list(t, h, way.service, way.path, way.field); err == nil {
			t.Errorf("%s: a list of %v", way.path, all)
		}
	}
}

// If a part of a service's address looks like a version, the requests still go to that address.
func TestServicesBelowAVersion(t *testing.T) {
	for _, below := range []string{"/v2/%s/", "/v3/%s/", "/v2.0/%s", "/dev1/%s", "/v2/%s/%s/"} {
		for service, at := range map[string]struct{ version, path, field string }{
			cloud.Image: {"v2", "images", "images"}, cloud.Network: {"v2.0", "ports", "ports"}, cloud.LoadBalancer: {"v2.0", "lbaas/pools", "pools"},
			cloud.DNS: {"v2", "zones", "zones"}, cloud.Identity: {"v3", "auth/projects", "projects"},
		} {
			address := strings.Replace(strings.Replace(below, "%s", service, 1), "%s", at.version, 1)
			want := strings.TrimSuffix(strings.TrimSuffix(address, "/"), "/"+at.version) + "/" + at.version + "/" + at.path
			var h *hostile
			h = newHostile(t, false, func(w http.ResponseWriter, r *http.Request) {
				switch self := h.URL + r.URL.Path; {
				case r.URL.Path != want:
					http.NotFound(w, r)
				case r.URL.Query().Has("marker"):
					say(w, `{"`+at.field+`": [{"id": "2"}], "links": {}}`)
				case service == cloud.Image:
					say(w, `{"images": [{"id": "1"}], "next": "/v2/images?marker=1"}`)
				case service == cloud.DNS || service == cloud.Identity:
					say(w, `{"`+at.field+`": [{"id": "1"}], "links": {"next": "`+self+`?marker=1"}}`)
				default:
					say(w, fmt.Sprintf(`{"%[1]s": [{"id": "1"}], "%[1]s_links": [{"rel": "next", "href": "%[2]s?marker=1"}]}`, at.field, self))
				}
			})
			h.catalog[service] = h.URL + address
			if all, err := list(t, h, service, at.path, at.field); err != nil || len(all) != 2 {
				t.Errorf("%s: %v, %v; want two of %s", address, all, err, want)
			}
		}
	}
}
