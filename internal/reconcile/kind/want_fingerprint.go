package kind

import "github.com/stackreeve/stackreeve/internal/fingerprint"

// Print returns the fingerprint of a secret of the object, which is stored with the object. use
// distinguishes the secrets of one object.
func (w Want) Print(use, secret string) string { return w.printer().Print(w.subject(use, secret)) }

// Printed compares a stored fingerprint with a secret of the object. It also tries the object's
// earlier names.
func (w Want) Printed(print, use, secret string) fingerprint.Match {
	subject := w.subject(use, secret)
	match := w.printer().Compare(print, subject)
	for _, was := range w.around.Former {
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
	if w.scene().Printer != nil {
		return w.scene().Printer
	}
	p, _ := fingerprint.New("") // New fails only for an invalid key
	return p
}
