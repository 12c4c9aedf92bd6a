package cloud_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/private"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// start starts a simulated cloud, and removes all credentials from the environment.
func start(t *testing.T, options simulator.Options) *simulator.Server {
	t.Helper()
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); strings.HasPrefix(name, "OS_") {
			t.Setenv(name, "")
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Chdir(t.TempDir())
	server, err := simulator.Start(context.WithoutCancel(t.Context()), "127.0.0.1:0", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// use opens the cloud that cfg names, and sends one request.
func use(t *testing.T, cfg cloud.Config) error {
	t.Helper()
	c, err := cloud.Open(t.Context(), cfg)
	if err != nil {
		return err
	}
	if c.ProjectID == "" {
		t.Error("the project is not known")
	}
	return networks(t, c)
}

func networks(t *testing.T, c *cloud.Client) error {
	t.Helper()
	list, err := cloud.List[struct{ Name string }](t.Context(), c, cloud.Call{Service: cloud.Network, Path: "networks"}, "networks")
	if err == nil && len(list) == 0 {
		t.Error("no networks are seen")
	}
	return err
}

// credential creates an application credential for demo. It returns a clouds.yaml that uses it, and
// a function that revokes it.
func credential(t *testing.T, server *simulator.Server, expires time.Time) (clouds string, revoke func()) {
	t.Helper()
	write(t, "first.yaml", string(server.CloudsYAML()))
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo", File: "first.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	root := server.URL + "/identity/v3/users/" + server.Keystone.UserID("demo") + "/application_credentials"
	fields := map[string]any{"name": "agent"}
	if !expires.IsZero() {
		fields["expires_at"] = expires.UTC().Format("2006-01-02T15:04:05.000000")
	}
	var answer struct {
		Credential struct{ ID, Secret string } `json:"application_credential"`
	}
	// The path is a complete address, so the service does not matter.
	call := cloud.Call{Service: cloud.Network, Method: http.MethodPost, Path: root, Body: map[string]any{"application_credential": fields}, Into: &answer}
	if err := c.Do(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	clouds = "clouds:\n  agent:\n    auth_type: v3applicationcredential\n    region_name: RegionOne\n    auth:\n      auth_url: " + server.URL + "/identity/v3\n" +
		"      project_name: demo\n      user_domain_name: Default\n      application_credential_id: " + answer.Credential.ID + "\n      application_credential_secret: " + answer.Credential.Secret + "\n"
	return clouds, func() {
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodDelete, Path: root + "/" + answer.Credential.ID}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestApplicationCredential(t *testing.T) {
	server := start(t, simulator.Options{})
	text, revoke := credential(t, server, time.Time{})
	write(t, "clouds.yaml", text)
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	if err := networks(t, c); err != nil {
		t.Error(err)
	}
	revoke()
	refused(t, server, "agent")
	server.ResetRequests()
	err = networks(t, c)
	if !errors.Is(err, kind.ErrRejected) {
		t.Errorf("revoked in mid-pass: %v; want a rejection", err)
	}
	if n := len(server.Requests()); n > 3 {
		t.Errorf("revoked in mid-pass: %d requests for one list", n)
	}
}

func TestExpiredApplicationCredential(t *testing.T) {
	var late time.Duration
	server := start(t, simulator.Options{Now: func() time.Time { return time.Now().Add(late) }})
	text, _ := credential(t, server, time.Now().Add(time.Hour))
	write(t, "clouds.yaml", text)
	if err := use(t, cloud.Config{Cloud: "agent"}); err != nil {
		t.Error(err)
	}
	server.Do(func() { late = 2 * time.Hour })
	refused(t, server, "agent")
}

// refused expects that a login sends one request, and that its error says what to check.
func refused(t *testing.T, server *simulator.Server, entry string) {
	t.Helper()
	server.ResetRequests()
	_, err := cloud.Open(t.Context(), cloud.Config{Cloud: entry})
	if !errors.Is(err, kind.ErrRejected) || !strings.Contains(private.Text(err), "cloud "+entry) || !strings.Contains(private.Text(err), "check user, password or application credential") {
		t.Errorf("got %v; want a rejection that says what to check", err)
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("%d requests, want one", n)
	}
}

func TestWrongPassword(t *testing.T) {
	server := start(t, simulator.Options{})
	write(t, "clouds.yaml", strings.Replace(string(server.CloudsYAML()), "password: demo\n", "password: wrong-one\n", 1))
	refused(t, server, "demo")
}

func TestNobodyAtTheAddress(t *testing.T) {
	testcost.Long(t)
	server := start(t, simulator.Options{})
	write(t, "clouds.yaml", strings.ReplaceAll(string(server.CloudsYAML()), server.URL, "http://127.0.0.1:1"))
	err := use(t, cloud.Config{Cloud: "demo"})
	if err == nil || errors.Is(err, kind.ErrRejected) || !strings.Contains(private.Text(err), "http://127.0.0.1:1/identity/v3") || !strings.Contains(private.Text(err), "check auth_url") {
		t.Errorf("got %v; want an error that may pass and names the address", err)
	}
}

func TestPasswordInSecureYAML(t *testing.T) {
	server := start(t, simulator.Options{})
	home, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(home, "openstack", "clouds.yaml"), strings.ReplaceAll(string(server.CloudsYAML()), "      password: demo\n", ""))
	write(t, filepath.Join(home, "openstack", "secure.yaml"), "clouds: {demo: {auth: {password: demo}}}\n")
	t.Setenv("OS_CLOUD", "demo")
	if err := use(t, cloud.Config{}); err != nil {
		t.Error(err)
	}
	// $OS_CLIENT_CONFIG_FILE names clouds.yaml, and secure.yaml lies beside it.
	write(t, "elsewhere/clouds.yaml", strings.ReplaceAll(string(server.CloudsYAML()), "      password: demo\n", ""))
	write(t, "elsewhere/secure.yaml", "clouds: {demo: {auth: {password: demo}}}\n")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("OS_CLIENT_CONFIG_FILE", "elsewhere/clouds.yaml")
	if err := use(t, cloud.Config{}); err != nil {
		t.Error(err)
	}
}

func TestEnvironmentOnly(t *testing.T) {
	server := start(t, simulator.Options{})
	for name, value := range map[string]string{"AUTH_URL": server.URL + "/identity/v3", "USERNAME": "demo", "PASSWORD": "demo",
		"PROJECT_NAME": "demo", "USER_DOMAIN_NAME": "Default", "PROJECT_DOMAIN_NAME": "Default", "REGION_NAME": "RegionOne"} {
		t.Setenv("OS_"+name, value)
	}
	if err := use(t, cloud.Config{}); err != nil {
		t.Error(err)
	}
	t.Setenv("OS_PASSWORD", "wrong-one")
	if err := use(t, cloud.Config{}); !errors.Is(err, kind.ErrRejected) {
		t.Errorf("got %v, want a rejection", err)
	}
}

func TestEnvironmentOnlyWithApplicationCredential(t *testing.T) {
	server := start(t, simulator.Options{})
	text, _ := credential(t, server, time.Time{})
	value := func(name string) string {
		_, rest, _ := strings.Cut(text, name+": ")
		line, _, _ := strings.Cut(rest, "\n")
		return line
	}
	for name, value := range map[string]string{"OS_AUTH_TYPE": "v3applicationcredential", "OS_AUTH_URL": server.URL + "/identity/v3", "OS_REGION_NAME": "RegionOne",
		"OS_APPLICATION_CREDENTIAL_ID": value("application_credential_id"), "OS_APPLICATION_CREDENTIAL_SECRET": value("application_credential_secret")} {
		t.Setenv(name, value)
	}
	if err := use(t, cloud.Config{}); err != nil {
		t.Error(err)
	}
}

func TestOwnCertificateAuthority(t *testing.T) {
	server := start(t, simulator.Options{})
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewTLSServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.SetXForwarded()
	}})
	t.Cleanup(secure.Close)
	write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})))
	text := strings.ReplaceAll(string(simulator.CloudsYAML(secure.URL)), "    region_name:", "    cacert: ca.pem\n    region_name:")
	write(t, "clouds.yaml", text)
	if err := use(t, cloud.Config{Cloud: "demo"}); err != nil {
		t.Error(err)
	}
	write(t, "clouds.yaml", string(simulator.CloudsYAML(secure.URL)))
	if err := use(t, cloud.Config{Cloud: "demo"}); err == nil || !strings.Contains(private.Text(err), "certificate") || !strings.Contains(private.Text(err), "cacert") {
		t.Errorf("got %v; want an error about the certificate that says how to trust it", err)
	}
	t.Setenv("OS_CACERT", "ca.pem")
	if err := use(t, cloud.Config{Cloud: "demo"}); err != nil {
		t.Errorf("with $OS_CACERT: %v", err)
	}
}

