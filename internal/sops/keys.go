package sops

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
	agearmor "filippo.io/age/armor"
	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
)

// Keys are private keys. The zero value contains none.
type Keys struct {
	age     map[string]age.Identity // by recipient
	openpgp openpgp.EntityList
	public  []string
}

// Public lists the public keys, in the order in which they were added.
func (k *Keys) Public() []string { return slices.Clone(k.public) }

// None reports whether there are no keys.
func (k *Keys) None() bool { return k == nil || len(k.public) == 0 }

// AddAge adds the identities in a text as age-keygen writes it. It accepts X25519 and post-quantum identities. Plugins and
// SSH keys are refused. The error does not contain the text.
func (k *Keys) AddAge(text []byte) error {
	identities, err := age.ParseIdentities(bytes.NewReader(text))
	if err != nil {
		return errors.New("contains no age identities as age-keygen writes them, which begin with AGE-SECRET-KEY-")
	}
	for _, identity := range identities {
		recipient := ""
		switch i := identity.(type) {
		case *age.X25519Identity:
			recipient = i.Recipient().String()
		case *age.HybridIdentity:
			recipient = i.Recipient().String()
		default:
			return errors.New("contains an identity that is neither X25519 nor post-quantum")
		}
		if k.age == nil {
			k.age = map[string]age.Identity{}
		}
		k.age[recipient] = identity
		k.public = append(k.public, clipped(recipient))
	}
	return nil
}

// AddOpenPGP adds the private keys in an armored text, as gpg --export-secret-keys --armor writes it. The keys have no
// passphrase. The error does not contain the text.
func (k *Keys) AddOpenPGP(text []byte) error {
	entities, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(text))
	if err != nil {
		return errors.New("contains no OpenPGP keys as gpg --export-secret-keys --armor writes them")
	}
	for _, e := range entities {
		usable := false
		for _, key := range (openpgp.EntityList{e}).DecryptionKeys() {
			if key.PrivateKey != nil && key.PrivateKey.Encrypted {
				return fmt.Errorf("contains a key with a passphrase: %X; export it without one", e.PrimaryKey.Fingerprint)
			}
			usable = usable || key.PrivateKey != nil
		}
		if !usable {
			return fmt.Errorf("contains a key without a private part that decrypts: %X", e.PrimaryKey.Fingerprint)
		}
		k.public = append(k.public, fmt.Sprintf("OpenPGP %X", e.PrimaryKey.Fingerprint))
	}
	k.openpgp = append(k.openpgp, entities...)
	return nil
}

var errNoFit = errors.New("no key fits")

// dataKey recovers the data key of a file.
func (k *Keys) dataKey(m *metadata) ([]byte, error) {
	if k == nil {
		return nil, errNoFit
	}
	var parts [][]byte
	for _, g := range m.groups {
		if len(parts) == m.threshold {
			break
		}
		if part, err := k.part(g); err == nil {
			parts = append(parts, part)
		} else if !errors.Is(err, errNoFit) {
			return nil, err
		}
	}
	switch {
	case len(parts) < m.threshold || len(parts) == 0:
		return nil, errNoFit
	case len(m.groups) == 1:
		return parts[0], nil
	}
	return combine(parts)
}

var errEnvelope = errors.New("the data key in the block sops is damaged")

func (k *Keys) part(g group) ([]byte, error) {
	err := errNoFit
	for _, e := range g.age {
		if identity := k.age[e.holder]; identity != nil {
			if part, wrong := openAge(identity, e.text); wrong == nil {
				return part, nil
			}
			err = errEnvelope
		}
	}
	for _, e := range g.openpgp {
		if k.holds(e.holder) {
			if part, wrong := k.openOpenPGP(e.text); wrong == nil {
				return part, nil
			}
			err = errEnvelope
		}
	}
	return nil, err
}

// longestKey is the size of a data key, or of a share of it, with room to notice a longer one.
const longestKey = 64

func short(r io.Reader) ([]byte, error) {
	part, err := io.ReadAll(io.LimitReader(r, longestKey+1))
	if err == nil && len(part) > longestKey {
		err = errEnvelope
	}
	return part, err
}

func openAge(identity age.Identity, text string) ([]byte, error) {
	if len(text) > maxEnvelope {
		return nil, errEnvelope
	}
	plain, err := age.Decrypt(agearmor.NewReader(strings.NewReader(text)), identity)
	if err != nil {
		return nil, err
	}
	return short(plain)
}

// holds reports whether one of the OpenPGP keys has a fingerprint. SOPS writes that of the primary key or of a subkey.
func (k *Keys) holds(fingerprint string) bool {
	fingerprint = strings.ToUpper(strings.ReplaceAll(fingerprint, " ", ""))
	return fingerprint != "" && slices.ContainsFunc(k.openpgp, func(e *openpgp.Entity) bool {
		return fmt.Sprintf("%X", e.PrimaryKey.Fingerprint) == fingerprint || slices.ContainsFunc(e.Subkeys, func(s openpgp.Subkey) bool {
			return fmt.Sprintf("%X", s.PublicKey.Fingerprint) == fingerprint
		})
	})
}

func (k *Keys) openOpenPGP(text string) ([]byte, error) {
	if len(text) > maxEnvelope {
		return nil, errEnvelope
	}
	block, err := armor.Decode(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	message, err := openpgp.ReadMessage(block.Body, k.openpgp, nil, nil)
	if err != nil {
		return nil, err
	}
	if !message.IsEncrypted {
		return nil, errEnvelope
	}
	return short(message.UnverifiedBody)
}
