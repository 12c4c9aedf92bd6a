package server_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/ownertext"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/world"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

const userSecret = "hunter2hunter2"

const secretServer = `
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Server
metadata: {name: web}
spec:
  resource:
    imageRef: os
    flavorRef: small
    ports: []
    userData: {value: "#cloud-config\npassword: hunter2hunter2\n"}
`

// echo is a transport that refuses requests which create servers. The error
// repeats the user data in another form.
type echo struct {
	next http.RoundTripper
	form func(string) string
}

func (e echo) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/servers") {
		return e.next.RoundTrip(req)
	}
	body, _ := io.ReadAll(req.Body)
	var sent struct {
		Server struct {
			UserData string `json:"user_data"`
		} `json:"server"`
	}
	_ = json.Unmarshal(body, &sent)
	script, _ := base64.StdEncoding.DecodeString(sent.Server.UserData)
	text, _ := json.Marshal(map[string]any{"badRequest": map[string]any{"code": 400, "message": "bad input " + e.form(string(script))}})
	return &http.Response{StatusCode: 400, ProtoMajor: 1, ProtoMinor: 1, Request: req, Body: io.NopCloser(bytes.NewReader(text)),
		Header: http.Header{"Content-Type": {"application/json"}, "X-Openstack-Request-Id": {"req-6f3c2f0e-8a4e-4a52-9a52-2d8b6c3a7c11"}}}, nil
}

var forms = map[string]func(string) string{
	"plain":      func(s string) string { return s },
	"one line":   func(string) string { return "password: " + userSecret },
	"base64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 cut": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s))[3:30] },
	"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
	"url":        url.QueryEscape,
	"html":       html.EscapeString,
	"spaced out": func(s string) string { return fmt.Sprint(strings.Split(s, "")) },
	"bytes":      func(s string) string { return fmt.Sprintf("%d", []byte(s)) },
}

// If an error of the cloud repeats the request, the agent does not quote the error. The
// agent reports only the status, the ID of the request and a text of its own.
func TestAttackSecretUserDataRepeated(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			pass := g.In(t).SyncThrough(needs+"\n---\n"+secretServer, func(next http.RoundTripper) http.RoundTripper { return echo{next, form} })
			text := fmt.Sprint(pass.Failures)
			if strings.Contains(text, "bad input") || strings.Contains(text, "hunter") || strings.Contains(text, "104 117") {
				t.Errorf("the error repeats the request: %s", text)
			}
			for _, stays := range []string{"400", "req-6f3c2f0e", "withheld"} {
				if !strings.Contains(text, stays) {
					t.Errorf("%q is missing: %s", stays, text)
				}
			}
		})
	}
}

