package define

import (
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// KeepOwn refuses to remove an object that the agent's own login depends on, because nobody could
// repair that by a commit. The message calls the object by the word in what.
func KeepOwn(id, what string, own ...string) error {
	if id != "" && slices.Contains(own, id) {
		return fmt.Errorf("%w: this agent itself logs in with this %s; another administrator has to remove it", kind.ErrRejected, what)
	}
	return nil
}

// refuseOwn returns an error if one of the stack's logins depends on the object with that ID (see [KeepOwn]).
func (d *Driver[Spec, Filter, More]) refuseOwn(id string) error {
	if d.of.OfAgent == nil {
		return nil
	}
	for _, login := range d.Client.Logins() {
		if err := KeepOwn(id, d.of.Collection.Singular, d.of.OfAgent(login)...); err != nil {
			return err
		}
	}
	return nil
}
