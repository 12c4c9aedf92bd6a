package server

import (
	"cmp"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// secretKeys are the entries in which a Secret named by userData.secretRef
// holds the user data; value is K-ORC's.
var secretKeys = []string{"value", "userData"}

// userData is what the server's first boot shall run.
func userData(w reconcile.Want[Spec]) (text string, given bool) {
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
		text = "#!/bin/sh\n" + text
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

func userDataPrint(w reconcile.Want[Spec]) string {
	if text, given := userData(w); given {
		return reconcile.Digest(text)
	}
	return unset
}
