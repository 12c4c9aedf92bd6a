package server

import (
	"encoding/base64"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/etcd/pki"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// User data can be a template. The agent compares the template and its fingerprint, and not the completed
// text. Therefore another peer, or another address, does not change an existing server.

// expandTemplate makes the server depend on the ports whose addresses the template uses.
func expandTemplate(s *Spec, text string, e *kind.Expansion) {
	t, err := machine.ParseFacts(text)
	if err != nil {
		e.Problem("spec.resource.userData", "is no template: "+err.Error(), "correct it, or remove template")
		return
	}
	if t.PeerAddresses && s.UserData.Group != nil {
		s.PeerRefs = s.UserData.Group.Peers()
	}
}

// completer completes templates of user data. master is the key from which their certificates are derived,
// or nil.
type completer struct{ master *pki.Master }

// userDataAttribute is the attribute with the user data, in requests that create or rebuild a server.
const userDataAttribute = "user_data"

// encoded are user data in the form of requests.
func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// completed returns the user data with which a server is created or rebuilt.
func (c completer) completed(w want) (text string, given bool, err error) {
	text, given = userData(w)
	if !given || !w.Spec.UserData.Template {
		return text, given, nil
	}
	f := facts(w)
	if err := give(w, &f, c.master); err != nil {
		return "", true, err
	}
	if text, err = machine.Complete(text, f); err != nil {
		return "", true, fmt.Errorf("%w: the template of the user data %s", kind.ErrNotYet, err.Error())
	}
	if w.Spec.UserData.Script {
		text = machine.Interpreted(text)
	}
	return text, true, nil
}

// facts returns the facts that the template can use.
func facts(w want) machine.Facts {
	own := machine.Fact{Name: w.Key.Name, Ordinal: machine.Ordinal(w.Key.Name)}
	if len(w.Spec.Ports) > 0 {
		own.Address = w.Ref("Port", w.Spec.Ports[0].PortRef).Facts.Address
	}
	group := w.Spec.UserData.Group
	if group == nil {
		return machine.Facts{Fact: own, Group: own.Name, Replicas: 1, Peers: []machine.Fact{own}}
	}
	f := machine.Facts{Fact: own, Group: group.Name}
	for _, name := range group.Peers() {
		f.Peers = append(f.Peers, machine.Fact{Name: name, Ordinal: machine.Ordinal(name), Address: w.Ref("Port", name).Facts.Address})
	}
	f.Replicas = len(f.Peers)
	return f
}
