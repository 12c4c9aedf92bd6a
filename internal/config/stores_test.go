package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
)

func loadStores(t *testing.T, stores string) ([]Stack, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stackreeve.yaml")
	text := "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: prod}\nspec:\n  source: {url: https://git.example.com/a.git}\n  secretStores: " + stores + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load([]string{file}, nil)
}

// TestStores: each store has one kind, and Vault one login and an encrypted address. Relative paths are relative to the configuration.
func TestStores(t *testing.T) {
	stacks, err := loadStores(t, "[{name: m, files: {folder: values}}, {name: v, vault: {address: 'https://v.example.com', tokenFile: token}}, {name: b, barbican: {prefix: 'prod/{folder}/'}}]")
	if err != nil {
		t.Fatal(err)
	}
	s := &stacks[0]
	if stores := s.Spec.SecretStores; !filepath.IsAbs(stores[0].Files.Folder) || !filepath.IsAbs(stores[1].Vault.TokenFile) {
		t.Errorf("relative paths: %+v, %+v", stores[0].Files, stores[1].Vault)
	}
	if forms := s.StoreForms(); !forms["v"].Fields || forms["m"].Fields || forms["b"].Fields || len(forms) != 3 {
		t.Errorf("%+v", forms)
	}
	for stores, field := range map[string]string{
		"[{name: m}]": "spec.secretStores[0]",
		"[{name: m, barbican: {}, files: {folder: a}}]":                                                                 "spec.secretStores[0]",
		"[{name: b, barbican: {prefix: 'prod-{folder}-'}}]":                                                             "spec.secretStores[0].barbican.prefix",
		"[{name: b, barbican: {prefix: '{folder}'}}]":                                                                   "spec.secretStores[0].barbican.prefix",
		"[{name: m, files: {folder: '/values/{folder}/../all'}}]":                                                       "spec.secretStores[0].files.folder",
		"[{name: m, files: {folder: 'values/{folder}/..'}}]":                                                            "spec.secretStores[0].files.folder",
		"[{name: v, vault: {address: 'https://v.example.com', tokenFile: a, prefix: '{folder}/..'}}]":                   "spec.secretStores[0].vault.prefix",
		"[{name: m, barbican: {}}, {name: m, barbican: {}}]":                                                            "spec.secretStores[1].name",
		"[{name: v, vault: {address: 'https://v.example.com'}}]":                                                        "spec.secretStores[0].vault",
		"[{name: v, vault: {address: 'https://v.example.com', tokenFile: a, jwt: {role: a, tokenFile: b}}}]":            "spec.secretStores[0].vault",
		"[{name: v, vault: {address: 'http://v.example.com', tokenFile: a}}]":                                           "spec.secretStores[0].vault.address",
		"[{name: v, vault: {address: 'https://v.example.com', appRole: {roleID: a}}}]":                                  "spec.secretStores[0].vault.appRole.secretIDFile",
		"[{name: v, vault: {address: 'https://v.example.com', appRole: {roleID: a, secretIDFile: a}, command: [cat]}}]": "spec.secretStores[0].vault.command",
	} {
		var problems manifest.Problems
		if _, err := loadStores(t, stores); !errors.As(err, &problems) || !slices.ContainsFunc(problems, func(p manifest.Problem) bool { return p.Field == field }) {
			t.Errorf("%s: %v, want a problem of %s", stores, err, field)
		}
	}
}

// TestStoresOfFolders: with source.paths, each stack has its own part of a store.
func TestStoresOfFolders(t *testing.T) {
	of := SecretStore{Vault: &VaultStore{Prefix: "teams/{folder}"}}
	if one := of.inFolder("shop"); one.Vault.Prefix != "teams/shop" || of.Vault.Prefix != "teams/{folder}" {
		t.Errorf("%s, %s", one.Vault.Prefix, of.Vault.Prefix)
	}
	if one := (SecretStore{Files: &FilesStore{Folder: "/a/{folder}"}}).inFolder("shop"); one.Files.Folder != "/a/shop" {
		t.Error(one.Files.Folder)
	}
	if one := (SecretStore{Barbican: &BarbicanStore{Prefix: "{folder}/"}}).inFolder("shop"); one.Barbican.Prefix != "shop/" {
		t.Error(one.Barbican.Prefix)
	}
}

// TestVaultCredentials: they are read from files again for each login, and never from a work tree.
func TestVaultCredentials(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "id")
	if err := os.WriteFile(file, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := VaultStore{Address: "https://v.example.com", AppRole: &VaultAppRole{RoleID: "r", SecretIDFile: file}}
	c, err := v.Secrets("v")
	if err != nil || c.Mount != "secret" || c.LoginMount != "approle" || c.Token != nil {
		t.Fatalf("%+v, %v", c, err)
	}
	if body, err := c.Login(); err != nil || body["secret_id"] != "one" || body["role_id"] != "r" {
		t.Errorf("%v, %v", body, err)
	}
	if err := os.Mkdir(filepath.Join(folder, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Login(); err == nil || !strings.Contains(err.Error(), "work tree") {
		t.Errorf("in a work tree: %v", err)
	}
}
