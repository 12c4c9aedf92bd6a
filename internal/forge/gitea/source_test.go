package gitea_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/stackreeve/stackreeve/internal/forge/forgetest"
	"github.com/stackreeve/stackreeve/internal/source"
)

// TestHeadsAreFetched checks that git can fetch a pull request from a fork with the data of the
// API, over HTTP with the same token, and over SSH.
func TestHeadsAreFetched(t *testing.T) {
	lab := start(t)
	main := lab.Push(t, lab.Branch(), map[string]string{"base.yaml": "a: 1\n"})
	number := lab.Fork(t, "stranger", "theirs", map[string]string{"theirs.yaml": "a: 1\n"})
	lab.Push(t, lab.Branch(), map[string]string{"later.yaml": "a: 1\n"})
	p, err := lab.Forge().Pull(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	address, known := lab.SSH()
	dir := t.TempDir()
	for name, c := range map[string]source.Config{
		"http": {URL: lab.Remote(), Branch: lab.Branch(), Auth: source.Auth{TokenFile: lab.TokenFile}},
		"ssh": {URL: "ssh://git@" + address + "/" + lab.Repository + ".git", Branch: lab.Branch(), Auth: source.Auth{
			SSHKeyFile: keyOf(t, lab, dir), KnownHostsFile: write(t, filepath.Join(dir, "known_hosts"), []byte(known+"\n")),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			repo, err := source.New(c, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { repo.Close() })
			m, err := repo.Merged(t.Context(), p.HeadRef)
			if err != nil || m.Head != p.Head || m.MergeBase != main || len(m.Conflicts) > 0 {
				t.Fatalf("%+v, %v; want the head %s, the merge base %s", m, err, p.Head, main)
			}
			for _, file := range []string{"base.yaml", "theirs.yaml", "later.yaml"} {
				if _, err := fs.ReadFile(m.Files, file); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// keyOf makes a key with which the agent may log in.
func keyOf(t *testing.T, lab lab, dir string) (file string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	lab.AddKey(t, forgetest.Bot, string(ssh.MarshalAuthorizedKey(key)))
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(dir, "key"), pem.EncodeToMemory(block))
}

func write(t *testing.T, file string, text []byte) string {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
