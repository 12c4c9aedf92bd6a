package server_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// withoutFaults is a transport to a Nova whose list of servers omits their
// faults.
type withoutFaults struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (w withoutFaults) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(req)
	if err != nil || !strings.HasSuffix(req.URL.Path, "/servers/detail") {
		return resp, err
	}
	text, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // the body was read to its end
	text = bytes.ReplaceAll(text, []byte(`"fault"`), []byte(`"left out"`))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	resp.Header.Del("Content-Length")
	return resp, err
}

// If the list omits the fault of a server, the agent reads that server alone.
func TestAFaultThatTheListLeavesOut(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("an OpenStack has hosts for it")
	}
	const torn = needs + `---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Server, metadata: {name: first}, spec: {resource: {ports: [], flavorRef: small, imageRef: os}}}
---
{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Server, metadata: {name: torn}, spec: {resource: {ports: [], flavorRef: small, imageRef: os, schedulerHints: {sameHostServerRefs: [first], differentHostServerRefs: [first]}}}}
`
	pass := g.SyncThrough(torn, func(next http.RoundTripper) http.RoundTripper { return withoutFaults{next} })
	if len(pass.Failures) != 1 || !strings.Contains(pass.Failures[0].Reason(), "No valid host was found") {
		t.Errorf("%v", pass.Failures)
	}
	g.MustSync("")
}
