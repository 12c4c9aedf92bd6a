package config

import (
	"bytes"
	"crypto/tls"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/localfile"
	"github.com/stackreeve/stackreeve/internal/outbound"
	"github.com/stackreeve/stackreeve/internal/s3"
)

// Keys reads the keys that kinds need in addition to the login to the cloud. A file in a work tree is refused,
// because everybody who can read the repository knows its content.
func (s *Stack) Keys() (k defaults.Keys, err error) {
	if k.Master, err = s.masterKey(); err != nil {
		return k, err
	}
	of := s.Spec.Defaults.S3
	if of == nil {
		return k, nil
	}
	k.S3 = func() (s3.Keys, error) { return s3Keys(of.CredentialsFile) }
	if _, err = k.S3(); err != nil {
		return k, err
	}
	k.S3Trust, err = trust("spec.defaults.s3.caFile", of.CAFile)
	return k, err
}

// masterKey returns the key from which certificates of etcd are derived, or nil if the stack names none.
func (s *Stack) masterKey() (*pki.Master, error) {
	const field = "spec.defaults.etcd.masterKeyFile"
	if s.Spec.Defaults.Etcd == nil || s.Spec.Defaults.Etcd.MasterKeyFile == "" {
		return nil, nil
	}
	file := s.Spec.Defaults.Etcd.MasterKeyFile
	text, err := secret(field, file)
	if err != nil {
		return nil, err
	}
	master, err := pki.New(bytes.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %s %w; make one with: openssl rand -hex 32", field, file, err)
	}
	return master, nil
}

func s3Keys(file string) (s3.Keys, error) {
	const field = "spec.defaults.s3.credentialsFile"
	text, err := secret(field, file)
	if err != nil {
		return s3.Keys{}, err
	}
	keys, err := s3.ParseKeys(string(text))
	if err != nil {
		return s3.Keys{}, fmt.Errorf("%s: %s %w", field, file, err)
	}
	return keys, nil
}

func secret(field, file string) ([]byte, error) {
	if root := localfile.WorkTree(file); root != "" {
		return nil, fmt.Errorf("%s: %s lies in the work tree of %s; move it out of the repository, and create a new key if this one was ever committed", field, file, root)
	}
	text, err := localfile.Read(file, localfile.Secret)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	return text, nil
}

// trust returns a TLS configuration that trusts the system's authorities, and those in a file if there is one.
func trust(field, file string) (*tls.Config, error) {
	config, err := outbound.Trusting(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	return config, nil
}
