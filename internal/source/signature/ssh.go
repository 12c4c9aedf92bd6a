package signature

import (
	"bytes"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// gitNamespace is the namespace of the signatures that git makes.
const gitNamespace = "git"

// ssh checks a signature of SSH. A line of the allowed signers counts under these conditions:
//
//	key              it is the key of the signature
//	principals       they match the e-mail address of the committer or tagger
//	namespaces       they match git
//	valid-before     it is after the time that the object names, because an SSH signature has no time of its own
func (k Keys) ssh(o Object, text string, now time.Time) (Signer, error) {
	sig, err := sshsig.Unarmor([]byte(text))
	if err != nil {
		return Signer{}, malformed("%s", err)
	}
	f := &Fault{Code: Unknown, Key: ssh.FingerprintSHA256(sig.PublicKey)}
	if _, ok := sig.PublicKey.(*ssh.Certificate); ok {
		f.Detail = "it is a certificate, which is not supported"
		return Signer{}, f
	}
	if sig.Namespace != gitNamespace {
		f.Code = Namespace
		return Signer{}, f
	}
	for _, line := range k.allowed {
		if line.print != f.Key {
			continue
		}
		if code := line.refuses(o, now); code != "" {
			f.Code = code
			continue
		}
		if sshsig.Verify(bytes.NewReader(o.Payload), sig, line.key, sig.HashAlgorithm, gitNamespace) != nil {
			return Signer{}, &Fault{Code: Invalid, Key: f.Key, By: o.Email}
		}
		return Signer{Name: o.Email, Key: f.Key}, nil
	}
	if f.Code == Principal {
		f.Detail = o.Email
	}
	return Signer{}, f
}

// refuses returns the reason why a line does not count for an object, or "". An object that claims to be from the future does not make a
// line valid earlier.
func (a allowed) refuses(o Object, now time.Time) Code {
	early := o.Time
	if now.Before(early) {
		early = now
	}
	switch {
	case !Match(a.principals, o.Email):
		return Principal
	case a.namespaces != "" && !Match(a.namespaces, gitNamespace):
		return Namespace
	case !a.after.IsZero() && early.Before(a.after), !a.before.IsZero() && o.Time.After(a.before):
		return Expired
	}
	return ""
}
