package child

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stackreeve/stackreeve/internal/kustomize"
)

// TestControl runs kustomize without the check of its input and without a process of its own. kustomize then sends requests,
// so the other tests would notice such requests.
func TestControl(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		http.NotFound(w, nil)
	}))
	defer server.Close()
	for _, text := range []string{"resources: [%]\n", "patches: [{path: %}]\n", "configMapGenerator: [{name: a, files: [%]}]\n", "openapi: {path: %}\n"} {
		before := requests.Load()
		build(kustomize.Input{Root: "/a", Files: map[string][]byte{"/a/kustomization.yaml": []byte(strings.ReplaceAll(text, "%", server.URL+"/a.yaml"))}})
		if requests.Load() == before {
			t.Errorf("%s: no request", text)
		}
	}
}
