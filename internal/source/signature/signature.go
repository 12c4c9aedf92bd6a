// Package signature answers who signed a commit or a tag. Its functions are pure: they get the bytes of an object, keys and the time.
//
//	ParseCommit, ParseTag   the signed bytes, the signature, and who claims to have made the object   object.go
//	ReadOpenPGP             the OpenPGP keys that are trusted                                         keys.go
//	ReadAllowedSigners      the SSH keys that are trusted                                             allowed.go
//	Keys.Signer             who signed, or a [Fault]                                                  openpgp.go, ssh.go
//	Match                   whether a name matches patterns                                           match.go
//
// It does not know which commits have to be signed, and it knows no repository.
package signature

import (
	"strings"
	"time"
)

// Signer is the owner of a trusted key.
type Signer struct {
	Name string // the user ID of an OpenPGP key, or the e-mail address for which an SSH key is trusted.
	Key  string // the fingerprint of the key: 40 or 64 hex digits for OpenPGP, SHA256:… for SSH.
}

// maxArmor is the maximum length of a signature in bytes. A signature of an RSA key with 16,384 bits has less than a tenth of it.
const maxArmor = 64 << 10

// Signer returns the owner of the key that signed an object. The error is a [*Fault].
func (k Keys) Signer(o Object, now time.Time) (Signer, error) {
	switch armor := strings.TrimSpace(o.Armor); {
	case armor == "":
		return Signer{}, &Fault{Code: Unsigned}
	case len(armor) > maxArmor:
		return Signer{}, malformed("the signature is longer than %d bytes", maxArmor)
	case strings.HasPrefix(armor, "-----BEGIN PGP SIGNATURE-----"):
		return k.openPGP(o, armor, now)
	case strings.HasPrefix(armor, "-----BEGIN SSH SIGNATURE-----"):
		return k.ssh(o, armor, now)
	case strings.HasPrefix(armor, "-----BEGIN SIGNED MESSAGE-----"):
		return Signer{}, &Fault{Code: X509}
	}
	return Signer{}, malformed("the signature is neither one of OpenPGP nor one of SSH")
}
