package source

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"golang.org/x/crypto/ssh"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// clean checks that an error of this package's classes has a text that a terminal can show.
func clean(t *testing.T, err error) {
	t.Helper()
	var known *failure.Error
	if errors.As(err, &known) && strings.ContainsAny(known.Error(), "\x1b\x00\r") {
		t.Errorf("not fit for a terminal: %q", known)
	}
}

// FuzzReferences reads any list of references from a server. Each branch that is found is in the
// list, and each error has a text that a terminal can show.
func FuzzReferences(f *testing.F) {
	const head = "0000000000000000000000000000000000000001"
	pkt := func(text string) string {
		n := len(text) + 4
		const digits = "0123456789abcdef"
		return string([]byte{digits[n>>12&15], digits[n>>8&15], digits[n>>4&15], digits[n&15]}) + text
	}
	f.Add(pkt(head+" HEAD\x00symref=HEAD:refs/heads/main shallow agent=x\n")+pkt(head+" refs/heads/main\n")+pkt(head+" refs/tags/v1^{}\n")+"0000", "main")
	f.Add(pkt("ERR no such repository \x1b[2J\n")+"0000", "")
	f.Add("0000", "refs/pull/1/head")
	f.Add("fffe", "main")
	f.Fuzz(func(t *testing.T, said, name string) {
		refs := packp.NewAdvRefs()
		if err := refs.Decode(strings.NewReader(said)); err != nil {
			clean(t, refusal(err.Error()))
			return
		}
		found, hash, err := findBranch(refs, name)
		if err == nil && (hash.IsZero() && len(refs.References) > 0 || name != "" && found != name) {
			t.Errorf("branch %q is %q at %s", name, found, hash)
		}
		clean(t, err)
		if _, err := findRef(refs, name); err != nil {
			clean(t, err)
		}
		if problem := checkRef(defaultBranch(refs)); problem == nil && strings.Contains(defaultBranch(refs), "..") {
			t.Errorf("the default branch is %q", defaultBranch(refs))
		}
		_ = branches(refs)
	})
}

// FuzzKnownHosts reads any known_hosts file. A key that is not in the file must be refused.
func FuzzKnownHosts(f *testing.F) {
	public := func(seed byte) ssh.PublicKey {
		key, err := ssh.NewPublicKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)).Public())
		if err != nil {
			f.Fatal(err)
		}
		return key
	}
	line := string(ssh.MarshalAuthorizedKey(public(1)))
	f.Add("git.example.com " + line)
	f.Add("*.example.com,!git.example.com " + line + "@revoked * " + line)
	f.Add("@cert-authority * " + line + "# no\n|1|a|b " + line)
	f.Add("[git.example.com]:2222 ssh-ed25519 AAAA\n\x00")
	stranger := public(2)
	text := strings.Fields(string(ssh.MarshalAuthorizedKey(stranger)))[1]
	f.Fuzz(func(t *testing.T, hosts string) {
		if strings.Contains(hosts, text) {
			return // the key is in the file
		}
		file := filepath.Join(t.TempDir(), "known_hosts")
		if err := os.WriteFile(file, []byte(hosts), 0o600); err != nil {
			t.Fatal(err)
		}
		addr, _, problem := parseAddress("ssh://git@git.example.com/a")
		if problem != "" {
			t.Fatal(problem)
		}
		r := &sshRemote{addr: addr, auth: Auth{KnownHostsFile: file}}
		check, list, err := r.hostKeys()
		if err != nil {
			return
		}
		if len(list) == 0 {
			t.Error("no algorithm is offered for a host that is known")
		}
		if check(r.hostPort(), &net.TCPAddr{IP: net.IPv4zero}, stranger) == nil {
			t.Errorf("a stranger's key is accepted with %q", hosts)
		}
	})
}
