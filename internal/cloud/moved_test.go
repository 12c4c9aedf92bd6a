package cloud_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// everything has a collection for each question.
var everything = map[string]bool{
	"compute/servers": true, "network/security-groups": true, "network/ports": true, "network/networks": true, "network/floatingips": true, "network/routers": true,
	"network/trunks": true, "network/subnetpools": true, "network/address-groups": true, "network/address-scopes": true, "network/qos/policies": true, "block-storage/volumes": true, "image/images": true,
	"load-balancer/lbaas/loadbalancers": true, "dns/zones": true, "key-manager/secrets": true, "object-store/containers": true, "shared-file-system/share-networks": true,
}

// A probe says once for each question that the user may not ask it, and does not ask it again. Other errors of a service can pass.
func TestProbeWithoutPermission(t *testing.T) {
	for code, final := range map[int]bool{http.StatusForbidden: true, http.StatusNotFound: true, http.StatusBadRequest: true, http.StatusInternalServerError: false, http.StatusConflict: false} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
		p := h.open(t).NewProbe()
		if _, _ = p.Moved(t.Context(), cloud.Compute, everything); h.requests("/compute/") != 1 {
			t.Errorf("%d: %d requests for one question", code, h.requests("/compute/"))
		}
		p = h.open(t).NewProbe()
		for _, service := range []string{cloud.Compute, cloud.Network} {
			said := map[string]bool{}
			for range 40 {
				if !p.Asks(service, everything) {
					break
				}
				_, err := p.Moved(t.Context(), service, everything)
				unseen := (*cloud.UnseenError)(nil)
				if errors.As(err, &unseen) != final || err == nil {
					t.Fatalf("%d: %v", code, err)
				}
				if final && (said[unseen.Question()] || unseen.Service != service) {
					t.Errorf("%d: %s again, of %s", code, unseen.Question(), unseen.Service)
				} else if final {
					said[unseen.Question()] = true
				}
			}
			if p.Asks(service, everything) == final {
				t.Errorf("%d: asks %s: %t", code, service, !final)
			}
		}
	}
}

// Only services are asked that show a collection that matters.
func TestProbeAsksOnlyWhatMatters(t *testing.T) {
	p := (&cloud.Client{}).NewProbe()
	for _, service := range cloud.ProbedServices() {
		if p.Asks(service, nil) || p.Asks(service, map[string]bool{"compute/flavors": true, "computer/servers": true}) || !p.Asks(service, everything) {
			t.Errorf("%s is asked: %t for nothing, %t for everything", service, p.Asks(service, nil), p.Asks(service, everything))
		}
	}
	if !p.Asks(cloud.LoadBalancer, map[string]bool{"load-balancer/lbaas/pools": true}) {
		t.Error("a balancer's row shows its pools")
	}
}

// Answers of a hostile service cause errors or hints, and nothing else.
func FuzzProbe(f *testing.F) {
	for _, body := range []string{`{}`, `[]`, `null`, `{"ports":[{"id":"a","revision_number":1},{"id":{}},null],"ports_links":[{"rel":"next"}]}`, `{"quota":{"port":{"used":1,"limit":2}}}`,
		`{"quota_set":{"volumes":{"in_use":-1}}}`, `{"limits":[]}`, `{"secrets":1e999}`, strings.Repeat("[", 20000)} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		p := h.open(t).NewProbe()
		for _, service := range cloud.ProbedServices() {
			for range 3 {
				nouns, err := p.Moved(t.Context(), service, everything)
				if err != nil && len(nouns) > 0 {
					t.Errorf("%s: %v and %v", service, nouns, err)
				}
			}
		}
	})
}
