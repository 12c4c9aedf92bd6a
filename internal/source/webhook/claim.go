package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// claim is the claim of a message that its sender knows a secret. against returns the proof of the claim with these secrets, or an outcome if there
// can be none.
type claim interface {
	against(secrets []string) (*proof, Outcome)
}

// hmacClaim is the HMAC-SHA256 of the body, with the text of a secret as the key.
type hmacClaim [sha256.Size]byte

// hexSignature returns the claim of a sum in hex; nil when the text is no sum.
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

// tokenOrSignature is a secret that a message contains in clear text, or signatures over before and the body. If there are signing keys, a token alone
// proves nothing.
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

// proof checks a claim while the body is read.
type proof struct {
	body    hash.Hash   // of the body alone, to identify the message
	macs    []hash.Hash // one for each key
	claimed [][]byte
	shown   bool // whether the message contained a secret
}

// signedBy makes a proof that one of the keys made one of the claimed signatures over before and the body.
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

// holds reports whether the claim is true, in a time that does not depend on the secrets.
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
