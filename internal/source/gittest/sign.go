package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Signer is a key with which tests sign commits and tags.
type Signer struct {
	Email  string
	Public string   // the public key: a line of a .pub file, or an armored block
	Config []string // settings of git, as name=value
	home   string   // the folder of gpg; "" for SSH
	t      testing.TB
}

// NewSSH makes an SSH key with ssh-keygen. kind is a type such as ed25519.
func NewSSH(t testing.TB, email, kind string) Signer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	run(t, nil, "ssh-keygen", "-q", "-t", kind, "-N", "", "-C", email, "-f", file)
	public, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return Signer{Email: email, Public: strings.TrimSpace(string(public)), Config: []string{"gpg.format=ssh", "user.signingkey=" + file}, t: t}
}

// NewGPG makes an OpenPGP key with gpg. kind is a type such as ed25519. options are further options of gpg for everything that it does.
func NewGPG(t testing.TB, email, kind, expires string, options ...string) Signer {
	t.Helper()
	home, err := os.MkdirTemp("", "gpg") //nolint:usetesting // sockets need a short path
	if err != nil {
		t.Fatal(err)
	}
	s := Signer{Email: email, home: home, t: t}
	t.Cleanup(func() {
		run(t, []string{"GNUPGHOME=" + home}, "gpgconf", "--kill", "gpg-agent")
		os.RemoveAll(home)
	})
	s.Options(options...)
	s.GPG("--quick-generate-key", "Some One <"+email+">", kind, "sign", expires)
	s.Config = []string{"gpg.format=openpgp", "user.signingkey=" + email, "gpg.program=" + filepath.Join(home, "gpg")}
	s.Public = s.GPG("--armor", "--export")
	return s
}

// Options replaces the options of gpg.
func (s Signer) Options(options ...string) {
	script := "#!/bin/sh\nexec gpg --homedir " + s.home + " --batch --quiet --pinentry-mode loopback --passphrase '' " + strings.Join(options, " ") + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(s.home, "gpg"), []byte(script), 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// GPG runs gpg and returns its output.
func (s Signer) GPG(args ...string) string {
	s.t.Helper()
	return run(s.t, []string{"GNUPGHOME=" + s.home}, filepath.Join(s.home, "gpg"), args...)
}

// Revoke revokes an OpenPGP key.
func (s Signer) Revoke() {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.home, "openpgp-revocs.d", "*.rev"))
	if err != nil || len(files) != 1 {
		s.t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		s.t.Fatal(err)
	}
	usable := filepath.Join(s.home, "revocation")
	if err := os.WriteFile(usable, []byte(strings.Replace(string(text), ":-----BEGIN", "-----BEGIN", 1)), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.GPG("--import", usable)
}

// RevokeSubkey revokes the first subkey of an OpenPGP key.
func (s Signer) RevokeSubkey() {
	s.t.Helper()
	cmd := exec.Command("gpg", "--homedir", s.home, "--quiet", "--no-tty", "--pinentry-mode", "loopback", "--passphrase", "", "--command-fd", "0", "--edit-key", s.Email)
	cmd.Stdin = strings.NewReader("key 1\nrevkey\ny\n0\n\ny\nsave\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("gpg: %v\n%s", err, out)
	}
}

// GitAs runs git as the owner of a key, with the settings that make it sign.
func (g *Repo) GitAs(s Signer, args ...string) string {
	g.t.Helper()
	var list []string
	for _, setting := range s.Config {
		list = append(list, "-c", setting)
	}
	cmd := g.Command(append(append(list, "-c", "commit.gpgsign=true", "-c", "tag.gpgsign=true"), args...)...)
	cmd.Env = append(cmd.Env, "GIT_COMMITTER_EMAIL="+s.Email)
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// CommitAs does what [Repo.Commit] does, and signs the commit.
func (g *Repo) CommitAs(s Signer, subject string, files ...string) string {
	g.t.Helper()
	for i := 0; i < len(files); i += 2 {
		g.Write(files[i], files[i+1])
	}
	g.Git("add", "-A")
	g.GitAs(s, "commit", "-q", "--allow-empty", "-m", subject)
	return g.Git("rev-parse", "HEAD")
}

func run(t testing.TB, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
