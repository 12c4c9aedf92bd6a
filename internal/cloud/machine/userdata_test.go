package machine_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Nova accepts 65,535 characters of base64, including the line before a script.
func TestUserDataLength(t *testing.T) {
	for n := 49_100; n < 49_200; n++ {
		text := strings.Repeat("x", n)
		for _, check := range []machine.UserData{{}, {Script: true}} {
			sent := text
			if check.Script {
				sent = machine.Interpreter + text
			}
			fits := base64.StdEncoding.EncodedLen(len(sent)) <= 65535
			if ok := check.Text("spec.x", text, new(kind.Report)); ok != fits {
				t.Errorf("%d bytes, %+v: %v, want %v", n, check, ok, fits)
			}
		}
	}
}
