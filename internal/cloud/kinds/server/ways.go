package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// These are the ways to change a server without replacing it, which its fields declare, and the end of a resize.
//
//	resize   ACTIVE, SHUTOFF -> RESIZE -> VERIFY_RESIZE; if no host has room for the new
//	         flavor, back to ACTIVE with the old one
//	confirm  VERIFY_RESIZE -> ACTIVE, SHUTOFF
//	rebuild  ACTIVE, SHUTOFF, ERROR -> REBUILD -> ACTIVE, SHUTOFF; ERROR if it fails;
//	         also of a server that boots from a volume (see boot.go)
//	restart  ACTIVE, ERROR -> HARD_REBOOT -> ACTIVE; SHUTOFF -> ACTIVE
//
// Each way starts from the server's present status in Nova, so that an agent continues a change that was
// interrupted.
const (
	byResize  = "resize"
	byConfirm = "confirm"
	byRebuild = "rebuild"
	byRestart = "restart"
)

// resized is the status of a server whose resize can still be reverted. Until somebody confirms or reverts it, Nova
// accepts no other change.
const resized = "VERIFY_RESIZE"

const (
	imageField    = "spec.resource.imageRef"
	flavorField   = "spec.resource.flavorRef"
	userDataField = "spec.resource.userData"
	keyField      = "spec.resource.keypairRef"
)

// diffMore compares the values that the table does not compare.
func diffMore(w want, have *state, c *kind.Changes) {
	compareKey(w, have, c)
	diffUnseen(w, have, c)
	noteDoomed(w, have, c)
	diffUnconfirmedResize(w, have, c)
}

// hasWay reports whether one of the changes has to be made in this way.
func hasWay(changes []kind.Change, way string) bool {
	return slices.ContainsFunc(changes, func(c kind.Change) bool { return c.Way == way })
}

// requireStatus refuses a change that Nova would answer with 409 until the server is in another state. Only people can
// end the present state. (nova/compute/api.py: check_instance_state of resize and rebuild)
func requireStatus(m *More, way string, in ...string) error {
	if slices.Contains(in, m.Status) {
		return nil
	}
	return fmt.Errorf("%w: a server that is %s cannot be changed by %s; bring it to %s first", kind.ErrRejected, m.Status, way, strings.Join(in, " or "))
}

// writable refuses a change that Nova would answer with 409 until somebody ends the server's state. In such a state
// Nova changes no metadata, and the metadata contain the mark. (nova/compute/api.py: check_instance_state of
// update_instance_metadata)
func writable(m *More) error {
	if !slices.Contains([]string{"ERROR", "RESCUE", "SHELVED", "SHELVED_OFFLOADED", resized}, m.Status) {
		return nil
	}
	return fmt.Errorf("%w: the owner mark is in the metadata, and Nova does not change the metadata of a server that is %s; first bring the server to ACTIVE or SHUTOFF", kind.ErrRejected, m.Status)
}

// resize asks Nova to move the server to another flavor. The mark can be written only after the resize is confirmed.
func (u *requests) resize(n change) error {
	if err := requireStatus(&n.Have.State.More, byResize, "ACTIVE", "SHUTOFF"); err != nil {
		return err
	}
	u.act(byResize, map[string]any{"flavorRef": n.Want.Ref("Flavor", n.Want.Spec.FlavorRef).ID}, cloud.Call{})
	return u.err
}

// diffUnconfirmedResize adds the change that ends a resize to the wanted flavor. resize does not wait for the end of the
// resize. The next plan finds the server in VERIFY_RESIZE, and its step confirms.
func diffUnconfirmedResize(w want, have *state, c *kind.Changes) {
	wanted := w.Ref("Flavor", w.Spec.FlavorRef).ID == have.Spec.FlavorRef
	if have.More.Status == resized && w.Way(flavorField) == byResize && wanted {
		c.Add(kind.Change{Field: flavorField, Have: "resized, and not confirmed", Want: "confirmed", Way: byConfirm})
	}
}

// confirm ends a resize. Nova answers before it has finished. To another such request, it answers 400 until it has
// finished, and 409 after that. (nova/api/openstack/compute/servers.py: _action_confirm_resize)
func (u *requests) confirm() error {
	u.act("confirmResize", nil, cloud.Call{})
	if u.err != nil && !(errors.Is(u.err, kind.ErrRejected) && strings.Contains(u.err.Error(), "has not been resized")) {
		return u.err
	}
	return fmt.Errorf("%w: Nova is confirming its resize", kind.ErrBusy)
}

// rebuild asks Nova to write an image to the server's disk and to boot it like a new server. The same request writes
// the metadata with the mark and the fingerprint of the user data. From these, a later list shows that the rebuild
// was made.
func (u *requests) rebuild(n change, metadata map[string]string) {
	if u.err == nil {
		u.err = requireStatus(&n.Have.State.More, byRebuild, "ACTIVE", "SHUTOFF", "ERROR")
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
		body[userDataAttribute] = nil
		text, given, err := u.completed(n.Want)
		if u.err == nil {
			u.err = err
		}
		if given {
			body[userDataAttribute] = encoded(text)
		}
	}
	u.act(byRebuild, body, call)
}

// restart starts a server that somebody has stopped, and reboots a running one. The reboot is hard, because a server
// that does not work may ignore a request to shut down.
func (u *requests) restart(status string) error {
	switch status {
	case "SHUTOFF":
		u.act("os-start", nil, cloud.Call{})
	case "ACTIVE", "ERROR":
		u.act("reboot", map[string]any{"type": "HARD"}, cloud.Call{})
	default:
		return requireStatus(&More{Status: status}, byRestart, "ACTIVE", "SHUTOFF", "ERROR")
	}
	return u.err
}

// act sends a request for one of the actions of a server.
func (u *requests) act(action string, body any, call cloud.Call) {
	call.Method, call.Path, call.Body = http.MethodPost, "/action", map[string]any{action: body}
	u.do(call)
}
