package etcdcluster_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/etcd"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/testcost"
)

// house is a certificate authority that does not belong to the stack.
type house struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t}
	var err error
	if h.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	h.sign(time.Unix(0, 0), time.Now().AddDate(10, 0, 0))
	return h
}

// sign creates the authority's own certificate.
func (h *house) sign(from, until time.Time) {
	h.t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "house"}, NotBefore: from, NotAfter: until, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, h.key.Public(), h.key)
	if err == nil {
		h.cert, err = x509.ParseCertificate(der)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// issue returns a certificate for all addresses of the simulator's network, and its key.
func (h *house) issue(change func(*x509.Certificate)) (crt, key string) {
	h.t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kv"}, NotBefore: time.Unix(0, 0), NotAfter: time.Now().AddDate(1, 0, 0), DNSNames: []string{"localhost"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, KeyUsage: x509.KeyUsageDigitalSignature}
	for n := range 256 {
		template.IPAddresses = append(template.IPAddresses, net.IPv4(10, 0, 0, byte(n)))
	}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, h.cert, own.Public(), h.key)
	if err != nil {
		h.t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(own)
	if err != nil {
		h.t.Fatal(err)
	}
	return inPEM("CERTIFICATE", der), inPEM("EC PRIVATE KEY", private)
}

func inPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// secret returns the manifest of a Secret with the names of values that etcd-operator uses.
func (h *house) secret(name, prefix, crt, key string) string {
	text := fmt.Sprintf("---\n{apiVersion: v1, kind: Secret, metadata: {name: %s}}\n", name)
	text = strings.TrimSuffix(text, "}\n") + ", stringData: {"
	for entry, value := range map[string]string{prefix + ".crt": crt, prefix + ".key": key, prefix + "-ca.crt": inPEM("CERTIFICATE", h.cert.Raw)} {
		text += fmt.Sprintf("%s: %q, ", entry, value)
	}
	return strings.TrimSuffix(text, ", ") + "}}\n"
}

// secrets returns the three Secrets of the published example. The functions change their certificates.
func (h *house) secrets(peer, server, client func(*x509.Certificate)) string {
	peerCrt, peerKey := h.issue(peer)
	serverCrt, serverKey := h.issue(server)
	clientCrt, clientKey := h.issue(func(c *x509.Certificate) {
		c.IPAddresses, c.DNSNames, c.ExtKeyUsage = nil, nil, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		if client != nil {
			client(c)
		}
	})
	return h.secret("etcd-peer-tls", "peer", peerCrt, peerKey) + h.secret("etcd-server-tls", "server", serverCrt, serverKey) + h.secret("etcd-client-tls", "etcd-client", clientCrt, clientKey)
}

func published(t *testing.T) string { t.Helper(); return read(t, "example-tls-cluster.yaml") }

// newWorldOfTLS returns a world whose stack has a master key.
func newWorldOfTLS(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.Defaults.Keys.Master, w.Defaults.Etcd.MasterKeyFile = masterOf(t), "key"
	return w
}

func masterOf(t *testing.T) *pki.Master {
	t.Helper()
	master, err := pki.New([]byte(strings.Repeat("0a", 32)))
	if err != nil {
		t.Fatal(err)
	}
	return master
}

func auto(size, generation int) string {
	return sized(size, fmt.Sprintf("TLS: {auto: {generation: %d}}", generation))
}

// The published manifest becomes a cluster without changes. Only its Secrets are added.
func TestThePublishedManifestWithTLS(t *testing.T) {
	w := newWorld(t)
	manifests := published(t) + newHouse(t).secrets(nil, nil, nil)
	w.MustSync(manifests)
	w.settled(3)
	w.encrypted()
	if pass := w.MustSync(manifests); len(pass.Results) > 0 {
		t.Errorf("a second pass does %v", pass.Results[0].Step)
	}
}

// encrypted fails the test unless every machine uses TLS.
func (w *world) encrypted() {
	w.t.Helper()
	for at, m := range w.look() {
		if m.TLS == nil {
			w.t.Errorf("the machine at %s serves without TLS", at)
		}
	}
}

// Derived certificates need no stored state, because every agent derives the same ones.
func TestDerivedCertificates(t *testing.T) {
	w := newWorldOfTLS(t)
	for _, size := range []int{1, 3} {
		w.MustSync(auto(size, 1))
		w.settled(size)
		w.encrypted()
		if pass := w.MustSync(auto(size, 1)); len(pass.Results) > 0 {
			t.Errorf("size %d: a second pass does %v", size, pass.Results[0].Step)
		}
	}
}

// A machine that uses a cluster gets its own certificate, with which members answer it. With use: client, that
// certificate is not valid for a member.
func TestAMachineThatUsesACluster(t *testing.T) {
	w := newWorldOfTLS(t)
	w.MustSync(auto(1, 1))
	member := slices.Collect(maps.Keys(w.look()))[0]
	for use, uses := range map[string][]x509.ExtKeyUsage{"client": {x509.ExtKeyUsageClientAuth}, "member": {x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}} {
		w.MustSync(auto(1, 1) + fmt.Sprintf(`
---
apiVersion: stackreeve.dev/v1alpha1
kind: VirtualMachine
metadata: {name: shop-%s}
spec:
  image: centos79
  flavor: n3-1vcpu-2gb
  initScript:
    template: true
    certificate: {cluster: kv, generation: 1, use: %s}
    value: |
      WANTED = json.loads(r"""{}""")
      GIVEN = "{{certificate}}"
`, use, use))
		w.created.Lock()
		found := givenLine.FindStringSubmatch(w.created.data["shop-"+use].text)
		w.created.Unlock()
		var given struct{ Certificate pki.Identity }
		text, err := base64.StdEncoding.DecodeString(found[1])
		if err == nil {
			err = json.Unmarshal(text, &given)
		}
		if err != nil {
			t.Fatal(err)
		}
		leaf := certificate(t, given.Certificate.Cert)
		if !slices.Equal(leaf.ExtKeyUsage, uses) || use == "client" && len(leaf.IPAddresses)+len(leaf.DNSNames) > 0 {
			t.Errorf("%s: it is for %v, at %v %v", use, leaf.ExtKeyUsage, leaf.IPAddresses, leaf.DNSNames)
		}
		config, err := given.Certificate.Config()
		if err != nil {
			t.Fatal(err)
		}
		if s, err := (etcd.Client{Machines: w.Machines, Port: etcd.ClientPort, TLS: config}).Status(t.Context(), member); err != nil || s.Leader == 0 {
			t.Errorf("%s: the member answers %+v, %v", use, s, err)
		}
	}
}

func certificate(t *testing.T, text string) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode([]byte(text))
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// A backup uses the TLS settings of the cluster's manifest, or its own Secret, even after the keys have changed. A
// cluster with TLS starts from that backup.
func TestAClusterWithTLSIsBackedUpAndRestored(t *testing.T) {
	testcost.NotUnderRace(t)
	testcost.Long(t)
	h := newHouse(t)
	own := strings.Replace(backup, "clusterRef: kv,", "clusterRef: kv, clientTLSSecret: etcd-client-tls,", 1)
	static := func() string {
		return sized(3, "TLS: {static: {member: {peerSecret: etcd-peer-tls, serverSecret: etcd-server-tls}, operatorSecret: etcd-client-tls}}") + h.secrets(nil, nil, nil)
	}
	for name, c := range map[string]struct{ before, after, backup string }{
		"derived":            {auto(3, 1), auto(3, 2), backup},
		"from Secrets":       {static(), static(), backup},
		"a Secret of itself": {static(), static(), own},
	} {
		t.Run(name, func(t *testing.T) {
			w := emptied(t)
			w.Defaults.Keys.Master, w.Defaults.Etcd.MasterKeyFile = masterOf(t), "key"
			w.MustSync(c.before)
			w.Fill(keys)
			w.MustSync(c.after)
			w.MustSync(c.after + c.backup)
			if pass := w.MustSync(c.after + c.backup); len(pass.Results) > 0 {
				t.Errorf("a second pass does %v", pass.Results[0].Step)
			}
			w.forget()
			w.MustSync(c.after + shelf + ofBackup)
			w.restored(3)
			w.encrypted()
		})
	}
}

// Somebody else answers at a member's address, with a certificate of another authority. The agent rejects the answer and
// stores nothing of it.
func TestAttackASnapshotOfAStranger(t *testing.T) {
	w := emptied(t)
	h, stranger := newHouse(t), newHouse(t)
	crt, key := stranger.issue(nil)
	text := sized(3, "TLS: {static: {member: {peerSecret: etcd-peer-tls, serverSecret: etcd-server-tls}, operatorSecret: etcd-client-tls}}") + h.secrets(nil, nil, nil)
	w.MustSync(text)
	other := strings.Replace(backup, "clusterRef: kv,", "clusterRef: kv, clientTLSSecret: other,", 1) + stranger.secret("other", "etcd-client", crt, key)
	pass := w.Sync(text + other)
	if said := fmt.Sprint(pass.Failures); !strings.Contains(said, etcd.AnotherAuthority) { // the message says what people can do
		t.Errorf("the pass is %s: %s", pass.Outcome(), said)
	}
	list, err := cloud.List[struct{ Name string }](t.Context(), w.client, cloud.Call{Service: cloud.ObjectStore, Path: "backups"}, "")
	if len(list) > 0 || err != nil {
		t.Errorf("there are %v, %v", list, err)
	}
}

// If the generation or the certificate in a Secret changes, the machine of each member is replaced, one at a time.
func TestCertificatesAreReplacedOneMachineAtATime(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	h := newHouse(t)
	for name, manifests := range map[string][2]string{
		"derived":      {auto(3, 1), auto(3, 2)},
		"back":         {auto(3, 2), auto(3, 1)},
		"from Secrets": {published(t) + h.secrets(nil, nil, nil), published(t) + h.secrets(nil, nil, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOfTLS(t)
			w.MustSync(manifests[0])
			w.armed()
			pass := w.MustSync(manifests[1])
			w.settled(3)
			made := 0
			for _, r := range pass.Results {
				if r.Step.Key.Kind == "Server" && r.Step.Action == plan.Create {
					made++
				}
			}
			if made != 3 || w.fewest < 2 {
				t.Errorf("%d machines were made, at some moment %d of 3 ran; want 3, and at least 2", made, w.fewest)
			}
		})
	}
}

// If a machine could not connect to its cluster after a change of TLS, no machine is changed.
func TestNoMachineLeavesItsCluster(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	for name, c := range map[string]struct{ before, after, want string }{
		"TLS for a cluster that has none": {sized(3), auto(3, 1), etcd.WithoutTLS},
		"no TLS any more":                 {auto(3, 1), sized(3), etcd.WithTLS},
		"two generations at once":         {auto(3, 1), auto(3, 3), etcd.AnotherAuthority},
		"another authority":               {auto(3, 1), sized(3, "TLS: {static: {member: {peerSecret: etcd-peer-tls, serverSecret: etcd-server-tls}, operatorSecret: etcd-client-tls}}") + newHouse(t).secrets(nil, nil, nil), etcd.AnotherAuthority},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOfTLS(t)
			w.MustSync(c.before)
			w.armed()
			pass := w.Sync(c.after)
			told := 0
			for _, s := range pass.Last.Steps {
				if s.Key.Kind == "Server" && strings.Contains(s.ShortCause(), c.want) {
					told++
				}
			}
			if told != 3 || w.fewest < 3 {
				t.Errorf("%d servers say %q; %d machines ran", told, c.want, w.fewest)
			}
			w.MustSync(c.before)
			w.settled(3)
		})
	}
}