// Nobody can guess the user data from the stored fingerprint. A fingerprint of
// earlier releases is replaced by one of the present form, and the plan reports
// neither a change of user data nor drift.
func TestAttackSecretUserDataFingerprint(t *testing.T) {
	g := kindtest.NewTarget(t, kinds)
	all := needs + "\n---\n" + secretServer
	g.MustSync(all)
	c := g.Client(nil)
	var list struct {
		Servers []struct {
			ID       string            `json:"id"`
			Name     string            `json:"name"`
			Metadata map[string]string `json:"metadata"`
		} `json:"servers"`
	}
	look := func() (id string, metadata map[string]string) {
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodGet, Path: "servers/detail?name=web", Into: &list}); err != nil {
			t.Fatal(err)
		}
		for _, s := range list.Servers {
			if strings.HasPrefix(s.Metadata[mark.OwnerKey], ownertext.Prefix+g.Stack+":") {
				return s.ID, s.Metadata // a real cloud may have servers of others
			}
		}
		t.Fatal(list)
		return "", nil
	}
	id, stored := look()
	script := "#cloud-config\npassword: " + userSecret + "\n"
	print := stored[mark.OwnerKey+"-user-data"]
	if print == checksum.Short(script) || !strings.HasPrefix(print, "s-") || !strings.HasPrefix(stored[mark.AppliedKey], "s-") {
		t.Fatalf("the metadata tells %v", stored)
	}
	// stored gets the metadata that an earlier release wrote, including its digest
	// of the manifest. The test does not know that digest, so it uses any other
	// value.
	stored[mark.OwnerKey+"-user-data"], stored[mark.AppliedKey] = checksum.Short(script), "abcdefghijkl"
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Compute, Method: http.MethodPut, Path: "servers/" + id + "/metadata", Body: map[string]any{"metadata": stored}}); err != nil {
		t.Fatal(err)
	}
	step := func(manifests string) (found plan.Step) {
		for _, s := range g.Plan(manifests).Steps {
			if s.Key.Kind == "Server" {
				found = s
			}
		}
		return found
	}
	if s := step(all); s.Action != plan.Update || s.Drift || s.Disruption() != kind.InPlace || len(s.Changes) != 1 || s.Changes[0].Field != kind.MarkField {
		t.Errorf("after an upgrade: %s, drift %v, %v", s.Action, s.Drift, s.Changes)
	}
	if s := step(strings.Replace(all, userSecret, "another-one", 1)); s.Action != plan.Recreate {
		t.Errorf("other user data: %s", s.Action)
	}
	g.MustSync(all)
	if now, renewed := look(); now != id || renewed[mark.OwnerKey+"-user-data"] != print || !strings.HasPrefix(renewed[mark.AppliedKey], "s-") {
		t.Errorf("not renewed in place: %v", renewed)
	}
}

// To compute fingerprints, a pass needs at most two slow hashes for each secret,
// and the next pass needs none.
func TestFingerprintsOfManyServers(t *testing.T) {
	testcost.Long(t)
	for name, userData := range map[string]string{
		"one Secret":         "{secretKeyRef: {name: scripts, key: value}}",
		"secrets of its own": `{value: "echo %d"}`,
	} {
		t.Run(name, func(t *testing.T) {
			const servers = 200
			var text strings.Builder
			text.WriteString(needs)
			var have []*kind.Live
			for i := range servers {
				data := strings.Replace(userData, "%d", fmt.Sprint(i), 1)
				fmt.Fprintf(&text, "\n---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Server\nmetadata: {name: web-%d}\nspec: {resource: {imageRef: os, flavorRef: small, ports: [], userData: %s}}\n", i, data)
				key := manifest.Key{Group: define.OrcGroup, Kind: "Server", Namespace: "default", Name: fmt.Sprint("web-", i)}
				have = append(have, &kind.Live{ID: fmt.Sprint("s", i), Name: key.Name, InOwnProject: true, Phase: kind.Ready, State: &state{Name: key.Name, Claim: mark.Claim{Notes: map[string]string{userDataKey: "s-aaaaaaaaaaaaaaaa"}}},
					Mark: &kind.Mark{Owner: ownertext.Of("s", key), Applied: "s-aaaaaaaaaaaaaaaa"}})
			}
			prints, err := fingerprint.New("project/s")
			if err != nil {
				t.Fatal(err)
			}
			in := world.Input{Stack: "s", Kinds: kinds(nil, defaults.Defaults{}), Want: read(t, text.String()), Have: kind.Snapshot{"Server": {Items: have}}, Printer: prints}
			most := map[string]int{"one Secret": 2, "secrets of its own": 2 * servers}[name]
			for pass := range 2 {
				before, started := prints.Count(), time.Now()
				decide.Compute(in)
				t.Logf("pass %d: %d slow hashes, %s", pass+1, prints.Count()-before, time.Since(started).Round(time.Millisecond))
				if n := prints.Count() - before; n > most {
					t.Errorf("pass %d: %d slow hashes, at most %d allowed", pass+1, n, most)
				}
				most = 0
			}
		})
	}
}
