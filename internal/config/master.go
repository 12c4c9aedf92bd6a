package config

import (
	"bytes"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/localfile"
)

// MasterKey reads the key that certificates of etcd are derived from; nil where the stack names none. A file in a work tree is
// refused: what is in a repository is known to everybody who reads that.
func (s *Stack) MasterKey() (*pki.Master, error) {
	const field = "spec.defaults.etcd.masterKeyFile"
	if s.Spec.Defaults.Etcd == nil || s.Spec.Defaults.Etcd.MasterKeyFile == "" {
		return nil, nil
	}
	file := s.Spec.Defaults.Etcd.MasterKeyFile
	if root := localfile.WorkTree(file); root != "" {
		return nil, fmt.Errorf("%s: %s lies in the work tree of %s; keep it where no repository holds it, and make another one if it was ever committed", field, file, root)
	}
	text, err := localfile.Read(file, localfile.Secret)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	master, err := pki.New(bytes.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %s %w; make one with: openssl rand -hex 32", field, file, err)
	}
	return master, nil
}
