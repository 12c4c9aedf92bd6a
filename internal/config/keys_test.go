package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
)

func TestTheMasterKey(t *testing.T) {
	folder := t.TempDir()
	tree := filepath.Join(folder, "tree")
	if err := os.MkdirAll(filepath.Join(tree, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"good":         {"a", strings.Repeat("0a", 32) + "\n", ""},
		"short":        {"b", "hunter2hunter2\n", "openssl rand -hex 32"},
		"half":         {"c", strings.Repeat("0a", 16), "has 16 bytes of randomness"},
		"committed":    {"tree/d", strings.Repeat("0a", 32), "lies in the work tree"},
		"large":        {"e", strings.Repeat("a", 1<<20), "larger than"},
		"not anywhere": {"f", "", "no such file"},
	} {
		s := Stack{Spec: Spec{Defaults: defaults.Defaults{Etcd: &defaults.Etcd{MasterKeyFile: filepath.Join(folder, c.file)}}}}
		if c.text != "" {
			if err := os.WriteFile(s.Spec.Defaults.Etcd.MasterKeyFile, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		keys, err := s.Keys()
		switch {
		case c.want == "" && (err != nil || keys.Master == nil):
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "spec.defaults.etcd.masterKeyFile") || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if keys, err := (&Stack{}).Keys(); keys.Master != nil || keys.S3 != nil || err != nil {
		t.Errorf("without one: %v", err)
	}
}
