package server

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/checksum"
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/fingerprint"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// These are metadata keys for values that Nova does not show (user data, hints) or did not store
// (descriptions before microversion 2.19). Of user data and hints, the metadata hold a fingerprint,
// or unset.
const (
	userDataKey    = mark.OwnerKey + "-user-data"
	hintsKey       = mark.OwnerKey + "-hints"
	descriptionKey = mark.OwnerKey + "-description"
	keyPairKey     = mark.OwnerKey + "-key-pair"
	unset          = "none"
)

// secretKeys are the keys in the data of a Secret that can hold the user data, if userData.secretRef names
// the Secret. K-ORC uses value.
var secretKeys = []string{"value", "userData"}

func (u *UserData) validate(r *kind.Report) {
	check := machine.UserData{Script: u.Script}
	check.Source("spec.resource.userData", "give one of secretRef, secretKeyRef, configMapRef and value", r,
		u.SecretRef != nil, u.SecretKeyRef != nil, u.ConfigMapRef != nil, u.Value != nil)
	u.Group.Validate("spec.resource.userData.group", u.Template, r)
	u.Given.Validate("spec.resource.userData", u.Template, r)
	if u.Value != nil {
		check.Text("spec.resource.userData.value", *u.Value, r)
	}
}

// expand creates no object. It checks that the referenced Secret or ConfigMap has the key, and
// collects the trunks and networks of the ports.
func expand(s *Spec, e *kind.Expansion) {
	check := func(field, kind, name string, keys ...string) {
		if e.Declares(kind, name) { // a missing object is reported elsewhere, with the other references
			machine.UserData{Script: s.UserData.Script}.Entry("spec.resource.userData."+field, kind, name, e, keys...)
		}
	}
	for _, p := range s.Ports {
		s.TrunkRefs = append(s.TrunkRefs, e.Referring("Trunk", "Port", p.PortRef)...)
		for _, network := range e.MemberReferred("Port", p.PortRef, "Network") {
			if !slices.Contains(s.NetworkRefs, network) {
				s.NetworkRefs = append(s.NetworkRefs, network)
			}
		}
	}
	expandBoot(s, e)
	switch u := s.UserData; {
	case u == nil:
		return
	case u.SecretRef != nil:
		check("secretRef", "Secret", *u.SecretRef, secretKeys...)
	case u.SecretKeyRef != nil:
		check("secretKeyRef.key", "Secret", u.SecretKeyRef.Name, u.SecretKeyRef.Key)
	case u.ConfigMapRef != nil:
		check("configMapRef.key", "ConfigMap", u.ConfigMapRef.Name, u.ConfigMapRef.Key)
	}
	if s.UserData.Template {
		expandTemplate(s, declared(s.UserData, e), e)
	}
}

// declared returns the user data if the repository contains them; otherwise "".
func declared(u *UserData, e *kind.Expansion) (text string) {
	switch {
	case u.Value != nil:
		text = *u.Value
	case u.SecretKeyRef != nil:
		text, _ = e.Data("Secret", u.SecretKeyRef.Name, u.SecretKeyRef.Key)
	case u.ConfigMapRef != nil:
		text, _ = e.Data("ConfigMap", u.ConfigMapRef.Name, u.ConfigMapRef.Key)
	case u.SecretRef != nil:
		for _, key := range secretKeys {
			if one, ok := e.Data("Secret", *u.SecretRef, key); ok && text == "" {
				text = one
			}
		}
	}
	return text
}

// userData returns the script for the server's first boot, or the template of that script.
func userData(w want) (text string, given bool) {
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
	if u.Script && !u.Template {
		text = machine.Interpreted(text)
	}
	return text, true
}

// secretUserData reports whether the user data may be secret: they are secret unless they come from
// a ConfigMap and no Secret or certificate is added to them.
func secretUserData(s *Spec) bool {
	return s.UserData != nil && (s.UserData.ConfigMapRef == nil || s.UserData.Given.Any())
}

// ownMetadata is the metadata that the agent writes in addition to the mark and the metadata of the
// manifest.
func ownMetadata(w want, described bool) map[string]string {
	out := map[string]string{userDataKey: userDataPrint(w), hintsKey: hintsPrint(w.Spec)}
	if text := table.Or(w.Spec.Description, ""); text != "" && !described {
		out[descriptionKey] = text
	}
	if name := w.Ref("KeyPair", w.Spec.KeypairRef).ID; name != "" {
		out[keyPairKey] = name
	}
	return out
}

// hintsPrint is the fingerprint of the hints without the server group. Nova shows the server group.
func hintsPrint(s *Spec) string {
	hints := table.Or(s.SchedulerHints, SchedulerHints{})
	hints.ServerGroupRef = ""
	text, err := json.Marshal(hints)
	if err != nil || string(text) == "{}" {
		return unset
	}
	return checksum.Of(string(text)).Text()
}

// sameHints reports whether a fingerprint belongs to the hints. It also accepts the shorter form
// that older releases wrote.
func sameHints(s *Spec, print string) bool {
	now := hintsPrint(s)
	return print == now || now != unset && len(print) == len(checksum.Short("")) && strings.HasPrefix(now, print)
}

// userDataUse is the purpose of the fingerprint of user data.
const userDataUse = "user data"

// printed returns the text from which the fingerprint is computed. A template has another
// fingerprint than the same text as plain user data.
func printed(w want) (text string, given bool) {
	text, given = userData(w)
	if given && w.Spec.UserData.Template {
		text = "template\n" + text + givenPrint(w)
	}
	return text, given
}

// userDataPrint is the value for the user data in the metadata. It is a fingerprint, because
// everybody in the project and the machine itself can read the metadata.
func userDataPrint(w want) string {
	switch text, given := printed(w); {
	case !given:
		return unset
	case secretUserData(w.Spec):
		return w.Fingerprint(userDataUse, text)
	default:
		return checksum.Of(text).Text()
	}
}

// knownUserData compares a stored fingerprint with the wanted user data: same is true if it belongs
// to them. The second result is false if the fingerprint does not show that. Earlier releases stored a digest of
// secret user data, too.
func knownUserData(w want, print string) (same, known bool) {
	text, given := printed(w)
	switch {
	case print == "":
		return false, false
	case !given || print == unset:
		return !given && print == unset, true
	case checksum.Of(text).Stored(print):
		return true, true
	}
	match := w.CompareFingerprint(print, userDataUse, text)
	return match == fingerprint.Same, match != fingerprint.Unknown || !strings.Contains(print, "-")
}
