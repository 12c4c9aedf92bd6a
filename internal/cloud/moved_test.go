package cloud_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// everything has a collection for each question.
var everything = map[string]bool{
	"compute/servers": true, "network/security-groups": true, "network/ports": true, "network/networks": true, "network/floatingips": true, "network/routers": true,
	"network/trunks": true, "network/subnetpools": true, "network/address-groups": true, "network/address-scopes": true, "network/qos/policies": true, "block-storage/volumes": true, "image/images": true,
	"load-balancer/lbaas/loadbalancers": true, "dns/zones": true, "key-manager/secrets": true, "object-store/containers": true, "shared-file-system/share-networks": true,
}

func asks(p *cloud.Probe, service string, matter map[string]bool) bool {
	questions, _ := p.Asks(service, matter)
	return questions > 0
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
				if !asks(p, service, everything) {
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
			if asks(p, service, everything) == final {
				t.Errorf("%d: asks %s: %t", code, service, !final)
			}
		}
	}
}

// A question that a service has not answered is asked again after an hour, because the reason may have passed.
func TestProbeAsksAgain(t *testing.T) {
	refuses := true
	h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
		if refuses {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(`{"servers": []}`))
	})
	p, matter := h.open(t).NewProbe(), map[string]bool{"compute/servers": true}
	now := time.Now()
	p.SetNow(func() time.Time { return now })
	unseen := (*cloud.UnseenError)(nil)
	if _, err := p.Moved(t.Context(), cloud.Compute, matter); !errors.As(err, &unseen) || asks(p, cloud.Compute, matter) {
		t.Fatalf("%v", err)
	}
	refuses, now = false, now.Add(time.Hour)
	if moved, err := p.Moved(t.Context(), cloud.Compute, matter); err != nil || len(moved) != 1 {
		t.Errorf("after an hour: %v, %v", moved, err)
	}
}

// A login that continues the probe of another one compares with its answers.
func TestProbeContinues(t *testing.T) {
	h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"ports": [{"id": "a", "revision_number": 1}]}`))
	})
	first, matter := h.open(t).NewProbe(), map[string]bool{"network/ports": true}
	if moved, err := first.Moved(t.Context(), cloud.Network, matter); err != nil || len(moved) != 1 {
		t.Errorf("the first answer: %v, %v", moved, err)
	}
	if moved, err := h.open(t).NewProbe().Continue(first).Moved(t.Context(), cloud.Network, matter); err != nil || len(moved) != 0 {
		t.Errorf("the same answer to another login: %v, %v", moved, err)
	}
}

// A question that one login may not ask is still asked by another login. A further stack with the first login does not ask it.
func TestProbeOfAnotherLogin(t *testing.T) {
	refuses := true
	h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) {
		if refuses {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(`{"servers": []}`))
	})
	matter := map[string]bool{"compute/servers": true}
	first := h.open(t).NewProbe()
	if first.Login() != h.open(t).NewProbe().Login() {
		t.Errorf("the same user has the logins %q and %q", first.Login(), h.open(t).NewProbe().Login())
	}
	first.SetLogin("a")
	if _, err := first.Moved(t.Context(), cloud.Compute, matter); err == nil || asks(first, cloud.Compute, matter) {
		t.Fatalf("a question that is refused: %v", err)
	}
	same, other := h.open(t).NewProbe().Continue(first), h.open(t).NewProbe()
	same.SetLogin("a")
	other.SetLogin("b")
	other = other.Continue(first)
	if asks(same, cloud.Compute, matter) || !asks(other, cloud.Compute, matter) {
		t.Errorf("the same login asks: %t, another one: %t", asks(same, cloud.Compute, matter), asks(other, cloud.Compute, matter))
	}
	refuses = false
	if moved, err := other.Moved(t.Context(), cloud.Compute, matter); err != nil || len(moved) != 1 {
		t.Errorf("the other login: %v, %v", moved, err)
	}
}

// Only services are asked that show a collection that matters.
func TestProbeAsksOnlyWhatMatters(t *testing.T) {
	p := (&cloud.Client{}).NewProbe()
	for _, service := range cloud.ProbedServices() {
		if asks(p, service, nil) || asks(p, service, map[string]bool{"compute/flavors": true, "computer/servers": true}) || !asks(p, service, everything) {
			t.Errorf("%s is asked: %t for nothing, %t for everything", service, asks(p, service, nil), asks(p, service, everything))
		}
	}
	if !asks(p, cloud.LoadBalancer, map[string]bool{"load-balancer/lbaas/pools": true}) {
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
