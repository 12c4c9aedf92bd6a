package secretfiles

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/reconcile/resolve"
	"github.com/stackreeve/stackreeve/internal/sops"
)

const manifests = `apiVersion: v1
kind: Secret
metadata: {name: s}
stringData:
  a: x
  b: "-----BEGIN OPENSSH PRIVATE KEY-----"
data: {c: eA==}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  open: nothing to see
  token: ghp_0123456789abcdefghijABCDEFGHIJ012345
  encoded: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ==
---
apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Network
metadata: {name: net}
spec: {resource: {description: glpat-0123456789abcdefghij}}
`

func TestInClear(t *testing.T) {
	want, _, err := resolve.Read(fstest.MapFS{"a.yaml": {Data: []byte(manifests)}}, all.Kinds(nil, defaults.Defaults{}))
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		line  int
		field string
		why   Reason
	}
	expected := map[place]bool{
		{5, "stringData.a", InSecret}: true, {6, "stringData.b", PrivateKey}: true, {7, "data.c", InSecret}: true,
		{14, "data.token", Token}: true, {15, "data.encoded", PrivateKey}: true, {20, "spec.resource.description", Token}: true,
	}
	for _, f := range InClear(want) {
		p := place{f.Origin.Line, f.Field, f.Why}
		if !expected[p] {
			t.Errorf("unexpected: %+v", p)
		}
		delete(expected, p)
	}
	for p := range expected {
		t.Errorf("not found: %+v", p)
	}
}

func TestEncryptInPlace(t *testing.T) {
	key, err := os.ReadFile("../sops/testdata/keys/first.age")
	if err != nil {
		t.Fatal(err)
	}
	recipient := regexp.MustCompile(`age1\w+`).FindString(string(key))
	folder := t.TempDir()
	file := filepath.Join(folder, "deep", "a.yaml")
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o640)); err != nil {
			t.Fatal(err)
		}
	}
	write(file, manifests)
	if err := Encrypt(file, sops.Encryption{}, time.Unix(0, 0)); err == nil {
		t.Error("a file is encrypted for nobody")
	}
	write(filepath.Join(folder, sops.RulesFile), "creation_rules: [{path_regex: ^deep/, age: "+recipient+", encrypted_regex: ^description$}]\n")
	if err := Encrypt(file, sops.Encryption{}, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(file)
	info, _ := os.Stat(file)
	if strings.Contains(string(text), "glpat-") || !strings.Contains(string(text), "ghp_") || info.Mode().Perm() != 0o640 {
		t.Errorf("%v\n%s", info.Mode(), text)
	}
	if err := Encrypt(file, sops.Encryption{Recipients: []string{recipient}}, time.Unix(0, 0)); !errors.Is(err, sops.ErrEncrypted) {
		t.Errorf("got %v", err)
	}
	other := filepath.Join(folder, "b.json")
	write(other, "{}")
	if err := Encrypt(other, sops.Encryption{Recipients: []string{recipient}}, time.Unix(0, 0)); err == nil {
		t.Error("JSON is accepted")
	}
}