func TestUnknownRegion(t *testing.T) {
	server := start(t, simulator.Options{})
	write(t, "clouds.yaml", strings.ReplaceAll(string(server.CloudsYAML()), "RegionOne", "RegionTwo"))
	_, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo"})
	if err == nil || !errors.Is(err, kind.ErrRejected) || !strings.Contains(private.Text(err), "RegionTwo") || !strings.Contains(private.Text(err), "RegionOne") {
		t.Errorf("got %v; want a rejection that names the regions there are", err)
	}
}

func TestNoKeystoneAtThePath(t *testing.T) {
	server := start(t, simulator.Options{})
	write(t, "clouds.yaml", strings.ReplaceAll(string(server.CloudsYAML()), "/identity/v3", "/identify/v3"))
	_, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo"})
	if !errors.Is(err, kind.ErrRejected) || !strings.Contains(private.Text(err), "check auth_url") {
		t.Errorf("got %v; want a rejection that says to check auth_url", err)
	}
}

func TestNoRegionNamed(t *testing.T) {
	server := start(t, simulator.Options{})
	write(t, "clouds.yaml", strings.ReplaceAll(string(server.CloudsYAML()), "    region_name: RegionOne\n", ""))
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo"})
	if err != nil || c.Region != "RegionOne" {
		t.Errorf("got %+v, %v; want the only region there is", c, err)
	}
}

