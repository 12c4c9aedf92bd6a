package pki_test

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd/pki"
)

var kv = pki.Scope{Stack: "prod", Namespace: "default", Cluster: "kv"}

func master(t *testing.T, fill byte) *pki.Master {
	t.Helper()
	m, err := pki.New(bytes.Repeat([]byte{fill}, pki.ShortestKey))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func authority(t *testing.T, scope pki.Scope, generation int) *pki.Authority {
	t.Helper()
	a, err := master(t, 0xf7).Authority(scope, generation)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func member(t *testing.T, scope pki.Scope, generation int, name, address string) pki.Identity {
	t.Helper()
	i, err := authority(t, scope, generation).Member(name, address)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func client(t *testing.T, scope pki.Scope, generation int, name string) pki.Identity {
	t.Helper()
	i, err := authority(t, scope, generation).Client(name)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func parse(t *testing.T, text string) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		t.Fatal("this is no PEM: ", text)
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// verify checks the identity shown as the holder of the identity judge would check it.
func verify(t *testing.T, judge, shown pki.Identity, address string, use x509.ExtKeyUsage) error {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(judge.Trust))
	_, err := parse(t, shown.Cert).Verify(x509.VerifyOptions{Roots: roots, DNSName: address, KeyUsages: []x509.ExtKeyUsage{use}})
	return err
}

// TestDerivedAgain checks that the same arguments result in the same bytes, and that any other argument results
// in another key.
func TestDerivedAgain(t *testing.T) {
	seen := map[string]string{}
	for name, derive := range map[string]func() pki.Identity{
		"a member":       func() pki.Identity { return member(t, kv, 1, "kv-0", "10.0.0.5") },
		"its number":     func() pki.Identity { return member(t, kv, 1, "kv-1", "10.0.0.5") },
		"its address":    func() pki.Identity { return member(t, kv, 1, "kv-0", "10.0.0.6") },
		"of IPv6":        func() pki.Identity { return member(t, kv, 1, "kv-0", "fd00::5") },
		"the generation": func() pki.Identity { return member(t, kv, 2, "kv-0", "10.0.0.5") },
		"the stack": func() pki.Identity {
			return member(t, pki.Scope{Stack: "test", Namespace: "default", Cluster: "kv"}, 1, "kv-0", "10.0.0.5")
		},
		"the namespace": func() pki.Identity {
			return member(t, pki.Scope{Stack: "prod", Namespace: "b", Cluster: "kv"}, 1, "kv-0", "10.0.0.5")
		},
		"the cluster": func() pki.Identity {
			return member(t, pki.Scope{Stack: "prod", Namespace: "default", Cluster: "k"}, 1, "kv-0", "10.0.0.5")
		},
		"a client":           func() pki.Identity { return client(t, kv, 1, "kv-0") },
		"of another name":    func() pki.Identity { return client(t, kv, 1, "agent") },
		"of odd characters":  func() pki.Identity { return client(t, kv, 1, "a\x00,CN=b\xff\"\n") },
		"of almost the same": func() pki.Identity { return client(t, kv, 1, "a\x00,CN=b\xfe\"\n") },
	} {
		one, two := derive(), derive()
		if one != two {
			t.Errorf("%s: derived twice, and not the same", name)
		}
		if other := seen[one.Key]; other != "" {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[one.Key] = name
		if _, err := one.Config(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDerivedByEveryRelease compares the derived keys with fixed ones. The keys are stored on machines, so the
// agents of a release that derives other keys could not log in.
func TestDerivedByEveryRelease(t *testing.T) {
	m := member(t, kv, 1, "kv-0", "10.0.0.5")
	got := fmt.Sprintf("%x %x", sha256.Sum256([]byte(m.Key)), parse(t, m.Trust).PublicKey)
	if want := "0a5c07046b2c1fae393a99e271c2724a8e62ee3a4f6bfa27196642e173e4fa1c 025f517a4b41408328e3df86ad58e2cc0c0230871da99d886f39469cc9d429c2"; got != want {
		t.Errorf("they are %s, want %s", got, want)
	}
}

func TestTheCertificates(t *testing.T) {
	m := parse(t, member(t, kv, 1, "kv-0", "10.0.0.5").Cert)
	if err := m.VerifyHostname("10.0.0.5"); err != nil {
		t.Error(err)
	}
	if m.VerifyHostname("127.0.0.1") != nil || m.VerifyHostname("localhost") != nil || m.VerifyHostname("10.0.0.6") == nil {
		t.Error("it is not valid for this machine, or for another one")
	}
	if m.IsCA || m.KeyUsage != x509.KeyUsageDigitalSignature || len(m.ExtKeyUsage) != 2 || m.NotAfter.Year() != 9999 {
		t.Errorf("it is a certificate of %v, %v, until %v", m.KeyUsage, m.ExtKeyUsage, m.NotAfter)
	}
	c := parse(t, client(t, kv, 1, "agent").Cert)
	if len(c.IPAddresses)+len(c.DNSNames) > 0 { // if there are any, etcd checks the identity only by them
		t.Errorf("a client is bound to %v, %v", c.IPAddresses, c.DNSNames)
	}
}

// TestGenerations checks that consecutive generations trust each other, in both directions, and that others do not.
func TestGenerations(t *testing.T) {
	for from := 1; from <= 4; from++ {
		for to := 1; to <= 4; to++ {
			a, b := member(t, kv, from, "kv-0", "10.0.0.5"), member(t, kv, to, "kv-1", "10.0.0.6")
			near := from-to <= 1 && to-from <= 1
			if err := verify(t, a, b, "10.0.0.6", x509.ExtKeyUsageServerAuth); (err == nil) != near {
				t.Errorf("%d trusts %d: %v", from, to, err)
			}
			if err := verify(t, b, a, "", x509.ExtKeyUsageClientAuth); (err == nil) != near {
				t.Errorf("%d trusts the client %d: %v", to, from, err)
			}
		}
	}
	for _, n := range []int{-1, 0, pki.Highest + 1} {
		if _, err := master(t, 1).Authority(kv, n); err == nil {
			t.Errorf("there is a generation %d", n)
		}
	}
}

// TestAttackCertificatesOfOthers checks that no identity of another cluster, another stack or another master key is
// trusted, however the names are combined.
func TestAttackCertificatesOfOthers(t *testing.T) {
	judge := member(t, kv, 1, "kv-0", "10.0.0.5")
	other, err := master(t, 0xf8).Authority(kv, 1)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := other.Member("kv-0", "10.0.0.5")
	if err != nil {
		t.Fatal(err)
	}
	if verify(t, judge, shown, "10.0.0.5", x509.ExtKeyUsageServerAuth) == nil {
		t.Error("another master key is trusted")
	}
	for _, scope := range []pki.Scope{{Stack: "prod", Namespace: "default", Cluster: "kv2"}, {Stack: "test", Namespace: "default", Cluster: "kv"}, {Stack: "prod", Namespace: "defaul", Cluster: "tkv"},
		{Stack: "prod\x00default", Cluster: "kv"}, {Stack: "prod/default", Cluster: "kv"}, {Stack: `prod","default`, Cluster: "kv"}, {Stack: "prod", Namespace: "default", Cluster: "kv\xff"}} {
		shown := member(t, scope, 1, "kv-0", "10.0.0.5")
		if verify(t, judge, shown, "10.0.0.5", x509.ExtKeyUsageServerAuth) == nil || verify(t, judge, client(t, scope, 1, "agent"), "", x509.ExtKeyUsageClientAuth) == nil {
			t.Errorf("%q is trusted", scope)
		}
	}
}

// TestAttackMoreThanOnesRole checks that a client cannot act as a member, and that neither of them can issue
// certificates.
func TestAttackMoreThanOnesRole(t *testing.T) {
	judge, c := member(t, kv, 1, "kv-0", "10.0.0.5"), client(t, kv, 1, "agent")
	if verify(t, judge, c, "", x509.ExtKeyUsageServerAuth) == nil {
		t.Error("a client is trusted as a server")
	}
	pair, err := tls.X509KeyPair([]byte(judge.Cert), []byte(judge.Key))
	if err != nil {
		t.Fatal(err)
	}
	template := parse(t, c.Cert)
	template.IPAddresses, template.ExtKeyUsage = []net.IP{net.IPv4(10, 0, 0, 9)}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(nil, template, parse(t, judge.Cert), template.PublicKey, pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	forged, _ := x509.ParseCertificate(der)
	roots, between := x509.NewCertPool(), x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(judge.Trust))
	between.AddCert(parse(t, judge.Cert))
	if _, err := forged.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between}); err == nil {
		t.Error("a member issues certificates")
	}
}

// TestAttackOddNames checks that invalid names and addresses are refused or have no harmful effect.
func TestAttackOddNames(t *testing.T) {
	for _, address := range []string{"", "kv-0", "10.0.0.5,10.0.0.6", "10.0.0.0/8", "0x0a000005"} {
		if _, err := authority(t, kv, 1).Member("kv-0", address); err == nil {
			t.Errorf("%q is an address", address)
		}
	}
	for _, name := range []string{"", strings.Repeat("a", 10_000), "a\nb", "*", "../..", "ä\xff"} {
		c := parse(t, client(t, pki.Scope{Stack: name, Namespace: name, Cluster: name}, 1, name).Cert)
		if text := c.Subject.String(); len(text) > 200 || strings.ContainsAny(text, "\n*/") || strings.Contains(text, "\xff") {
			t.Errorf("%.20q: the subject is %q", name, text)
		}
	}
}

// TestAttackTheMasterKey checks that a short master key is refused, and that the key is printed nowhere.
func TestAttackTheMasterKey(t *testing.T) {
	for _, short := range []string{"", "hunter2", strings.Repeat("a", 63), strings.Repeat("z", 31)} {
		if _, err := pki.New([]byte(short)); err == nil || short != "" && strings.Contains(err.Error(), short) {
			t.Errorf("%q: %v", short, err)
		}
	}
	m, err := pki.New([]byte(strings.Repeat("0a", 32)))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(form, m); strings.Contains(text, "0a0a") || strings.Contains(text, "48, 97") {
			t.Errorf("%s shows %s", form, text)
		}
	}
	if _, err := (*pki.Master)(nil).Authority(kv, 1); err == nil {
		t.Error("there is an authority without a master key")
	}
}
