package kindtest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd/pki"
)

// CertificateSecret is the manifest of a Secret in the form of etcd-operator. For each prefix it has a certificate for servers and clients (PREFIX.crt),
// its key (PREFIX.key) and the authority that its owner trusts (PREFIX-ca.crt). All certificates of one test have the same authority.
func CertificateSecret(t *testing.T, name string, prefixes ...string) string {
	t.Helper()
	master, err := pki.New(bytes.Repeat([]byte{10}, pki.ShortestKey))
	if err != nil {
		t.Fatal(err)
	}
	authority, err := master.Authority(pki.Scope{Stack: t.Name()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	own, err := authority.Member(name, "10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: %s}\nstringData:\n", name)
	for _, prefix := range prefixes {
		text += fmt.Sprintf("  %s.crt: %q\n  %s.key: %q\n  %s-ca.crt: %q\n", prefix, own.Cert, prefix, own.Key, prefix, own.Trust)
	}
	return text
}
