package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// Update writes the fields, plugs and attaches what is missing, lets go of what
// is surplus, and then writes the metadata, which holds the mark. Nova lets go
// in its own time; until it has, the server is busy.
func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	version, err := d.c.Microversion(ctx, cloud.Compute, withDescription)
	if err != nil {
		return err
	}
	hasDescription := cloud.AtLeast(version, withDescription)
	u := update{driver: d, ctx: ctx, id: have.ID}
	fields := map[string]any{}
	if kind.Has(changes, "spec.resource.name") {
		fields["name"] = rules{}.Name(w)
	}
	if kind.Has(changes, "spec.resource.description") && hasDescription {
		fields["description"] = cloud.Or(w.Spec.Description, "")
	}
	if len(fields) > 0 {
		u.do(cloud.Call{Method: http.MethodPut, Body: map[string]any{"server": fields}, Microversion: version})
	}
	if kind.Has(changes, "spec.resource.tags") {
		u.tags(w.Spec.Tags)
	}
	if kind.Has(changes, "spec.resource.ports") {
		u.ports(have.State.portIDs(), portRefs(w))
	}
	if kind.Has(changes, "spec.resource.volumes") {
		u.volumes(w, have.State)
	}
	u.do(cloud.Call{Method: http.MethodPut, Path: "/metadata", Body: map[string]any{"metadata": nextMetadata(w, have.State, changes, hasDescription)}})
	return u.err
}

// nextMetadata is what the metadata shall hold after an update: what is not
// among the changes stays as it is, for somebody else may look after it.
func nextMetadata(w kind.Want[Spec], have *State, changes []kind.Change, hasDescription bool) map[string]string {
	next := allMetadata(w, hasDescription)
	for key, field := range map[string]string{
		userDataKey: "spec.resource.userData", hintsKey: "spec.resource.schedulerHints", descriptionKey: "spec.resource.description",
	} {
		if kind.Has(changes, field) {
			continue
		}
		if same, _ := knownUserData(w, have.Metadata[key]); key == userDataKey && same {
			continue // in the form of today
		}
		delete(next, key)
		if value, ok := have.Metadata[key]; ok {
			next[key] = value
		}
	}
	if !kind.Has(changes, "spec.resource.metadata") {
		maps.DeleteFunc(next, func(key, _ string) bool { _, asked := metadata(w.Spec)[key]; return asked })
		maps.Copy(next, cloud.UserMetadata(have.Metadata))
	}
	return next
}

// update is a series of requests that ends with the first error.
type update struct {
	driver
	ctx context.Context
	id  string
	err error
}

// do makes a request below the server's own path.
func (u *update) do(call cloud.Call) {
	if u.err != nil {
		return
	}
	call.Service, call.Path = cloud.Compute, "servers/"+u.id+call.Path
	u.err = u.c.Do(u.ctx, call)
}

func (u *update) tags(tags []string) {
	version, err := u.c.Require(u.ctx, cloud.Compute, withTags, "tags of servers")
	if err != nil {
		u.err = errors.Join(u.err, err)
		return
	}
	if tags == nil {
		tags = []string{}
	}
	u.do(cloud.Call{Method: http.MethodPut, Path: "/tags", Body: map[string]any{"tags": tags}, Microversion: version})
}

func (u *update) ports(have []string, want []kind.Ref) {
	missing, surplus := split(have, want)
	for _, id := range missing {
		u.patiently(cloud.Call{Method: http.MethodPost, Path: "/os-interface", Body: map[string]any{"interfaceAttachment": map[string]any{"port_id": id}}})
	}
	u.letGo("/os-interface/", "port", surplus)
}

func (u *update) volumes(w kind.Want[Spec], have *State) {
	boot := ""
	if w.Spec.BootVolume != nil {
		if boot = w.Ref("Volume", w.Spec.BootVolume.VolumeRef).ID; boot == "" {
			return // or the boot volume would be taken for a surplus one
		}
	}
	missing, surplus := split(have.dataVolumes(boot), volumeRefs(w))
	for _, v := range w.Spec.Volumes {
		if id := w.Ref("Volume", v.VolumeRef).ID; slices.Contains(missing, id) {
			attachment := map[string]any{"volumeId": id}
			cloud.Put(attachment, "device", v.Device)
			u.patiently(cloud.Call{Method: http.MethodPost, Path: "/os-volume_attachments", Body: map[string]any{"volumeAttachment": attachment}})
		}
	}
	u.letGo("/os-volume_attachments/", "volume", surplus)
}

// letGo detaches things, and reports that the server is busy as long as there
// are any.
func (u *update) letGo(path, what string, ids []string) {
	for _, id := range ids {
		u.patiently(cloud.Call{Method: http.MethodDelete, Path: path + id})
	}
	if len(ids) > 0 && u.err == nil {
		u.err = fmt.Errorf("%w: the server is letting go of %s %s", kind.ErrBusy, what, strings.Join(ids, ", "))
	}
}

// patiently makes a request that Nova rejects while what it is about is still
// on its way elsewhere: it says 400 where others say 409.
func (u *update) patiently(call cloud.Call) {
	if u.err != nil {
		return
	}
	u.do(call)
	switch {
	case errors.Is(u.err, kind.ErrGone) && call.Method == http.MethodDelete:
		u.err = nil
	case errors.Is(u.err, kind.ErrRejected):
		u.err = fmt.Errorf("%w: %s", kind.ErrBusy, u.err.Error())
	}
}

// split compares what is there with what shall be.
func split(have []string, want []kind.Ref) (missing, surplus []string) {
	surplus = slices.Clone(have)
	for _, ref := range want {
		if !slices.Contains(have, ref.ID) {
			missing = append(missing, ref.ID)
		}
		surplus = slices.DeleteFunc(surplus, func(id string) bool { return id == ref.ID })
	}
	return missing, surplus
}
