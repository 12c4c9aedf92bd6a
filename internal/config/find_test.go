package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stackreeve/stackreeve/internal/testcost"
)

func place(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAttackConfigurationInACheckout checks that a configuration in a checkout of a repository is
// not read unless it is named.
func TestAttackConfigurationInACheckout(t *testing.T) {
	dir := t.TempDir()
	place(t, filepath.Join(dir, "repo/.git/HEAD"), "ref: refs/heads/main")
	place(t, filepath.Join(dir, "repo/sub/stackreeve.yaml"), full)
	place(t, filepath.Join(dir, "linked/.git"), "gitdir: /elsewhere")
	place(t, filepath.Join(dir, "linked/stackreeve.yaml"), full)
	place(t, filepath.Join(dir, "mine/stackreeve.yaml"), full)
	place(t, filepath.Join(dir, "tmp/stackreeve.yaml"), full)
	if err := os.Chmod(filepath.Join(dir, "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "links")
	if err := os.Mkdir(link, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../repo/sub/stackreeve.yaml", filepath.Join(link, Usual)); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{
		"repo/sub": "everybody who can push", "linked": "everybody who can push", "links": "everybody who can push", "tmp": "everybody on this machine", "mine": "", "repo": "",
	} {
		t.Run(folder, func(t *testing.T) {
			t.Chdir(filepath.Join(dir, folder))
			file, err := Find(".")
			switch {
			case want != "":
				if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--config stackreeve.yaml") || file != "" {
					t.Errorf("got %q, %v; want an error with %q", file, err, want)
				}
			case err != nil || (file != "") != (folder == "mine"):
				t.Errorf("got %q, %v", file, err)
			}
		})
	}
	if stacks, err := Load([]string{filepath.Join(dir, "repo/sub/stackreeve.yaml")}, nil); err != nil || len(stacks) != 2 {
		t.Errorf("named, it gives %d stacks, %v", len(stacks), err)
	}
}

func TestAttackConfigurationWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := syscall.Mkfifo(Usual, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Find("."); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 8 {
		bomb += string(rune('b'+i)) + ": &" + string(rune('b'+i)) + " [" + strings.Repeat("*"+string(rune('a'+i))+",", 10) + "]\n"
	}
	took := testcost.Allocated(func() {
		for name, file := range map[string]string{
			"a device": "/dev/zero", "a large file": place(t, "large", strings.Repeat("# x\n", 1<<19)),
			"a bomb": place(t, "bomb", "apiVersion: stackreeve.dev/v1alpha1\nkind: Stack\nmetadata: {name: x}\nspec:\n  "+strings.ReplaceAll(strings.TrimSpace(bomb), "\n", "\n  ")+"\n"),
		} {
			if stacks, err := Load([]string{file}, nil); err == nil {
				t.Errorf("%s gives %d stacks", name, len(stacks))
			}
		}
	})
	if took > 64<<20 {
		t.Errorf("%d bytes were taken", took)
	}
}

// TestAttackCredentialsFromTheWorkingDirectory checks that paths in a file are relative to its folder, and not
// to the working directory. The working directory may belong to another person.
func TestAttackCredentialsFromTheWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	file := place(t, filepath.Join(dir, "etc/any.yaml"), `apiVersion: stackreeve.dev/v1alpha1
kind: Stack
metadata: {name: s}
spec:
  source: {url: ./repo, caFile: ca.pem}
  report: {gitea: {url: "https://git.example.com", repository: a/b, tokenFile: token, caFile: /abs/ca.pem}, file: {path: ../out.jsonl}}
`)
	t.Chdir(t.TempDir())
	stacks, err := Load([]string{file}, Settings{"token-file": "typed", "stack": "s", "url": "https://git.example.com/a/b"})
	if err != nil {
		t.Fatal(err)
	}
	s := stacks[0].Spec
	for got, want := range map[string]string{
		s.Source.CAFile: filepath.Join(dir, "etc/ca.pem"), s.Report.Gitea.TokenFile: filepath.Join(dir, "etc/token"), s.Report.Gitea.CAFile: "/abs/ca.pem",
		s.Report.File.Path: filepath.Join(dir, "out.jsonl"), s.Source.Auth.TokenFile: "typed",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if stacks, err = Load([]string{file}, nil); err != nil || stacks[0].Spec.Source.URL != filepath.Join(dir, "etc/repo") {
		t.Errorf("got %s, %v", stacks[0].Spec.Source.URL, err)
	}
	place(t, filepath.Join(dir, "etc/token"), "x")
	if err := os.Chmod(filepath.Join(dir, "etc/token"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := ExposedSecrets(stacks); len(got) != 1 || got[0].Path != filepath.Join(dir, "etc/token") {
		t.Errorf("exposed are %v", got)
	}
}
