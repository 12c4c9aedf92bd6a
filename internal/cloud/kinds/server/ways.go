package server

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The ways in which a server is changed without being replaced, as its fields declare
// them, and what ends a resize.
//
//	resize   ACTIVE, SHUTOFF -> RESIZE -> VERIFY_RESIZE; back to ACTIVE with the old
//	         flavor where no host has room for it
//	confirm  VERIFY_RESIZE -> ACTIVE, SHUTOFF
//	rebuild  ACTIVE, SHUTOFF, ERROR -> REBUILD -> ACTIVE, SHUTOFF; ERROR if it fails;
//	         of a server that boots from a volume, too (see boot.go)
//	restart  ACTIVE, ERROR -> HARD_REBOOT -> ACTIVE; SHUTOFF -> ACTIVE
//
// Each begins where Nova's status says that the server stands, so that an agent that
// finds one half done goes on with it.
const (
	byResize  = "resize"
	byConfirm = "confirm"
	byRebuild = "rebuild"
	byRestart = "restart"
)

// resized is the status of a server whose resize can still be reverted. Until somebody
// confirms or reverts it, Nova takes no other change.
const resized = "VERIFY_RESIZE"

const (
	imageField    = "spec.resource.imageRef"
	flavorField   = "spec.resource.flavorRef"
	userDataField = "spec.resource.userData"
	keyField      = "spec.resource.keypairRef"
)

// diffMore compares what the table does not.
func diffMore(w want, have *state, c *kind.Changes) {
	compareKey(w, have, c)
	diffUnseen(w, have, c)
	noteDoomed(w, have, c)
	wanted := w.Ref("Flavor", w.Spec.FlavorRef).ID == have.Spec.FlavorRef
	if have.More.Status == resized && w.Way(flavorField) == byResize && wanted {
		c.Add(kind.Change{Field: flavorField, Have: "resized, and not confirmed", Want: "confirmed", Way: byConfirm})
	}
}

// by reports whether one of the changes is to be carried out in a way.
func by(changes []kind.Change, way string) bool {
	return slices.ContainsFunc(changes, func(c kind.Change) bool { return c.Way == way })
}

// standing refuses what Nova would refuse with a 409 for as long as the server is in
// its state: that is for people to end.
// (nova/compute/api.py: check_instance_state of resize and rebuild)
func standing(m *More, way string, in ...string) error {
	if slices.Contains(in, m.Status) {
		return nil
	}
	return fmt.Errorf("%w: a server that is %s cannot be changed by %s; bring it to %s first", kind.ErrRejected, m.Status, way, strings.Join(in, " or "))
}

// writable refuses what Nova would refuse with a 409 until somebody ends the state that the server is in: it takes no
// metadata then, where the mark is. (nova/compute/api.py: check_instance_state of update_instance_metadata)
func writable(m *More) error {
	if !slices.Contains([]string{"ERROR", "RESCUE", "SHELVED", "SHELVED_OFFLOADED", resized}, m.Status) {
		return nil
	}
	return fmt.Errorf("%w: Nova changes no metadata of a server that is %s, where the mark of the owner is; bring it to ACTIVE or SHUTOFF first", kind.ErrRejected, m.Status)
}

// resize has Nova move the server to another flavor. The mark can be written when that
// is confirmed and no sooner.
func (u *requests) resize(n change) error {
	if err := standing(&n.Have.State.More, byResize, "ACTIVE", "SHUTOFF"); err != nil {
		return err
	}
	u.act(byResize, map[string]any{"flavorRef": n.Want.Ref("Flavor", n.Want.Spec.FlavorRef).ID}, cloud.Call{})
	return u.err
}

// confirm ends a resize. Nova answers before it is done, and says 400 when it is asked
// again meanwhile, and 409 when it is done.
// (nova/api/openstack/compute/servers.py: _action_confirm_resize)
func (u *requests) confirm() error {
	u.act("confirmResize", nil, cloud.Call{})
	if u.err != nil && !(errors.Is(u.err, kind.ErrRejected) && strings.Contains(u.err.Error(), "has not been resized")) {
		return u.err
	}
	return fmt.Errorf("%w: Nova is confirming its resize", kind.ErrBusy)
}

// rebuild has Nova write an image to the server's disk and start it as if for the first
// time. The metadata, which holds the mark and the fingerprint of the user data, is
// written by the same request: whether it was carried out is seen there.
func (u *requests) rebuild(n change, metadata map[string]string) {
	if u.err == nil {
		u.err = standing(&n.Have.State.More, byRebuild, "ACTIVE", "SHUTOFF", "ERROR")
	}
	image, least := imageOf(n)
	body, call := map[string]any{"imageRef": image, "metadata": metadata}, cloud.Call{Microversion: least}
	need := func(version, what string) {
		if !cloud.AtLeast(call.Microversion, version) && u.err == nil {
			call.Microversion, u.err = u.Client.Require(u.ctx, cloud.Compute, version, what)
		}
	}
	if least != "" && u.err == nil {
		_, u.err = u.Client.Require(u.ctx, cloud.Compute, least, "rebuilds of servers that boot from volumes")
	}
	if kind.Has(n.Changes, keyField) {
		need(withKeyAtRebuild, "rebuilds with another key pair")
		body["key_name"] = nil
		if key := n.Want.Ref("KeyPair", n.Want.Spec.KeypairRef).ID; key != "" {
			body["key_name"] = key
		}
	}
	if kind.Has(n.Changes, userDataField) {
		need(withUserDataAtRebuild, "rebuilds with other user data")
		call.Secret = secretUserData(n.Want.Spec)
		body["user_data"] = nil
		text, given, err := u.completed(n.Want)
		if u.err == nil {
			u.err = err
		}
		if given {
			body["user_data"] = base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
	u.act(byRebuild, body, call)
}

// restart switches the server on that somebody has switched off, and off and on where it runs: what does not serve
// need not listen to a request to shut down.
func (u *requests) restart(status string) error {
	switch status {
	case "SHUTOFF":
		u.act("os-start", nil, cloud.Call{})
	case "ACTIVE", "ERROR":
		u.act("reboot", map[string]any{"type": "HARD"}, cloud.Call{})
	default:
		return standing(&More{Status: status}, byRestart, "ACTIVE", "SHUTOFF", "ERROR")
	}
	return u.err
}

// act asks for one of a server's actions.
func (u *requests) act(action string, body any, call cloud.Call) {
	call.Method, call.Path, call.Body = http.MethodPost, "/action", map[string]any{action: body}
	u.do(call)
}
