package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/service/servicetest"
	"github.com/stackreeve/stackreeve/internal/simulator"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// selfSigned writes a certificate for 127.0.0.1 and other addresses, and the key of the certificate.
func selfSigned(t *testing.T, certFile, keyFile string, also ...string) {
	t.Helper()
	names := []net.IP{net.IPv4(127, 0, 0, 1)}
	for _, address := range also {
		names = append(names, net.ParseIP(address))
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: names,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	readToken  = "tttttttttttttttttttttttttttttttttttttttt"
	hiddenText = "something secret"
	hiddenData = "c29tZXRoaW5nIHNlY3JldA=="
)

// readable is a stage with an agent that has the read API.
type readable struct {
	*stage
	said   *servicetest.Record
	agent  *exec.Cmd
	server string
	client *http.Client
}

// startReadable starts an agent that kubectl can read from.
func startReadable(t *testing.T) *readable {
	t.Helper()
	r := &readable{stage: newStage(t, simulator.Options{}), said: &servicetest.Record{}}
	r.network("tier: web", "holds "+hiddenText)
	r.start(t, "--drift-check", "@every 1h")
	r.passes(t, 1)
	return r
}

// start starts the agent.
func (r *readable) start(t *testing.T, flags ...string) {
	t.Helper()
	r.build()
	r.Write("token", "alice "+readToken+"\n")
	selfSigned(t, r.Path("cert.pem"), r.Path("key.pem"))
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close() // the agent listens at this address next
	r.server = "https://" + address
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(r.content("cert.pem")))
	r.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	r.agent = r.command(append([]string{"run", "--listen", address, "--listen-cert-file", r.Path("cert.pem"), "--listen-key-file", r.Path("key.pem"), "--api-token-file", r.Path("token")}, flags...)...)
	r.agent.Stderr = r.said
	if err := r.agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.client.CloseIdleConnections()
		_ = r.agent.Process.Signal(syscall.SIGTERM) // the agent may already have ended
		_ = r.agent.Wait()
	})
}

// network commits the manifests of the stack.
func (r *readable) network(label, description string) {
	r.Write("repo/net.yaml", "apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Network\nmetadata: {name: front, labels: {"+label+"}}\nspec: {resource: {description: '"+description+"'}}\n"+
		"---\napiVersion: v1\nkind: Secret\nmetadata: {name: key}\ndata: {it: "+hiddenData+"}\n")
	r.Commit()
}

