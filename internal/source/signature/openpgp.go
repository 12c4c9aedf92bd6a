package signature

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	pgp "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

// openPGP checks a signature of OpenPGP:
//
//	the key at the time of the signature   it is not expired yet
//	the signature now                      it is not expired, and not from the future
//	the key, and the subkey, now           it is not revoked, whatever the reason and the time of the revocation
//	the hash                               it is not SHA-1 or older
//
// A key still counts for what it signed before it expired. So old commits stay verified.
func (k Keys) openPGP(o Object, text string, now time.Time) (Signer, error) {
	block, err := armor.Decode(strings.NewReader(text))
	if err != nil || block.Type != "PGP SIGNATURE" {
		return Signer{}, malformed("the signature of OpenPGP is not in the form that gpg writes")
	}
	packets, err := io.ReadAll(io.LimitReader(block.Body, maxArmor))
	if err != nil {
		return Signer{}, malformed("%s", err)
	}
	sig, err := onlySignature(packets)
	if err != nil {
		return Signer{}, err
	}
	key := fmt.Sprintf("%016X", *sig.IssuerKeyId)
	weak := []crypto.Hash{crypto.MD5, crypto.SHA1, crypto.RIPEMD160}
	if slices.Contains(weak, sig.Hash) {
		return Signer{}, &Fault{Code: Weak, Key: key, Detail: sig.Hash.String()}
	}
	config := &packet.Config{Time: func() time.Time { return now }}
	_, entity, err := openpgp.VerifyDetachedSignature(k.pgp, bytes.NewReader(o.Payload), bytes.NewReader(packets), config)
	if err != nil {
		return Signer{}, k.openPGPFault(sig, key, config, err)
	}
	signer := Signer{Name: ownerOf(entity, sig), Key: strings.ToUpper(hex.EncodeToString(entity.PrimaryKey.Fingerprint))}
	if revoked(entity, *sig.IssuerKeyId, now) {
		return Signer{}, &Fault{Code: Revoked, Key: signer.Key, By: signer.Name}
	}
	return signer, nil
}

// onlySignature returns the one signature in packets.
func onlySignature(packets []byte) (*packet.Signature, error) {
	list := packet.NewReader(bytes.NewReader(packets))
	p, err := list.Next()
	if err != nil {
		return nil, malformed("%s", err)
	}
	sig, ok := p.(*packet.Signature)
	switch {
	case !ok || sig.IssuerKeyId == nil:
		return nil, malformed("the signature does not name its key")
	case sig.SigType != packet.SigTypeBinary:
		return nil, malformed("the signature is not of a binary document")
	}
	if _, err := list.Next(); !errors.Is(err, io.EOF) {
		return nil, malformed("there is more than one signature")
	}
	return sig, nil
}

// revoked reports whether the key with an ID, or its owner's main key, was revoked at any time up to now.
func revoked(e *openpgp.Entity, id uint64, now time.Time) bool {
	return e.Revoked(now) || slices.ContainsFunc(e.Subkeys, func(s openpgp.Subkey) bool {
		return s.PublicKey.KeyId == id && s.Revoked(nil, now)
	})
}

// openPGPFault returns the reason why a signature does not count, after the library has refused it with err.
func (k Keys) openPGPFault(sig *packet.Signature, key string, config *packet.Config, err error) *Fault {
	owners := k.pgp.EntitiesById(*sig.IssuerKeyId)
	if len(owners) == 0 {
		return &Fault{Code: Unknown, Key: key}
	}
	f := &Fault{Code: Invalid, Key: key, By: ownerOf(owners[0], sig)}
	_, valid := owners[0].SigningKeyById(sig.CreationTime, *sig.IssuerKeyId, config)
	switch {
	case revoked(owners[0], *sig.IssuerKeyId, config.Now()):
		f.Code = Revoked
	case errors.As(err, new(pgp.WeakAlgorithmError)):
		f.Code = Weak
	case !valid, errors.Is(err, pgp.ErrSignatureExpired):
		f.Code, f.Detail = Expired, err.Error()
	default:
		f.Detail = err.Error()
	}
	return f
}
