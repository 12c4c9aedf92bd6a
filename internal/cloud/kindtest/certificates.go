package kindtest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stackreeve/stackreeve/internal/etcd/pki"
)

// CertificateSecret is the manifest of a Secret as etcd-operator has them: for each prefix a certificate for servers and clients, as PREFIX.crt, its key
// as PREFIX.key, and whom its owner trusts as PREFIX-ca.crt. All of one test are of one authority.
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
