package server

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
)

// The fingerprint of a certificate is stored in the metadata of existing machines. If its text changed, all of them would be replaced. A manifest
// that writes the default explicitly has the same fingerprint.
func TestTheFingerprintOfACertificate(t *testing.T) {
	const member, client = "\n" + `[{},{"cluster":"kv","generation":1}]`, "\n" + `[{},{"cluster":"kv","generation":1,"use":"client"}]`
	for use, print := range map[string]string{"": member, "member": member, "client": client} {
		of := UserData{Given: machine.Given{Certificate: &machine.Certificate{Cluster: "kv", Generation: 1, Use: use}}}
		if got := givenPrint(want{Spec: &Spec{UserData: &of}}); got != print {
			t.Errorf("%q: it is %s", use, got)
		}
	}
}
