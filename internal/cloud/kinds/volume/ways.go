package volume

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// migration maps each way to change the type to Cinder's migration policy. The policy
// says whether the data may be copied to other storage.
// (cinder/api/schemas/volume_actions.py: retype)
var migration = map[string]string{"retype": "never", "migrate": "on-demand"}

// byReimage is a way that writes an image over all data on a volume. reimaged is the
// first microversion that supports it. Cinder refuses it while a server uses the
// volume.
const byReimage, reimaged = "reimage", "3.68"

// wayTo returns the way in which the image or the type has to be changed; "" if neither
// changes. If both change, the image is first.
func wayTo(changes []kind.Change) string {
	if slices.ContainsFunc(changes, func(c kind.Change) bool { return c.Way == byReimage }) {
		return byReimage
	}
	for _, c := range changes {
		if migration[c.Way] != "" {
			return c.Way
		}
	}
	return ""
}

func retype(ctx context.Context, d driver, change define.Change[Spec, More], way string) error {
	if status := change.Have.State.More.Status; status != "available" && status != "in-use" {
		return fmt.Errorf("%w: the volume is %s, but its type can only be changed while it is available or in-use", kind.ErrBusy, status)
	}
	body := map[string]any{"new_type": change.Want.Ref("VolumeType", change.Want.Spec.VolumeTypeRef).ID, "migration_policy": migration[way]}
	return d.Client.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: d.Path(change.Have.ID) + "/action",
		Body: map[string]any{"os-retype": body}})
}

// noReimage returns why the image of a volume cannot be changed by reimage; "" if it
// can.
func noReimage(w typed.Want[Spec], have *table.Object[Spec, More], _ string) string {
	switch {
	case w.Spec.ImageRef == "":
		return "needs an image, but the manifest names no image"
	case len(have.More.Attachments) > 0 || have.More.Status == "in-use":
		return "needs a volume that is not attached to a server, but this volume is attached"
	}
	return ""
}

// reimage asks Cinder to write another image to the volume. The volume shows the new
// image when Cinder has finished. If Cinder fails, the volume gets the status error.
// (cinder/volume/manager.py: reimage)
func reimage(ctx context.Context, d driver, change define.Change[Spec, More]) error {
	version, err := d.Client.Require(ctx, cloud.BlockStorage, reimaged, "another image on a volume")
	if err != nil {
		return err
	}
	if status := change.Have.State.More.Status; status != "available" && status != "error" {
		return fmt.Errorf("%w: the volume is %s, but its image can only be changed while it is available", kind.ErrBusy, status)
	}
	body := map[string]any{"image_id": change.Want.Ref("Image", change.Want.Spec.ImageRef).ID}
	return d.Client.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: d.Path(change.Have.ID) + "/action", Microversion: version,
		Body: map[string]any{"os-reimage": body}})
}
