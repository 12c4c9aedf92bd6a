package kind

import "github.com/stackreeve/stackreeve/internal/fingerprint"

// Print is the fingerprint of a secret of the object, to be stored with it; use
// sets different secrets of one object apart.
func (w Want[Spec]) Print(use, secret string) string {
	return w.print(w.Mark.Owner, use, secret)
}

// Printed returns what a fingerprint that is stored says about a secret of the
// object.
func (w Want[Spec]) Printed(print, use, secret string) fingerprint.Match {
	return w.printed(print, w.Mark.Owner, use, secret)
}

func (w seen) print(owner, use, secret string) string {
	return w.printer().Print(w.subject(owner, use, secret))
}

func (w seen) printed(print, owner, use, secret string) fingerprint.Match {
	subject := w.subject(owner, use, secret)
	match := w.printer().Compare(print, subject)
	for _, was := range w.around.Former {
		if match != fingerprint.Same {
			subject.Holder, subject.Object = was.Holder, was.Owner
			match = max(match, w.printer().Compare(print, subject))
		}
	}
	return match
}

func (w seen) subject(owner, use, secret string) fingerprint.Subject {
	return fingerprint.Subject{Holder: w.holder, Object: owner, Public: use, Secret: secret}
}

func (w seen) printer() *fingerprint.Printer {
	if w.scene().Printer != nil {
		return w.scene().Printer
	}
	p, _ := fingerprint.New("") // fails for bad keys only
	return p
}
