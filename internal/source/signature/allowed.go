package signature

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// allowed is a line of a file of allowed signers, as ssh-keygen(1) describes it.
type allowed struct {
	principals    string // patterns, separated by commas
	namespaces    string // the same; "" for all
	after, before time.Time
	key           ssh.PublicKey
	print         string // fingerprint of the key
}

// ReadAllowedSigners reads a file of allowed signers. local is the time zone of times without a Z. Lines with cert-authority are refused.
// The error names the first line that is wrong.
func ReadAllowedSigners(file []byte, local *time.Location) (Keys, error) {
	k := Keys{sum: sha256.Sum256(file)}
	n := 0
	for line := range bytes.SplitSeq(file, []byte("\n")) {
		n++
		text := strings.TrimSpace(string(line))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		one, err := allowedLine(text, local)
		if err != nil {
			return Keys{}, fmt.Errorf("line %d: %w", n, err)
		}
		k.allowed = append(k.allowed, one)
	}
	if len(k.allowed) == 0 {
		return Keys{}, fmt.Errorf("holds no line such as `ann@example.org namespaces=\"git\" ssh-ed25519 AAAA…`")
	}
	return k, nil
}

func allowedLine(text string, local *time.Location) (a allowed, err error) {
	var rest string
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		if a.principals, rest, ok = strings.Cut(quoted, `"`); !ok {
			return a, fmt.Errorf("the quotation mark of the principals is not closed")
		}
	} else if at := strings.IndexAny(text, " \t"); at > 0 {
		a.principals, rest = text[:at], text[at:]
	}
	rest = strings.TrimSpace(rest)
	if a.principals == "" || rest == "" {
		return a, fmt.Errorf("has no key; write the e-mail addresses, then the key as it is in the .pub file")
	}
	key, _, options, _, err := ssh.ParseAuthorizedKey([]byte(rest))
	if err != nil {
		return a, fmt.Errorf("has no key that can be read; write the e-mail addresses, then the key as it is in the .pub file")
	}
	if err := weakKey(key); err != nil {
		return a, err
	}
	a.key, a.print = key, ssh.FingerprintSHA256(key)
	for _, option := range options {
		if err := a.set(option, local); err != nil {
			return a, err
		}
	}
	return a, nil
}

// set applies an option of a line.
func (a *allowed) set(option string, local *time.Location) (err error) {
	name, value, _ := strings.Cut(option, "=")
	value = strings.Trim(value, `"`)
	switch strings.ToLower(name) {
	case "namespaces":
		if a.namespaces = value; value == "" {
			return fmt.Errorf("namespaces is empty; write namespaces=\"git\"")
		}
	case "valid-after":
		a.after, err = moment(value, local)
	case "valid-before":
		a.before, err = moment(value, local)
	case "cert-authority":
		return fmt.Errorf("cert-authority is not supported; write a line for each key instead")
	default:
		return fmt.Errorf("the option %q is unknown; the options are namespaces, valid-after and valid-before", name)
	}
	return err
}

// weakKey returns an error for a key that nobody should trust.
func weakKey(key ssh.PublicKey) error {
	if _, ok := key.(*ssh.Certificate); ok {
		return fmt.Errorf("holds a certificate; write the key itself")
	}
	if key.Type() == "ssh-dss" {
		return fmt.Errorf("holds a DSA key, which is no longer safe")
	}
	if own, ok := key.(ssh.CryptoPublicKey); ok {
		if k, ok := own.CryptoPublicKey().(*rsa.PublicKey); ok && k.N.BitLen() < minRSA {
			return fmt.Errorf("holds an RSA key of %d bits; at least %d are accepted", k.N.BitLen(), minRSA)
		}
	}
	return nil
}

const minRSA = 2048 // bits

// moment reads a time such as 20260131, 202601311530 or 20260131153000, each with Z for UTC or without.
func moment(text string, local *time.Location) (time.Time, error) {
	digits, utc := strings.CutSuffix(text, "Z")
	if utc {
		local = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if len(digits) == len(layout) {
			if at, err := time.ParseInLocation(layout, digits, local); err == nil {
				return at, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time; write it as 20260131 or 20260131153000, with Z for UTC", text)
}
