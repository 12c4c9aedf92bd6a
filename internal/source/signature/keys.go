package signature

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

// Keys are the keys that are trusted.
type Keys struct {
	pgp     openpgp.EntityList
	allowed []allowed
	sum     [sha256.Size]byte
}

// Some reports whether there is any key.
func (k Keys) Some() bool { return len(k.pgp)+len(k.allowed) > 0 }

// Sum returns a text that is the same only for the same keys.
func (k Keys) Sum() string { return hex.EncodeToString(k.sum[:]) }

// With returns these keys together with more.
func (k Keys) With(more Keys) Keys {
	return Keys{slices.Concat(k.pgp, more.pgp), slices.Concat(k.allowed, more.allowed), sha256.Sum256(append(k.sum[:], more.sum[:]...))}
}

// ReadOpenPGP reads the public keys in a file, which `gpg --export` writes, with --armor or without.
func ReadOpenPGP(file []byte) (Keys, error) {
	var list openpgp.EntityList
	rest := file
	for {
		start := bytes.Index(rest, []byte("-----BEGIN PGP PUBLIC KEY BLOCK-----"))
		if start < 0 {
			break
		}
		in := bytes.NewReader(rest[start:])
		block, err := armor.Decode(in)
		if err != nil {
			return Keys{}, fmt.Errorf("holds no OpenPGP key that can be read: %w", err)
		}
		some, err := openpgp.ReadKeyRing(block.Body)
		if err != nil {
			return Keys{}, fmt.Errorf("holds no OpenPGP key that can be read: %w", err)
		}
		list = append(list, some...)
		end := []byte("-----END PGP PUBLIC KEY BLOCK-----")
		after := bytes.Index(rest[start:], end)
		if after < 0 {
			break
		}
		rest = rest[start+after+len(end):]
	}
	if len(list) == 0 {
		if bytes.Contains(file, []byte("-----BEGIN PGP PRIVATE KEY BLOCK-----")) {
			return Keys{}, errors.New("holds a private key; write only the public key here, with `gpg --armor --export`")
		}
		var err error
		if list, err = openpgp.ReadKeyRing(bytes.NewReader(file)); err != nil || len(list) == 0 {
			return Keys{}, errors.New("holds no OpenPGP key; write it with `gpg --armor --export ADDRESS`")
		}
	}
	if slices.ContainsFunc(list, func(e *openpgp.Entity) bool { return e.PrivateKey != nil }) {
		return Keys{}, errors.New("holds a private key; write only the public key here, with `gpg --armor --export`")
	}
	return Keys{pgp: list, sum: sha256.Sum256(file)}, nil
}

// ownerOf returns the name of an OpenPGP key at the time of a signature.
func ownerOf(e *openpgp.Entity, sig *packet.Signature) string {
	if _, id := e.PrimaryIdentity(sig.CreationTime, nil); id != nil {
		return id.Name
	}
	for name := range e.Identities { // keys of version 6 may have no primary one
		return name
	}
	return "an owner without a name"
}
