package server

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// secretKeys are the entries in which a Secret named by userData.secretRef
// holds the user data; value is K-ORC's.
var secretKeys = []string{"value", "userData"}

// userData is what the server's first boot shall run.
func userData(w kind.Want[Spec]) (text string, given bool) {
	u := w.Spec.UserData
	switch {
	case u == nil:
		return "", false
	case u.Value != nil:
		text = *u.Value
	case u.SecretKeyRef != nil:
		text = w.Ref("Secret", u.SecretKeyRef.Name).Data[u.SecretKeyRef.Key]
	case u.ConfigMapRef != nil:
		text = w.Ref("ConfigMap", u.ConfigMapRef.Name).Data[u.ConfigMapRef.Key]
	case u.SecretRef != nil:
		data := w.Ref("Secret", *u.SecretRef).Data
		text = cmp.Or(data[secretKeys[0]], data[secretKeys[1]])
	}
	if u.Script && !saysWhatItIs(text) {
		text = cloud.Interpreter + text
	}
	return text, true
}

// secretUserData tells whether the user data may be a secret: all of it that is
// not in a ConfigMap.
func secretUserData(s *Spec) bool { return s.UserData != nil && s.UserData.ConfigMapRef == nil }

// starts are how user data begins that says what it is. (cloud-init: user data
// formats; ignition is JSON, gzip is 1f 8b)
var starts = []string{"#!", "#cloud-", "#include", "#part-handler", "## template:", "Content-Type:", "MIME-Version:", "{", "<powershell>", "\x1f\x8b"}

func saysWhatItIs(text string) bool {
	for _, start := range starts {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// userDataUse is what the fingerprint of user data is for.
const userDataUse = "user data"

// userDataPrint is what the metadata shall tell of the user data: everybody in
// the project can read it, and the machine itself.
func userDataPrint(w kind.Want[Spec]) string {
	switch text, given := userData(w); {
	case !given:
		return unset
	case secretUserData(w.Spec):
		return w.Print(userDataUse, text)
	default:
		return kind.Digest(text)
	}
}

// knownUserData tells what a stored fingerprint says: whether it is of the user
// data that is wanted. known is false when it says nothing. Earlier releases
// stored a digest of secret user data, too.
func knownUserData(w kind.Want[Spec], print string) (same, known bool) {
	text, given := userData(w)
	switch {
	case print == "":
		return false, false
	case !given || print == unset:
		return !given && print == unset, true
	case print == kind.Digest(text):
		return true, true
	}
	match := w.Printed(print, userDataUse, text)
	return match == fingerprint.Same, match != fingerprint.Unknown || !strings.Contains(print, "-")
}
