package kind

import "github.com/stackreeve/stackreeve/internal/fingerprint"

// Print is the fingerprint of a secret of the object, to be stored with it; use
// sets different secrets of one object apart.
func (w Want) Print(use, secret string) string { return w.printer().Print(w.subject(use, secret)) }

// Printed returns what a fingerprint that is stored says about a secret of the
// object.
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
	p, _ := fingerprint.New("") // fails for bad keys only
	return p
}
