package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// claim is the part of a message with which the sender proves that it knows a secret. against returns a proof that checks the claim with these
// secrets, or an outcome if the claim cannot be valid.
type claim interface {
	against(secrets []string) (*proof, Outcome)
}

// hmacClaim is the HMAC-SHA256 of the body, with the text of a secret as the key.
type hmacClaim [sha256.Size]byte

// hexSignature returns the claim of an HMAC in hex; nil if the text is not one.
func hexSignature(text string) claim {
	if len(text) != hex.EncodedLen(sha256.Size) {
		return nil
	}
	sum, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	return hmacClaim(sum)
}

func (c hmacClaim) against(secrets []string) (*proof, Outcome) {
	var keys [][]byte
	for _, secret := range secrets {
		if secret != "" {
			keys = append(keys, []byte(secret))
		}
	}
	return signedBy(keys, "", c[:]), ""
}

// tokenOrSignature is a secret that a message contains in clear text, or signatures over a text (the field before) and the body. If there are signing
// keys, a token without a signature is refused.
type tokenOrSignature struct {
	token  string
	before string
	sums   [][]byte
}

func (c tokenOrSignature) against(secrets []string) (*proof, Outcome) {
	keys := signingKeys(secrets)
	switch {
	case len(keys) > 0 && len(c.sums) > 0:
		return signedBy(keys, c.before, c.sums...), ""
	case len(keys) > 0 || c.token == "":
		return nil, Unsigned
	case !oneOf(secrets, c.token):
		return nil, WrongToken
	}
	return &proof{shown: true, body: sha256.New()}, ""
}

// oneOf reports whether a text is one of the secrets, in a time that does not depend on them.
func oneOf(secrets []string, text string) bool {
	found, sum := false, sha256.Sum256([]byte(text))
	for _, secret := range secrets {
		if other := sha256.Sum256([]byte(secret)); secret != "" && hmac.Equal(other[:], sum[:]) {
			found = true
		}
	}
	return found
}

// proof checks a claim while the body of the message is read.
type proof struct {
	body    hash.Hash   // the hash of the body, to identify the message
	macs    []hash.Hash // one MAC for each key
	claimed [][]byte
	shown   bool // whether the message contained a secret
}

// signedBy returns a proof of signatures over a text (the argument before) and the body. It is valid if one of the keys has made one of the
// claimed signatures.
func signedBy(keys [][]byte, before string, claimed ...[]byte) *proof {
	p := &proof{body: sha256.New(), claimed: claimed}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(before))
		p.macs = append(p.macs, mac)
	}
	return p
}

// Write adds a part of the body. It never fails.
func (p *proof) Write(part []byte) (int, error) {
	p.body.Write(part) // a hash accepts everything
	for _, mac := range p.macs {
		mac.Write(part)
	}
	return len(part), nil
}

// holds reports whether the claim is valid, in a time that does not depend on the secrets.
func (p *proof) holds() bool {
	good := p.shown
	for _, mac := range p.macs {
		sum := mac.Sum(nil)
		for _, claimed := range p.claimed {
			if hmac.Equal(sum, claimed) {
				good = true
			}
		}
	}
	return good
}
