package source

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"golang.org/x/crypto/ssh"
)

// FuzzObjects stores two objects as a server sent them and reads them as a
// commit and as a tree. What comes through has names that every file system
// bears, and no problem shows what a terminal should not see.
func FuzzObjects(f *testing.F) {
	blob := plumbing.ComputeHash(plumbing.BlobObject, []byte("hello"))
	entry := func(mode, name string, to plumbing.Hash) string { return mode + " " + name + "\x00" + string(to[:]) }
	commit := "tree " + plumbing.ComputeHash(plumbing.TreeObject, nil).String() + "\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nhello\n"
	f.Add(commit, entry("100644", "a.yaml", blob))
	f.Add(commit+"\n", entry("40000", "..", blob)+entry("100644", "a.yaml", blob)+entry("100644", "a.yaml", blob))
	f.Add("tree x\nparent y\nencoding z\ngpgsig a\n b\n\n", entry("120000", ".git", blob)+entry("160000", "a/b", blob))
	f.Add("", entry("", "\x1b[2J", blob)+"100644 a")
	f.Fuzz(func(t *testing.T, commit, tree string) {
		s := newStore("")
		pack := rawPack(t,
			rawObject{kind: plumbing.BlobObject, size: 5, data: []byte("hello")},
			rawObject{kind: plumbing.CommitObject, size: uint64(len(commit)), data: []byte(commit)},
			rawObject{kind: plumbing.TreeObject, size: uint64(len(tree)), data: []byte(tree)})
		if err := s.receive(context.Background(), bytes.NewReader(pack)); err != nil {
			return
		}
		if c, err := s.commit(plumbing.ComputeHash(plumbing.CommitObject, []byte(commit))); err == nil {
			_ = s.checkComplete(context.Background(), c) // it ends
		} else {
			clean(t, err)
		}
		l := listing{store: s, ctx: context.Background(), folders: map[plumbing.Hash]*folder{}}
		root, err := l.read(plumbing.ComputeHash(plumbing.TreeObject, []byte(tree)), "", 0)
		if err != nil {
			clean(t, err)
			return
		}
		names := map[string]bool{}
		for _, e := range root.entries {
			if names[e.Name] || !fs.ValidPath(e.Name) || strings.Contains(e.Name, "/") || strings.EqualFold(e.Name, ".git") {
				t.Errorf("a file may be called %q", e.Name)
			}
			names[e.Name] = true
		}
	})
}

// clean wants an error of this room, in words that a terminal can show.
func clean(t *testing.T, err error) {
	t.Helper()
	var known *failure
	if errors.As(err, &known) && strings.ContainsAny(known.Error(), "\x1b\x00\r") {
		t.Errorf("not fit for a terminal: %q", known)
	}
}

// FuzzReferences reads what a server says first. Whatever it lists, a branch
// that is found is one that it listed, and what is refused is in clean words.
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

// FuzzKnownHosts: whatever the file holds, a key that is not in it is refused.
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
			return // it is no stranger
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
