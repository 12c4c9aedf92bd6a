package source

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// hostKeys reads the known_hosts file again, and returns a check of host keys. It also returns the
// algorithms of the keys that the file lists for the host. Without these algorithms, a host with
// several keys could offer one that is not listed.
func (r *sshRemote) hostKeys() (ssh.HostKeyCallback, []string, error) {
	file := r.auth.KnownHostsFile
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || info.Size() > 16<<20 {
		return nil, nil, failure.New(ErrCredentials, "auth.knownHostsFile: %s cannot be read; give the path of a file in the format of ~/.ssh/known_hosts", file)
	}
	check, err := knownhosts.New(file)
	if err != nil {
		return nil, nil, failure.New(ErrCredentials, "auth.knownHostsFile: %s; it has to be in the format of ~/.ssh/known_hosts", err)
	}
	known, err := probe(check, r.hostPort())
	if err != nil {
		return nil, nil, err
	}
	if len(known) == 0 {
		return nil, nil, failure.New(ErrCredentials, "auth.knownHostsFile: %s has no key for %s; run `ssh-keyscan %s`, compare the key with the key that the host publishes, and add the line", file, r.hostPort(), scanArgs(r.addr))
	}
	callback := func(host string, remote net.Addr, key ssh.PublicKey) error {
		return r.hostKeyError(check(host, remote, key), key)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, failure.New(ErrCredentials, "auth.knownHostsFile: %s", err)
	}
	return callback, algorithms(known, strings.Split(string(text), "\n")), nil
}

// probe returns the keys that are listed for a host. To find them, it checks a key that no host
// has.
func probe(check ssh.HostKeyCallback, hostPort string) ([]knownhosts.KnownKey, error) {
	unused, err := ssh.NewPublicKey(ed25519.PublicKey(make([]byte, ed25519.PublicKeySize)))
	if err != nil {
		return nil, fmt.Errorf("making a key to probe with: %w", err)
	}
	var want *knownhosts.KeyError
	if errors.As(check(hostPort, &net.TCPAddr{IP: net.IPv4zero}, unused), &want) {
		return want.Want, nil
	}
	return nil, nil
}

func (r *sshRemote) hostKeyError(err error, key ssh.PublicKey) error {
	if err == nil {
		return nil
	}
	var other *knownhosts.KeyError
	var revoked *knownhosts.RevokedError
	offered := key.Type() + " " + ssh.FingerprintSHA256(key)
	switch {
	case errors.As(err, &revoked):
		return failure.New(ErrCredentials, "the host's key (%s) is revoked in %s; do not trust this host until its owner says which key is right", offered, r.auth.KnownHostsFile)
	case errors.As(err, &other) && len(other.Want) > 0:
		return failure.New(ErrCredentials, "the host's key (%s) is not the key in %s line %d: the key was changed, or another host answers; compare it with the key that the host publishes before you replace the line", offered, r.auth.KnownHostsFile, other.Want[0].Line)
	}
	return failure.New(ErrCredentials, "the host's key (%s) is not in %s; compare it with the key that the host publishes and add it", offered, r.auth.KnownHostsFile)
}

// algorithms lists the signature algorithms of the listed keys. A host can prove with one of them
// that it has such a key, or a certificate of a listed authority.
func algorithms(known []knownhosts.KnownKey, lines []string) (list []string) {
	for _, k := range known {
		for _, kind := range kinds(k, lines) {
			if !slices.Contains(list, kind) {
				list = append(list, kind)
			}
		}
	}
	return list
}

func kinds(k knownhosts.KnownKey, lines []string) []string {
	switch {
	case k.Line <= len(lines) && strings.HasPrefix(strings.TrimSpace(lines[k.Line-1]), "@cert-authority"):
		return []string{ssh.CertAlgoED25519v01, ssh.CertAlgoECDSA256v01, ssh.CertAlgoECDSA384v01,
			ssh.CertAlgoECDSA521v01, ssh.CertAlgoRSASHA512v01, ssh.CertAlgoRSASHA256v01}
	case k.Key.Type() == ssh.KeyAlgoRSA:
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{k.Key.Type()}
}
