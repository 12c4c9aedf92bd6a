package cloud

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/redact"
)

// A token is hidden in texts. The bytes with which all tokens begin are not hidden, because decoded
// RSA keys contain them, too.
func TestTokenDoesNotHidePublicKeys(t *testing.T) {
	token := "gAAAAABpIh3xQ7mVt0Zk2cYp9LrWbE4sUoJd8nHfGa5ixKvM"
	r := redact.New(slices.Values([]string{secretPart(token)}), slices.Values([]string(nil)))
	blob := append([]byte("\x00\x00\x00\x07ssh-rsa\x00\x00\x00\x03\x01\x00\x01\x00\x00\x02\x01\x00"), []byte(strings.Repeat("\x99\x13\x92g\xfd", 100))...)
	if key := "ssh-rsa " + base64.StdEncoding.EncodeToString(blob); r.Text(key) != key {
		t.Errorf("a public key is shown as %s", r.Text(key))
	}
	if said := r.Text("the token " + token + " is not valid"); strings.Contains(said, token[8:]) {
		t.Errorf("a token is shown: %s", said)
	}
}
