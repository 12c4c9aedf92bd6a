package signature

import (
	"fmt"

	"github.com/stackreeve/stackreeve/internal/printable"
)

// Code is the reason why a signature does not count.
type Code string

// These are the reasons.
const (
	Unsigned  Code = "Unsigned"  // there is no signature.
	Unknown   Code = "Unknown"   // the key is not among the trusted keys.
	Invalid   Code = "Invalid"   // the key did not make the signature for this content.
	Expired   Code = "Expired"   // the key or the signature was not valid at the time of the signature.
	Revoked   Code = "Revoked"   // the owner of the key has revoked it.
	Namespace Code = "Namespace" // the SSH signature, or the key, is for another purpose.
	Principal Code = "Principal" // the SSH key is trusted for other e-mail addresses.
	Weak      Code = "Weak"      // the algorithm is no longer safe.
	X509      Code = "X509"      // a certificate made the signature, as with gpgsm.
	Malformed Code = "Malformed" // the object or its signature cannot be read.
)

// Fault is the error that a signature does not count.
type Fault struct {
	Code Code
	// Key is the fingerprint or ID of the key; "" if it is unknown. By is its owner, if the key is a trusted one.
	Key, By string
	Detail  string // further words for people; "" if Code says all
}

var words = map[Code]string{
	Unsigned:  "it is not signed",
	Unknown:   "the key that signed it is not trusted",
	Invalid:   "its signature does not belong to its content",
	Expired:   "the key or the signature was not valid at the time of signing",
	Revoked:   "the key that signed it is revoked",
	Namespace: "its signature is for another purpose than git",
	Principal: "the key that signed it is not trusted for its committer",
	Weak:      "its signature uses an algorithm that is no longer safe",
	X509:      "it is signed with a certificate (X.509), and only signatures of OpenPGP and SSH are read",
	Malformed: "its signature cannot be read",
}

// Error implements error.
func (f *Fault) Error() string {
	text := words[f.Code]
	switch {
	case f.By != "":
		text += fmt.Sprintf(" (key %s of %s)", f.Key, f.By)
	case f.Key != "":
		text += fmt.Sprintf(" (key %s)", f.Key)
	}
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	return printable.Line(printable.Clip(text, maxFault))
}

// malformed returns the fault of an object or a signature that cannot be read.
func malformed(detail string, args ...any) *Fault {
	return &Fault{Code: Malformed, Detail: printable.Clip(fmt.Sprintf(detail, args...), maxDetail)}
}

const (
	maxDetail = 200 // bytes
	maxFault  = 600 // bytes; others write names and details
)
