package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDecryptionKeys(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	copied := func(name, of string) string {
		t.Helper()
		text, err := os.ReadFile("../sops/testdata/keys/" + of)
		if err != nil {
			t.Fatal(err)
		}
		return write(name, string(text))
	}
	age, pgp := copied("first", "first.age"), copied("pgp", "openpgp.asc")
	broken := write("broken", "AGE-SECRET-KEY-1HUNTER2")
	if err := os.MkdirAll(filepath.Join(folder, "repo", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	committed := copied("repo/key", "first.age")
	for name, c := range map[string]struct {
		of   Decryption
		keys int
		want string // a part of the error; "" if there is none
	}{
		"none":          {Decryption{}, 0, ""},
		"both":          {Decryption{AgeKeyFiles: []string{age}, OpenPGPKeyFiles: []string{pgp}}, 2, ""},
		"exchanged":     {Decryption{AgeKeyFiles: []string{pgp}}, 0, "spec.decryption.ageKeyFiles[0]"},
		"missing":       {Decryption{AgeKeyFiles: []string{age, filepath.Join(folder, "none")}}, 0, "spec.decryption.ageKeyFiles[1]"},
		"broken":        {Decryption{OpenPGPKeyFiles: []string{broken}}, 0, "spec.decryption.openpgpKeyFiles[0]"},
		"broken age":    {Decryption{AgeKeyFiles: []string{broken}}, 0, "spec.decryption.ageKeyFiles[0]"},
		"in a checkout": {Decryption{AgeKeyFiles: []string{committed}}, 0, "work tree"},
	} {
		s := Stack{Spec: Spec{Decryption: c.of}}
		keys, err := s.DecryptionKeys()
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "HUNTER2")) {
			t.Errorf("%s: got %v", name, err)
		}
		if err == nil && len(keys.Public()) != c.keys {
			t.Errorf("%s: got the keys of %v", name, keys.Public())
		}
	}
}
