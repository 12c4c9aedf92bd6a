package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// The cloud may give all servers a drive. If a manifest wants none, its server is not replaced
// because of the drive.
func TestADriveThatTheCloudDemands(t *testing.T) {
	demanding := kindtest.NewTarget(t, kinds).Through(func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/servers") {
				text, err := io.ReadAll(r.Body)
				if err != nil {
					return nil, err
				}
				r.Body = io.NopCloser(strings.NewReader(strings.Replace(string(text), `"config_drive":false`, `"config_drive":true `, 1)))
			}
			return next.RoundTrip(r)
		})
	})
	doc := needs + keyPair + "---" + object
	demanding.MustSync(doc)
	for _, s := range demanding.Plan(doc).Steps {
		if s.Key == key && (s.Action != plan.Keep || len(s.Notes) != 1 || !strings.Contains(s.Notes[0].Text, "the server is not replaced")) {
			t.Errorf("%s: %s, notes %v; want it kept, with a note", s.Action, s.FullCause(), s.Notes)
		}
	}
}