// content returns the content of a file.
func (r *readable) content(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(r.Path(name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// passes waits until n passes have ended.
func (r *readable) passes(t *testing.T, n int) {
	t.Helper()
	until := time.Now().Add(3 * time.Minute)
	for strings.Count(r.said.String(), "pass ended") < n {
		if time.Now().After(until) {
			t.Fatalf("%d passes have not ended\n%s", n, r.said)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// ask makes one request and returns the answer.
func (r *readable) ask(t *testing.T, method, path, bearer, accept string) (int, string) {
	t.Helper()
	resp := r.open(t.Context(), t, method, path, bearer, accept)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (r *readable) open(ctx context.Context, t *testing.T, method, path, bearer, accept string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, r.server+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Accept", accept)
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

const (
	networksPath = "/apis/openstack.k-orc.cloud/v1alpha1/namespaces/killed/networks"
	asTable      = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
)

// Clients with the token read the result of the last pass over HTTP.
func TestReadAPI(t *testing.T) {
	r := startReadable(t)
	for _, c := range []struct {
		method, path, accept string
		code                 int
		want, not            string
	}{
		{"GET", "/version", "", 200, `"gitVersion"`, ""},
		{"GET", "/api", "", 200, `"APIVersions"`, ""},
		{"GET", "/apis", "", 200, `"APIGroupList"`, ""},
		{"GET", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", 200, `"resource": "networks"`, ""},
		{"GET", "/apis/openstack.k-orc.cloud/v1alpha1", "", 200, `"name": "networks"`, ""},
		{"GET", "/apis/openstack.k-orc.cloud/v2", "", 404, `NotFound"`, ""},
		{"GET", networksPath, "", 200, `"kind":"NetworkList"`, ""},
		{"GET", networksPath + "/front", "", 200, `"description": "holds [redacted]"`, ""},
		{"GET", networksPath, asTable, 200, `"kind": "Table"`, ""},
		{"GET", networksPath + "?labelSelector=tier%3Dweb", "", 200, `"name":"front"`, ""},
		{"GET", networksPath + "?labelSelector=tier%20in%20(db,web)", "", 200, `"name":"front"`, ""},
		{"GET", networksPath + "?labelSelector=tier%21%3Dweb", "", 200, `"items":[]`, `"name":"front"`},
		{"GET", networksPath + "?fieldSelector=metadata.name%3Dother", "", 200, `"items":[]`, ""},
		{"GET", networksPath + "?fieldSelector=spec.x%3Dother", "", 400, "metadata.name", ""},
		{"GET", networksPath + "?labelSelector=" + strings.Repeat("a%20b", 800), "", 400, `BadRequest"`, ""},
		{"GET", networksPath + "?%zz", "", 400, `BadRequest"`, ""},
		{"GET", networksPath + "?watch=true&resourceVersion=7", "", 200, `"code":410`, ""},
		{"GET", networksPath + "?watch=true&resourceVersion=9999999999999999999999", "", 200, `"code":410`, ""},
		{"GET", networksPath + "/other", "", 404, `networks other not found`, ""},
		{"GET", "/api/v1/namespaces/killed/secrets", "", 404, "are not served", ""},
		{"GET", "/api/v1/namespaces/killed/services", "", 404, "no such resource", ""},
		{"GET", "/api/v1", "", 200, `"name": "pods"`, ""},
		{"GET", "/api/v1/namespaces/killed/events", "", 200, `"reason":"Created"`, ""},
		{"GET", "/api/v1/namespaces/killed/events?fieldSelector=involvedObject.name%3Dother", "", 200, `"items":[]`, ""},
		{"GET", "/openapi/v2", "", 404, "OpenAPI version 3", ""},
		{"GET", "/openapi/v3", "", 200, "/openapi/v3/apis/openstack.k-orc.cloud/v1alpha1", ""},
		{"GET", "/openapi/v3/apis/openstack.k-orc.cloud/v1alpha1", "", 200, `"openstack.k-orc.cloud.v1alpha1.Network"`, ""},
		{"GET", "/openapi/v3/apis/x/y", "", 404, `NotFound"`, ""},
		{"GET", "/apis/x/y/z/a/b/c/d", "", 404, "no such resource", ""},
		{"GET", "/apis/stackreeve.dev/v1alpha1/namespaces/killed/stacks/killed", "", 200, `"state": "in sync"`, ""},
		{"GET", "/apis/stackreeve.dev/v1alpha1/namespaces/killed/plans/killed", "", 200, "In sync; 1 object unchanged", ""},
		{"GET", "/apis/stackreeve.dev/v1alpha1/namespaces/killed/passes", "", 200, `"did":"1 created"`, ""},
		{"DELETE", networksPath + "/front", "", 405, "net.yaml:1", ""},
		{"POST", networksPath, "", 405, `MethodNotAllowed"`, ""},
	} {
		code, text := r.ask(t, c.method, c.path, readToken, c.accept)
		if code != c.code || !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) || strings.Contains(text, hiddenData) || strings.Contains(text, hiddenText) {
			t.Errorf("%s %.100s: %d %.2000s", c.method, c.path, code, text)
		}
		if code, text := r.ask(t, c.method, c.path, strings.Repeat("u", 40), c.accept); code != http.StatusUnauthorized || strings.Contains(text, "front") || strings.Contains(text, "net.yaml") {
			t.Errorf("%s %.100s without the token: %d %.2000s", c.method, c.path, code, text)
		}
	}
}

// A watch receives the changes, and no other data.
func TestReadAPIWatch(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	r := startReadable(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resp := r.open(ctx, t, http.MethodGet, networksPath+"?watch=true&sendInitialEvents=true&allowWatchBookmarks=true", readToken, "")
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func(want ...string) {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("the watch has ended: %v", lines.Err())
		}
		for _, w := range want {
			if !strings.Contains(lines.Text(), w) {
				t.Errorf("%s lacks %s", lines.Text(), w)
			}
		}
	}
	next(`"ADDED"`, `"name":"front"`)
	next(`"BOOKMARK"`, `"k8s.io/initial-events-end":"true"`)
	hangup := func() {
		t.Helper()
		if err := r.agent.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	r.network("tier: db", "is for the database")
	hangup()
	next(`"MODIFIED"`, `"tier":"db"`)
	r.passes(t, 2)
	hangup() // nothing has changed
	r.Write("repo/net.yaml", strings.ReplaceAll(r.content("repo/net.yaml"), "name: front", "name: back"))
	r.Commit()
	hangup()
	next(`"ADDED"`, `"name":"back"`)
}

// If the token of a client that watches is removed from the file, the client receives no more events.
func TestReadAPIWatchEndsWithItsToken(t *testing.T) {
	testcost.Long(t) // agents run in real time, against simulated servers
	r := startReadable(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resp := r.open(ctx, t, http.MethodGet, networksPath+"?watch=true", readToken, "")
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"name":"front"`) {
		t.Fatalf("%s %v", lines.Text(), lines.Err())
	}
	r.Write("token", "bob "+strings.Repeat("b", 40)+"\n")
	r.network("tier: db", "is for the database")
	if err := r.agent.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if lines.Scan() || lines.Err() != nil {
		t.Errorf("it goes on: %s %v", lines.Text(), lines.Err())
	}
}

// Every kubectl in STACKREEVE_TEST_KUBECTL, separated by colons, can read all data.
func TestReadAPIKubectl(t *testing.T) {
	list := os.Getenv("STACKREEVE_TEST_KUBECTL")
	if list == "" {
		t.Skip("STACKREEVE_TEST_KUBECTL names no kubectl; `make test-kubectl` gets two")
	}
	r := startReadable(t)
	config, err := exec.CommandContext(t.Context(), r.binary, "kubeconfig", "--server", r.server, "--api-token-file", r.Path("token"), "--certificate-authority", r.Path("cert.pem"), "--stack", "killed").Output()
	if err != nil {
		t.Fatal(err)
	}
	r.Write("kubeconfig", string(config))
	for kubectl := range strings.SplitSeq(list, ":") {
		run := func(args string) string {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, kubectl, strings.Fields(args)...)
			cmd.Env = append(os.Environ(), "KUBECONFIG="+r.Path("kubeconfig"), "HOME="+r.Path("home-"+filepath.Base(filepath.Dir(kubectl))))
			out, err := cmd.CombinedOutput()
			t.Logf("kubectl %s (%v)\n%s", args, err, out)
			return string(out)
		}
		old := strings.Contains(run("version --client"), `GitVersion:"v1.2`)
		for _, c := range []struct {
			args, want string
			newer      bool // reports whether the command requires a kubectl that is not older than OpenAPI version 3
		}{
			{"api-resources", "networks", false},
			{"get networks -A -o wide", "in sync", false},
			{"get network front -o yaml", "name: front", false},
			{"get network front -o jsonpath={.status.state}", "in sync", false},
			{"get networks -l tier=web --field-selector metadata.name=front -o name", "network.openstack.k-orc.cloud/front", false},
			{"get all", "network.openstack.k-orc.cloud/front", false},
			{"get all", "stack.stackreeve.dev/killed", false},
			{"get networks,stacks", "network.openstack.k-orc.cloud/front", false},
			{"get networks", "1/1", false},
			{"get net,vm,vmg,sg,lb", "front", false},
			{"auth whoami", "alice", true},
			{"apply --dry-run=client -f " + r.Path("repo/net.yaml"), "front configured (dry run)", true},
			{"diff -f " + r.Path("repo/net.yaml"), "stackreeve plan --dir", true},
			{"logs front", "openstack console log show", false},
			{"rollout status deployment/web", "virtualmachinegroups -w", false},
			{"scale network/front --replicas=2", "net.yaml:1", false},
			{"explain virtualmachinegroup.spec.strategy", "maxSurge\t<IntOrString>", true},
			{"explain virtualmachinegroup.spec", "replicas", true},
			{"wait --for=condition=Ready network/front stack/killed --timeout=20s", "stack.stackreeve.dev/killed condition met", false},
			{"get events", "Created", false},
			{"describe network front", "Created", false},
			{"explain network.spec.resource.description", "DESCRIPTION", true},
			{"wait --for=condition=Available network/front --timeout=20s", "condition met", false},
			{"get networks -w --request-timeout=2s", "front", false},
			{"delete network front --wait=false", "net.yaml:1", false},
			{"get stacks -A", "killed", false},
			{"get plan killed -o jsonpath={.status.text}", "In sync", false},
			{"get passes", "in sync", false},
			{"get crd networks.openstack.k-orc.cloud -o jsonpath={.spec.names.kind}", "Network", false},
			{"auth can-i list networks", "yes", false},
			{"auth can-i delete networks", "no - ", false},
			{"auth can-i --list", "networks.openstack.k-orc.cloud", false},
		} {
			if old && c.newer {
				continue
			}
			if out := run(c.args); !strings.Contains(out, c.want) {
				t.Errorf("%s %s lacks %q:\n%s", kubectl, c.args, c.want, out)
			}
		}
	}
}
