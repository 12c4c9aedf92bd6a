package cloud_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// everyKind has a kind for each question.
var everyKind = map[string]string{
	"Server": cloud.Compute, "SecurityGroup": cloud.Network, "Port": cloud.Network, "Network": cloud.Network, "FloatingIP": cloud.Network, "Router": cloud.Network,
	"Trunk": cloud.Network, "SubnetPool": cloud.Network, "AddressGroup": cloud.Network, "QoSPolicy": cloud.Network, "Volume": cloud.BlockStorage, "Image": cloud.Image,
	"LoadBalancer": cloud.LoadBalancer, "DNSZone": cloud.DNS, "BarbicanSecret": cloud.KeyManager, "SwiftContainer": cloud.ObjectStore, "ShareNetwork": cloud.SharedFileSystem,
}

// A probe says once for each question that the user may not ask it, and does not ask it again. Other errors of a service can pass.
func TestProbeWithoutPermission(t *testing.T) {
	for code, final := range map[int]bool{http.StatusForbidden: true, http.StatusNotFound: true, http.StatusBadRequest: true, http.StatusInternalServerError: false, http.StatusConflict: false} {
		h := newHostile(t, false, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
		p := h.open(t).NewProbe()
		if _, _ = p.Moved(t.Context(), cloud.Compute, everyKind); h.requests("/compute/") != 1 {
			t.Errorf("%d: %d requests for one question", code, h.requests("/compute/"))
		}
		p = h.open(t).NewProbe()
		for _, service := range []string{cloud.Compute, cloud.Network} {
			said := map[string]bool{}
			for range 40 {
				if !p.Asks(service, everyKind) {
					break
				}
				_, err := p.Moved(t.Context(), service, everyKind)
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
			if p.Asks(service, everyKind) == final {
				t.Errorf("%d: asks %s: %t", code, service, !final)
			}
		}
	}
}

// Only services whose kinds a stack has are asked.
func TestProbeAsksOnlyForKinds(t *testing.T) {
	p := (&cloud.Client{}).NewProbe()
	for _, service := range cloud.ProbedServices() {
		if p.Asks(service, nil) || p.Asks(service, map[string]string{"Flavor": "identity"}) || !p.Asks(service, everyKind) {
			t.Errorf("%s is asked: %t for nothing, %t for everything", service, p.Asks(service, nil), p.Asks(service, everyKind))
		}
	}
	if !p.Asks(cloud.Network, map[string]string{"NewKind": cloud.Network}) || p.Asks(cloud.ObjectStore, map[string]string{"EtcdBackup": cloud.ObjectStore}) {
		t.Error("a kind without a question of its own")
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
				nouns, err := p.Moved(t.Context(), service, everyKind)
				if err != nil && len(nouns) > 0 {
					t.Errorf("%s: %v and %v", service, nouns, err)
				}
			}
		}
	})
}