// An agent with another master key does not accept the certificates of the members, and changes nothing.
func TestAttackAMachineOfAnotherAuthority(t *testing.T) {
	w := newWorldOfTLS(t)
	w.MustSync(auto(3, 1))
	other, err := pki.New([]byte(strings.Repeat("0b", 32)))
	if err != nil {
		t.Fatal(err)
	}
	mine := w.Defaults.Keys.Master
	w.Defaults.Keys.Master = other
	for _, step := range kindtest.Writes(w.Plan(auto(3, 1))) {
		t.Errorf("with another master key the plan has %s", step)
	}
	w.Defaults.Keys.Master = mine
	w.MustSync(auto(3, 1))
	w.settled(3)
}

// Derived keys and the contents of Secrets appear in no plan, status or error. Only the user data of machines contains
// them.
func TestAttackKeysStayWhereTheyBelong(t *testing.T) {
	testcost.Long(t) // The agent creates and changes a whole cluster.
	w := newWorldOfTLS(t)
	h := newHouse(t)
	for n, manifests := range []string{published(t) + h.secrets(nil, nil, nil), auto(3, 1)} {
		name := []string{"example-0", "kv-0"}[n]
		pass := w.MustSync(manifests)
		shown := fmt.Sprintf("%+v", pass)
		for _, s := range pass.Last.Steps {
			shown += fmt.Sprintf("%+v %s", s.Changes, s.ShortCause())
		}
		w.created.Lock()
		text := w.created.data[name].text
		w.created.Unlock()
		if !strings.Contains(text, "GIVEN = \"ey") {
			t.Errorf("the machine is given nothing: %.300s", text)
		}
		if given := givenLine.FindStringSubmatch(text); given != nil && strings.Contains(shown, given[1][:80]) || strings.Contains(shown, "PRIVATE KEY") || strings.Contains(shown, "0a0a0a0a") {
			t.Error("a key is shown")
		}
		w.MustSync("")
	}
}

