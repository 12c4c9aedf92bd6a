package config

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/sops"
)

func ageField(i int) string     { return fmt.Sprintf("spec.decryption.ageKeyFiles[%d]", i) }
func openPGPField(i int) string { return fmt.Sprintf("spec.decryption.openpgpKeyFiles[%d]", i) }

// HasDecryption reports whether the stack names private keys for encrypted manifests.
func (s *Stack) HasDecryption() bool {
	return len(s.Spec.Decryption.AgeKeyFiles)+len(s.Spec.Decryption.OpenPGPKeyFiles) > 0
}

// DecryptionKeys reads the private keys for encrypted manifests. A file in a work tree is refused, because everybody who
// can read the repository knows its content.
func (s *Stack) DecryptionKeys() (*sops.Keys, error) {
	keys := &sops.Keys{}
	read := func(field, file string, add func([]byte) error) error {
		text, err := secret(field, file)
		if err != nil {
			return err
		}
		defer clear(text)
		if err := add(text); err != nil {
			return fmt.Errorf("%s: %s %w", field, file, err)
		}
		return nil
	}
	for i, file := range s.Spec.Decryption.AgeKeyFiles {
		if err := read(ageField(i), file, keys.AddAge); err != nil {
			return nil, err
		}
	}
	for i, file := range s.Spec.Decryption.OpenPGPKeyFiles {
		if err := read(openPGPField(i), file, keys.AddOpenPGP); err != nil {
			return nil, err
		}
	}
	return keys, nil
}
