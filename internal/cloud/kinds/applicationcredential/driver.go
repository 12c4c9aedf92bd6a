package applicationcredential

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

func create(ctx context.Context, d driver, w want) (*state, error) {
	own, name := d.Client.OwnUser()
	if ref := w.Ref("User", w.Spec.UserRef); ref.ID != "" && ref.ID != own {
		return nil, fmt.Errorf("%w: %suserRef: User %s is not %s, the user of the agent's credentials, and Keystone allows nobody to create application credentials for other users; remove userRef, or use an agent with the credentials of that user",
			kind.ErrRejected, at, ref.Name, name)
	}
	body := d.Creation(w)
	text, _ := body["description"].(string)
	body["description"] = strings.TrimSuffix(text, "]") + " " + secretNote + ":" + w.Fingerprint(secretUse, secret(w)) + "]"
	return d.Post(ctx, w, body)
}

// update always fails. The engine calls it only to write the mark on a credential that is adopted.
func update(context.Context, driver, define.Change[Spec, More]) error {
	return fmt.Errorf("%w: Keystone cannot change an application credential, so it cannot get the owner mark; import it with managementPolicy: unmanaged", kind.ErrRejected)
}

// remove deletes the credential and then its access rules, because Keystone does not delete them with it. A rule that
// another credential uses is not deleted.
func remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	for _, one := range d.Client.All() {
		if err := define.KeepOwn(have.ID, "application credential", one.OwnCredential()); err != nil {
			return false, err
		}
	}
	if _, err := d.Remove(ctx, have.ID); err != nil {
		return false, err
	}
	for _, rule := range have.State.More.AccessRules {
		call := cloud.Call{Service: cloud.Identity, Method: http.MethodDelete, Path: "users/" + have.State.Spec.UserRef + "/access_rules/" + rule.ID}
		if err := d.Client.Do(ctx, call); err != nil && !errors.Is(err, kind.ErrGone) && !errors.Is(err, kind.ErrRejected) {
			break // a leftover rule does no harm: no credential uses it
		}
	}
	return true, nil
}