// Errors in certificates are reported when the manifests are read.
func TestCertificatesThatAreRefused(t *testing.T) {
	w := newWorld(t)
	h, stranger := newHouse(t), newHouse(t)
	good := h.secrets(nil, nil, nil)
	crt, key := h.issue(nil)
	_, another := h.issue(nil)
	swap := func(secrets, from, to string) string {
		if !strings.Contains(secrets, from) {
			t.Fatalf("there is no %s", from)
		}
		return strings.Replace(secrets, from, to, 1)
	}
	client := func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }
	server := func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} }
	for name, c := range map[string]struct{ secrets, values string }{ // values are parts of the message
		"no Secret":            {swap(good, "name: etcd-peer-tls", "name: other"), "spec.TLS.static.member.peerSecret: Secret/etcd-peer-tls etcd-server-tls?"},
		"no entry":             {swap(good, "peer-ca.crt:", "ca.crt:"), "spec.TLS.static.member.peerSecret: data.peer-ca.crt"},
		"no certificate":       {h.secret("etcd-peer-tls", "peer", "hunter2", key) + after(good), "spec.TLS.static.member.peerSecret: peer.crt PEM"},
		"another key":          {h.secret("etcd-peer-tls", "peer", crt, another) + after(good), "spec.TLS.static.member.peerSecret: peer.key peer.crt"},
		"a server only":        {h.secrets(nil, server, nil), "spec.TLS.static.member.serverSecret: server.crt serverAuth clientAuth:"},
		"a peer that is none":  {h.secrets(client, nil, nil), "spec.TLS.static.member.peerSecret: peer.crt serverAuth clientAuth"},
		"names only":           {h.secrets(func(c *x509.Certificate) { c.IPAddresses = nil; c.DNSNames = []string{"*.example.default.svc"} }, nil, nil), "spec.TLS.static.member.peerSecret: subjectAltName"},
		"a stranger's client":  {strings.TrimSuffix(good, last(good)) + last(stranger.secrets(nil, nil, nil)), "spec.TLS.static.member.serverSecret: server.crt etcd-client-ca.crt"},
		"a client as a server": {h.secrets(nil, nil, server), "spec.TLS.static.operatorSecret: etcd-client.crt clientAuth"},
	} {
		_, err := w.TryResolve(published(t) + c.secrets)
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "PRIVATE") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, value := range strings.Fields(c.values) {
			if !strings.Contains(err.Error(), value) {
				t.Errorf("%s: %v, want %s", name, err, value)
			}
		}
	}
	w.RefusesEdits("", sized(3), map[string][3]string{
		"neither":       {"size: 3", "size: 3, TLS: {}", "spec.TLS"},
		"nothing named": {"size: 3", "size: 3, TLS: {static: {operatorSecret: a}}", "spec.TLS.static.member.peerSecret"},
		"no master key": {"size: 3", "size: 3, TLS: {auto: {}}", "spec.TLS.auto"},
		"a generation":  {"size: 3", "size: 3, TLS: {auto: {generation: -1}}", "spec.TLS.auto.generation"},
		"etcd's own":    {"size: 3", "size: 3, pod: {etcdEnv: [{name: ETCD_PEER_AUTO_TLS, value: 'true'}]}", "spec.pod.etcdEnv[0].name"},
	})
}

