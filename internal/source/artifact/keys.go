package artifact

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	_ "crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/source/failure"
)

// key is a public key of somebody who may sign artifacts.
type key crypto.PublicKey

const (
	maxKeys    = 8    // keys in one file
	minRSABits = 2048 // shorter keys can be broken
)

// readKeys reads the files with public keys. They are read at every fetch, so that keys can be replaced.
func readKeys(files []string) (keys []key, err error) {
	for _, file := range files {
		if root := localfile.WorkTree(file); root != "" {
			return nil, failure.New(failure.ErrConfig, "verify.cosignKeyFiles: %s lies in the work tree of %s, where everybody who can push could replace it; keep it elsewhere", file, root)
		}
		text, err := localfile.Read(file, localfile.Secret)
		if err != nil {
			return nil, failure.New(failure.ErrConfig, "verify.cosignKeyFiles: %s; write the public key into it, or correct the path", err)
		}
		more, problem := parseKeys(text)
		if problem != "" {
			return nil, failure.New(failure.ErrConfig, "verify.cosignKeyFiles: %s %s", file, problem)
		}
		keys = append(keys, more...)
	}
	return keys, nil
}

// sumOf returns a sum of keys; "" if there are none. It differs when a file has other keys than before.
func sumOf(keys []key) string {
	if len(keys) == 0 {
		return ""
	}
	var all []byte
	for _, k := range keys {
		der, _ := x509.MarshalPKIXPublicKey(k) // the key was parsed from this form
		all = append(all, sum(crypto.SHA256, der)...)
	}
	return string(sum(crypto.SHA256, all))
}

// CheckKeys checks the content of a file with public keys.
func CheckKeys(text []byte) error {
	if _, problem := parseKeys(text); problem != "" {
		return errors.New("it " + problem)
	}
	return nil
}

// parseKeys reads public keys in PEM, such as those of `cosign generate-key-pair`.
func parseKeys(text []byte) (keys []key, problem string) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "PUBLIC KEY" || len(keys) >= maxKeys {
			return nil, "contains other data than a few public keys in PEM; give the path of cosign.pub"
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, "holds a public key that cannot be read"
		}
		switch k := parsed.(type) {
		case *ecdsa.PublicKey, ed25519.PublicKey:
		case *rsa.PublicKey:
			if k.N.BitLen() < minRSABits {
				return nil, "holds an RSA key of less than 2048 bits; use a longer one"
			}
		default:
			return nil, "holds a key that is not of ECDSA, RSA or Ed25519"
		}
		keys = append(keys, parsed)
	}
	if len(keys) == 0 {
		return nil, "holds no public key in PEM; give the path of cosign.pub"
	}
	return keys, ""
}

// decoded returns a signature from base64; nil if the text is not base64.
func decoded(text string) []byte {
	signature, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil {
		return nil
	}
	return signature
}

// signedBy returns the key that made a signature of message; nil if none of the keys did.
func signedBy(keys []key, message, signature []byte) key {
	i := slices.IndexFunc(keys, func(k key) bool { return len(signature) > 0 && signs(k, message, signature) })
	if i < 0 {
		return nil
	}
	return keys[i]
}

func signs(k key, message, signature []byte) bool {
	switch k := k.(type) {
	case *ecdsa.PublicKey:
		// Some versions of cosign choose the hash by the curve, and others always use SHA-256.
		hashes := []crypto.Hash{crypto.SHA256}
		if k.Curve.Params().BitSize > 256 {
			hashes = append(hashes, crypto.SHA384, crypto.SHA512)
		}
		return slices.ContainsFunc(hashes, func(h crypto.Hash) bool { return ecdsa.VerifyASN1(k, sum(h, message), signature) })
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(k, crypto.SHA256, sum(crypto.SHA256, message), signature) == nil
	case ed25519.PublicKey:
		// `cosign sign` signs the SHA-512 of the message, and other tools sign the message itself.
		hashed := &ed25519.Options{Hash: crypto.SHA512}
		return ed25519.Verify(k, message, signature) || ed25519.VerifyWithOptions(k, sum(crypto.SHA512, message), signature, hashed) == nil
	}
	return false
}

func sum(h crypto.Hash, message []byte) []byte {
	w := h.New()
	_, _ = w.Write(message) // a hash never returns an error
	return w.Sum(nil)
}
