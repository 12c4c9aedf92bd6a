package kind

import "github.com/stackreeve/stackreeve/internal/fingerprint"

// Fingerprint returns the fingerprint of a secret of the object, which is stored with the object. use
// distinguishes the secrets of one object.
func (w Want) Fingerprint(use, secret string) string {
	return w.printer().Print(w.subject(use, secret))
}

// CompareFingerprint compares a stored fingerprint with a secret of the object. It also tries the object's
// earlier names.
func (w Want) CompareFingerprint(print, use, secret string) fingerprint.Match {
	subject := w.subject(use, secret)
	match := w.printer().Compare(print, subject)
	for _, was := range w.lookups.Former {
		if match != fingerprint.Same {
			subject.Holder, subject.Object = was.Holder, was.Owner
			match = max(match, w.printer().Compare(print, subject))
		}
	}
	return match
}

func (w Want) subject(use, secret string) fingerprint.Subject {
	return fingerprint.Subject{Holder: w.holder, Object: w.Mark.Owner, Public: use, Secret: secret}
}

func (w Want) printer() *fingerprint.Printer {
	if w.planLookups().Printer != nil {
		return w.planLookups().Printer
	}
	p, _ := fingerprint.New("") // New fails only for an invalid key
	return p
}
