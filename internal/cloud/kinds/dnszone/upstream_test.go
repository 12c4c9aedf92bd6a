package dnszone_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
)

// inError makes all answers show zones in status ERROR.
type inError struct{ next http.RoundTripper }

func (e inError) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := e.next.RoundTrip(req)
	if err != nil || !strings.Contains(req.URL.Path, "/zones") {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	for _, status := range []string{`"ACTIVE"`, `"PENDING"`} {
		for _, space := range []string{"", " "} { // services write a space after the colon
			body = bytes.ReplaceAll(body, []byte(`"status":`+space+status), []byte(`"status":"ERROR"`))
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Del("Content-Length")
	return resp, err
}

// A zone in status ERROR is recognised by its mark. It is not created a second time, its fields are updated, and it can
// be deleted (terraform-provider-openstack#1111).
func TestErrorIsNoEnd(t *testing.T) {
	const zone = "apiVersion: stackreeve.dev/v1alpha1\nkind: DNSZone\nmetadata: {name: late}\nspec: {resource: {name: late.zones.example., email: hostmaster@example.org, ttl: 600}}"
	g := kindtest.NewTarget(t, all.Kinds)
	g.Only(zone)
	wrap := func(next http.RoundTripper) http.RoundTripper { return inError{next} }
	g.SyncThrough(zone, wrap)
	var count kindtest.Counter
	pass := g.SyncThrough(zone, func(next http.RoundTripper) http.RoundTripper { return count.Wrap(inError{next}) })
	if len(pass.First.Steps) != 1 || pass.First.Owned != 1 || count.Writes.Load() > 0 {
		t.Fatalf("%d owned, %d writes: %v", pass.First.Owned, count.Writes.Load(), pass.First.Steps)
	}
	if s := pass.First.Steps[0]; s.Action != plan.Keep || !strings.Contains(s.FullCause(), "status ERROR") {
		t.Errorf("unchanged: %s, %s", s.Action, s.FullCause())
	}
	changed := strings.Replace(zone, "ttl: 600", "ttl: 900", 1)
	if pass := g.SyncThrough(changed, wrap); len(pass.Failures) > 0 {
		t.Errorf("changed: %v", pass.Failures)
	}
	if pass := g.MustSync(changed); len(pass.Results) > 0 {
		t.Errorf("what has changed was not written: %v", pass.Results)
	}
	g.SyncThrough("", wrap)
	if pass := g.MustSync(""); pass.First.Owned != 0 {
		t.Errorf("%d are left", pass.First.Owned)
	}
}
