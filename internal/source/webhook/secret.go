package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"os"
	"strings"
)

const (
	maxSecretFile = 64 << 10
	maxSecrets    = 8 // every message is signed with each of them
	// ShortSecret is the length under which a secret may be guessed.
	ShortSecret = 16
)

// Secrets reads the secrets from a file, one a line: any of them is good, so
// that the forge and the file can be changed one after the other.
func Secrets(file string) ([]string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("%w; write the secret that the forge was given into it", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxSecretFile {
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", file, maxSecretFile)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w; make the file readable for this process", err)
	}
	var secrets []string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line != "" {
			secrets = append(secrets, line)
		}
	}
	if len(secrets) > maxSecrets {
		return nil, fmt.Errorf("%s has %d lines; each is a secret, and at most %d count at a time: leave the newest", file, len(secrets), maxSecrets)
	}
	if len(secrets) == 0 {
		return nil, fmt.Errorf("%s is empty, and without a secret anybody could send webhooks; make one with `openssl rand -hex 20` and give the forge the same", file)
	}
	return secrets, nil
}

// signature is the claimed HMAC-SHA256 of a message; nil when there is none of
// the right form.
func signature(h http.Header, forge Forge) []byte {
	if forge == Gitea {
		for _, name := range []string{"X-Forgejo-Signature", "X-Gitea-Signature"} {
			if claimed := only(h, name); claimed != "" {
				return digest(claimed)
			}
		}
	}
	claimed, ok := strings.CutPrefix(only(h, "X-Hub-Signature-256"), "sha256=")
	if !ok {
		return nil
	}
	return digest(claimed)
}

func digest(text string) []byte {
	if len(text) != 2*sha256.Size {
		return nil
	}
	sum, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	return sum
}

// macs sign a body as it comes, once with each secret.
type macs []hash.Hash

func newMACs(secrets []string) (all macs) {
	for _, secret := range secrets {
		if secret != "" {
			all = append(all, hmac.New(sha256.New, []byte(secret)))
		}
	}
	return all
}

// Write never fails.
func (m macs) Write(p []byte) (int, error) {
	for _, one := range m {
		_, _ = one.Write(p) // a hash takes everything
	}
	return len(p), nil
}

// made says, in a time that does not depend on the secrets, whether one of
// them made the signature.
func (m macs) made(claimed []byte) bool {
	good := false
	for _, one := range m {
		if hmac.Equal(one.Sum(nil), claimed) {
			good = true
		}
	}
	return good
}
