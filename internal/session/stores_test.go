package session

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stackreeve/stackreeve/internal/config"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// TestStoresOfAStack: each store of a configuration is opened, pull requests of strangers read none, and a wrong configuration is unknown.
func TestStoresOfAStack(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Vault-Token") == "token" && r.URL.Path == "/v1/secret/data/prod/db" {
			_, _ = fmt.Fprint(w, `{"data":{"data":{"password":"v"},"metadata":{"version":1}}}`)
			return
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	defer server.Close()
	folder := t.TempDir()
	for name, text := range map[string]string{"token": "token\n", "value": "f"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	token := filepath.Join(folder, "token")
	s := &config.Stack{Name: "prod", Spec: config.Spec{Cloud: "nowhere", SecretStores: []config.SecretStore{
		{Name: "files", Files: &config.FilesStore{Folder: folder}},
		{Name: "vault", Vault: &config.VaultStore{Address: server.URL, Prefix: "prod", TokenFile: token}},
		{Name: "wrong", Vault: &config.VaultStore{Address: server.URL, TokenFile: token, CAFile: filepath.Join(folder, "none")}},
		{Name: "cloud", Barbican: &config.BarbicanStore{}},
	}}}
	t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(folder, "none"))
	o := Opener{Log: slog.New(slog.DiscardHandler), Shared: &Shared{}}
	for store, want := range map[string]string{"files": "f", "vault": "v", "wrong": "", "cloud": ""} {
		of := &kind.Stored{Store: store, Entries: map[string]kind.StoredEntry{"a": {Path: "value"}}}
		if store == "vault" || store == "wrong" {
			of.Entries["a"] = kind.StoredEntry{Path: "db", Field: "password"}
		}
		o.stores(s).Read(t.Context(), []*kind.Stored{of})
		if of.Data["a"] != want || (of.Unread == nil) != (want != "") {
			t.Errorf("%s: %q, %+v", store, of.Data["a"], of.Unread)
		}
	}
	o.Sealed = true
	if sealed := o.stores(s); sealed.Read != nil || sealed.Untried == "" || len(sealed.Forms) != 4 {
		t.Errorf("strangers read stores: %+v", sealed)
	}
}

// TestSharedReaders: readings of one stack share a reader, and plans have another. Another cloud, project or store needs another reader, and
// the old one is dropped. So are the readers of stacks that are gone.
func TestSharedReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Opener{Log: slog.New(slog.DiscardHandler), Shared: &Shared{}}
		stack := func(name, cloud, project, prefix string) *config.Stack {
			return &config.Stack{Name: name, Spec: config.Spec{Cloud: cloud, Project: project, SecretStores: []config.SecretStore{{Name: "b", Barbican: &config.BarbicanStore{Prefix: prefix}}}}}
		}
		first := o.storeReader(stack("a", "c", "p", ""))
		plans := o.Previewer(stack("a", "c", "p", "")).opener
		if first != o.storeReader(stack("a", "c", "p", "")) || first == plans.storeReader(stack("a", "c", "p", "")) {
			t.Error("readings of a branch share no reader, or share it with plans")
		}
		for _, other := range []*config.Stack{stack("a", "c2", "p", ""), stack("a", "c2", "p2", ""), stack("a", "c2", "p2", "x/")} {
			next := o.storeReader(other)
			if next == first {
				t.Errorf("another configuration has the same reader: %s, %s", other.Spec.Cloud, other.Spec.Project)
			}
			first = next
		}
		if kept := len(o.Shared.stores.of); kept != 2 {
			t.Errorf("%d readers for one stack", kept)
		}
		time.Sleep(2 * unused)
		o.storeReader(stack("b", "c", "p", ""))
		if kept := len(o.Shared.stores.of); kept != 1 {
			t.Errorf("%d readers, and one stack is left", kept)
		}
	})
}