// A certificate that expires does not make its commit invalid, because the commit may be current for a long time and
// also declares other objects. Plans report the expiry.
func TestACertificateThatExpiresRefusesNoCommit(t *testing.T) {
	w := newWorld(t)
	h, old, renewed := newHouse(t), newHouse(t), newHouse(t)
	old.sign(time.Unix(0, 0), time.Now().AddDate(0, 0, -1))
	renewed.sign(time.Now().AddDate(0, 0, -1), time.Now().AddDate(10, 0, 0))
	ends := func(days int) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.NotAfter = time.Now().AddDate(0, 0, days) }
	}
	begins := func(c *x509.Certificate) { c.NotBefore = time.Now().AddDate(0, 1, 0) }
	of := func(secrets string) string { return published(t) + secrets }
	own := "---\n{apiVersion: etcd.database.coreos.com/v1beta2, kind: EtcdBackup, metadata: {name: kv}, spec: {etcdEndpoints: [https://192.0.2.1:2379], storageType: Swift, swift: {container: backups}, clientTLSSecret: etcd-client-tls}}\n---\n{apiVersion: stackreeve.dev/v1alpha1, kind: SwiftContainer, metadata: {name: backups}, spec: {resource: {}}}\n"
	for name, c := range map[string]struct{ manifests, want string }{
		"a member's":           {of(h.secrets(nil, ends(-1), nil)), "server.crt of Secret/etcd-server-tls expired on"},
		"a member's, soon":     {of(h.secrets(nil, ends(7), nil)), "server.crt of Secret/etcd-server-tls expires on"},
		"a member's, not yet":  {of(h.secrets(begins, nil, nil)), "peer.crt of Secret/etcd-peer-tls"},
		"the agent's":          {of(h.secrets(nil, nil, ends(-1))), "etcd-client.crt of Secret/etcd-client-tls expired on"},
		"that of backups":      {own + h.secrets(nil, nil, ends(-1)), "etcd-client.crt of Secret/etcd-client-tls expired on"},
		"the authority's":      {of(old.secrets(nil, nil, nil)), ""},
		"an authority renewed": {of(renewed.secrets(nil, nil, nil)), ""},
	} {
		want, err := w.TryResolve(c.manifests)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want != "" && !slices.ContainsFunc(want, func(d kind.Desired) bool {
			return slices.ContainsFunc(d.Notes, func(n kind.Note) bool { return strings.Contains(n.Text, c.want) })
		}) {
			t.Errorf("%s: nothing says that %s", name, c.want)
		}
	}
}

// after returns all documents except the first. last returns the last document.
func after(documents string) string {
	return "---\n" + strings.Join(strings.Split(documents, "---\n")[2:], "---\n")
}

func last(documents string) string {
	list := strings.Split(documents, "---\n")
	return list[len(list)-1]
}
