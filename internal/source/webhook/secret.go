package webhook

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/stackreeve/stackreeve/internal/localfile"
)

const (
	maxSecrets = 8 // there is a limit because every message is checked with each secret
	// ShortSecret is a length in characters. A shorter secret could be guessed.
	ShortSecret = 16
)

// Secrets reads the secrets from a file with one secret in each line. A message may use any of
// them. So a new secret can be added to the file before the forge uses it.
func Secrets(file string) ([]string, error) {
	content, err := localfile.Read(file, localfile.Secret)
	if err != nil {
		return nil, fmt.Errorf("%w; write the secret that you gave to the forge into the file", err)
	}
	var secrets []string
	for line := range strings.Lines(string(content)) {
		if line = strings.TrimSpace(line); line != "" {
			secrets = append(secrets, line)
		}
	}
	if len(secrets) > maxSecrets {
		return nil, fmt.Errorf("%s has %d lines; each line is a secret, and at most %d are allowed: keep the newest", file, len(secrets), maxSecrets)
	}
	if len(secrets) == 0 {
		return nil, fmt.Errorf("%s is empty, and without a secret everybody could send webhooks; make one with `openssl rand -hex 20` and give the forge the same", file)
	}
	return secrets, nil
}

// standardKey is the prefix of a signing key of Standard Webhooks. The key follows it in base64.
const standardKey = "whsec_"

// signingKeys returns the keys of Standard Webhooks among secrets.
func signingKeys(secrets []string) (keys [][]byte) {
	for _, secret := range secrets {
		text, ok := strings.CutPrefix(secret, standardKey)
		if key, err := base64.StdEncoding.DecodeString(text); ok && err == nil && len(key) > 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

var errNoSecret = errors.New("there is no webhook secret, and without a secret everybody could send webhooks")

// check returns an error for secrets that cannot prove anything.
func check(secrets []string) error {
	some := false
	for i, secret := range secrets {
		some = some || secret != ""
		if strings.HasPrefix(secret, standardKey) && len(signingKeys(secrets[i:i+1])) == 0 {
			return fmt.Errorf("secret %d begins with %s, but the rest is not a key in base64; copy the signing token again", i+1, standardKey)
		}
	}
	if !some {
		return errNoSecret
	}
	return nil
}