// An expired token is renewed only once, even if several requests fail because of it.
func TestTokenEnds(t *testing.T) {
	var late time.Duration
	server := start(t, simulator.Options{TokenTTL: time.Minute, Now: func() time.Time { return time.Now().Add(late) }})
	write(t, "clouds.yaml", string(server.CloudsYAML()))
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		server.Do(func() { late += 2 * time.Minute })
		server.ResetRequests()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if err := networks(t, c); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		logins := 0
		for _, r := range server.Requests() {
			if strings.HasSuffix(r.Path, "/auth/tokens") {
				logins++
			}
		}
		if logins != 1 {
			t.Errorf("%d logins, want one", logins)
		}
	}
}

// Keystone fails for a moment, or an answer is cut off. The work continues: logins and lists are
// tried again, other requests are not. It takes seconds, because the client pauses before each new
// try.
func TestBadMomentsAreWaitedFor(t *testing.T) {
	testcost.Long(t)
	for name, fault := range map[string]simulator.Fault{
		"500":            {Status: 500, Count: 2},
		"503":            {Status: 503, Count: 2},
		"no answer":      {Reset: "before", Count: 2},
		"half an answer": {Truncate: true, Count: 2},
	} {
		for _, hit := range []simulator.Fault{{Service: "identity", Method: "POST"}, {Service: "network", Method: "GET", Path: "/networks$"}} {
			t.Run(name+" from "+hit.Service, func(t *testing.T) {
				server := start(t, simulator.Options{})
				write(t, "clouds.yaml", string(server.CloudsYAML()))
				fault := fault
				fault.Service, fault.Method, fault.Path = hit.Service, hit.Method, hit.Path
				if _, err := server.AddFault(fault); err != nil {
					t.Fatal(err)
				}
				if err := use(t, cloud.Config{Cloud: "demo"}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// half is a layer that returns half of the first list of networks, as if that was the whole list.
type half struct {
	next http.RoundTripper
	done atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (h *half) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := h.next.RoundTrip(req)
	if err != nil || !strings.HasSuffix(req.URL.Path, "/networks") || h.done.Swap(true) {
		return resp, err
	}
	whole, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(whole[:len(whole)/2]))
	return resp, err
}

func TestHalfAPageIsAskedForAgain(t *testing.T) {
	server := start(t, simulator.Options{})
	write(t, "clouds.yaml", string(server.CloudsYAML()))
	h := &half{}
	if err := use(t, cloud.Config{Cloud: "demo", Wrap: func(next http.RoundTripper) http.RoundTripper {
		h.next = next
		return h
	}}); err != nil {
		t.Error(err)
	}
	if !h.done.Load() {
		t.Error("nothing was cut")
	}
}
