package main

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command that sends requests to an agent accepts a file with the authority that signed the agent's certificate.
func TestCommandsTrustAPrivateAuthority(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	ca, token := filepath.Join(folder, "ca.pem"), filepath.Join(folder, "token")
	for file, text := range map[string][]byte{ca: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), token: []byte(readToken + "\n")} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range [][]string{{"approve", "prod", strings.Repeat("0", 64)}, {"reconcile", "prod"}} {
		args := append(command, "--server", server.URL, "--control-token-file", token)
		for _, trusts := range []bool{false, true} {
			if trusts {
				args = append(args, "--control-ca-file", ca)
			}
			a := &app{out: io.Discard, err: io.Discard, logFormat: "text"}
			if code := a.execute(t.Context(), args); (code == 0) != trusts {
				t.Errorf("%v: %d", args, code)
			}
		}
	}
	root := (&app{out: io.Discard, err: io.Discard}).root()
	for _, name := range []string{"plan", "status", "approve", "reconcile"} {
		cmd, _, err := root.Find([]string{name})
		if err != nil || cmd.Flags().Lookup("control-ca-file") == nil {
			t.Errorf("%s cannot be given an authority (%v)", name, err)
		}
	}
}
