package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/source"
)

const someSigner = "ann@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBfQEtuyZmUYT7LJ3pk8+Pz8gDtAbfJ6yFNG3/XKeRtk\n"

// verifying returns a stack with these settings of verify, and a file with a key.
func verifying(t *testing.T, settings Settings, key string) *Stack {
	t.Helper()
	file := filepath.Join(t.TempDir(), "signers")
	if err := os.WriteFile(file, []byte(key), 0o644); err != nil {
		t.Fatal(err)
	}
	all := Settings{"stack": "prod", "url": "https://git.example/config.git", "verify-allowed-signers-file": file}
	for name, value := range settings {
		all[name] = value
	}
	stacks, err := Load(nil, all)
	if err != nil {
		t.Fatal(err)
	}
	return &stacks[0]
}

func TestTrust(t *testing.T) {
	s := verifying(t, nil, someSigner)
	trust, err := s.Trust()
	if err != nil || trust.Mode != source.ByRange || trust.Tags != "*" || trust.Rewrites || !trust.Keys.Some() || trust.Forge.Some() {
		t.Errorf("%+v %v", trust, err)
	}
	s = verifying(t, Settings{"verify": "tag", "verify-tags": "v*,w*", "verify-rewrites": "allow"}, someSigner)
	if trust, err = s.Trust(); err != nil || trust.Mode != source.ByTag || trust.Tags != "v*,w*" || !trust.Rewrites {
		t.Errorf("%+v %v", trust, err)
	}
	stacks, err := Load(nil, Settings{"stack": "prod", "url": "https://git.example/config.git"})
	if err != nil {
		t.Fatal(err)
	}
	if trust, err := stacks[0].Trust(); trust != nil || err != nil {
		t.Errorf("%+v %v", trust, err)
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	s := verifying(t, nil, "no key")
	if _, err := s.Trust(); err == nil {
		t.Error("a file without a key is read")
	}
	if problems, _ := CheckFiles([]Stack{*s}); len(problems) != 1 || problems[0].Field != "spec.source.verify.allowedSignersFile" {
		t.Error(problems)
	}
	s = verifying(t, nil, someSigner)
	if problems, _ := CheckFiles([]Stack{*s}); len(problems) != 0 {
		t.Error(problems)
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(s.Spec.Source.Verify.AllowedSignersFile), ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Trust(); err == nil {
		t.Error("a file in a work tree is read")
	}
}

func TestVerifySettingsThatContradict(t *testing.T) {
	for field, verify := range map[string]string{
		"spec.source.verify":       "{mode: head}",
		"spec.source.verify.forge": "{mode: head, allowedSignersFile: a, forge: {allowedSignersFile: b}}",
		"spec.source.verify.since": "{allowedSignersFile: a, since: main}",
		"spec.source.verify.tags":  "{allowedSignersFile: a, tags: [v*]}",
		"spec.source.verify.mode":  "{allowedSignersFile: a, mode: all}",
	} {
		_, err := Load([]string{write(t, "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: prod}\nspec: {source: {url: ./repo, verify: "+verify+"}}\n")}, nil)
		if err == nil || !strings.Contains(err.Error(), ": "+field+": ") {
			t.Errorf("%s: %v", field, err)
		}
	}
}
