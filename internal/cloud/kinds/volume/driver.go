package volume

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// whileInUse is the first microversion in which an attached volume can grow.
// (cinder/api/openstack/rest_api_version_history.rst)
const whileInUse = "3.42"

type driver = *define.Driver[Spec, Filter, More]

// update changes the type and the size by separate requests. Cinder changes the type
// asynchronously. If Cinder cannot change it, the volume stays unchanged.
func update(ctx context.Context, d driver, change define.Change[Spec, More]) error {
	if change.Have.State.More.Status == backingUp && (wayTo(change.Changes) != "" || kind.Has(change.Changes, "spec.resource.size")) {
		return fmt.Errorf("%w: a backup of the volume is being made", kind.ErrBusy)
	}
	switch way := wayTo(change.Changes); {
	case way == byReimage:
		return reimage(ctx, d, change)
	case way != "":
		return retype(ctx, d, change, way)
	}
	if err := settled(change.Have.State); err != nil {
		return err
	}
	if kind.Has(change.Changes, "spec.resource.size") {
		if err := grow(ctx, d, change.Want.Spec.Size, change.Have); err != nil {
			return err
		}
		delete(change.Fields, "size")
	}
	if isRestored(change.Have.State) {
		return finish(ctx, d, change)
	}
	if !kind.Has(change.Changes, "spec.resource.metadata") {
		change.Fields["metadata"] = withoutCinders(change.Want.Spec, &change.Have.State.Object)
	}
	return d.Write(ctx, change)
}

func grow(ctx context.Context, d driver, size int, have typed.Live[state]) error {
	version := ""
	if have.State.More.Status == "in-use" {
		var err error
		if version, err = d.Client.Require(ctx, cloud.BlockStorage, whileInUse, "volumes that grow while they are attached"); err != nil {
			return err
		}
	}
	err := d.Client.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: d.Path(have.ID) + "/action",
		Body: map[string]any{"os-extend": map[string]any{"new_size": size}}, Microversion: version})
	given := []string{"currently reserved", "currently attaching"}
	if version == "" { // the volume was attached after the list was read
		given = append(given, "currently in-use")
	}
	return cloud.Passes(err, given...)
}

// remove asks Cinder to delete the volume, which takes some time. If the volume is
// attached or has snapshots, Cinder answers 400, where other services answer 409. If
// a new volume will replace this one, it is detached first.
func remove(ctx context.Context, d driver, have typed.Live[state]) (bool, error) {
	if have.Recreated {
		if err := detach(ctx, d.Client, have); err != nil {
			return false, err
		}
	}
	_, err := d.Remove(ctx, have.ID)
	if errors.Is(err, kind.ErrRejected) {
		err = blocked(ctx, d, have, err)
	}
	return false, err
}

// detach detaches a volume from its servers. Until they have detached it, it returns
// an error that means busy. It refuses if one of the servers does not belong to the
// stack.
func detach(ctx context.Context, c *cloud.Client, have typed.Live[state]) error {
	for _, a := range have.State.More.Attachments {
		if err := define.NotForeign(ctx, c, a.ServerID, have.Mark); err != nil {
			return err
		}
	}
	for _, a := range have.State.More.Attachments {
		err := c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "servers/" + a.ServerID + "/os-volume_attachments/" + have.ID})
		switch {
		case errors.Is(err, kind.ErrGone):
		case err != nil:
			return fmt.Errorf("detach from server %s: %w", a.ServerID, cloud.Passes(err, "Unable to detach volume", "must be attached"))
		default:
			return fmt.Errorf("%w: server %s is detaching it", kind.ErrBusy, a.ServerID)
		}
	}
	return nil
}
