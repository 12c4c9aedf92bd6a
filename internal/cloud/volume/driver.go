package volume

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// whileInUse is the microversion from which an attached volume can grow.
// (cinder/api/openstack/rest_api_version_history.rst)
const whileInUse = "3.42"

type driver struct{ c *cloud.Client }

func (d driver) live(s *State) kind.Live[*State] {
	l := kind.Live[*State]{ID: s.ID, Name: s.Name, Mark: cloud.MarkInMetadata(s.Metadata), State: s,
		Mine: cloud.Or(s.ProjectID, d.c.ProjectID) == d.c.ProjectID}
	l.Phase, l.Message = s.phase()
	l.Copied, l.InUse = s.copied(), len(s.Attachments) > 0 || s.Status == "in-use"
	l.Created, _ = time.Parse(timeFormat, s.CreatedAt)
	if l.Mark != nil && l.Mark.Applied == "" {
		l.Mark.Applied = kind.Unreadable // it is made in one request: somebody has emptied the digest
	}
	return l
}

func (d driver) List(ctx context.Context) ([]kind.Live[*State], error) {
	list, err := cloud.List[State](ctx, d.c, cloud.Call{Service: cloud.BlockStorage, Path: "volumes/detail"}, "volumes")
	if err != nil {
		return nil, err
	}
	out := make([]kind.Live[*State], len(list))
	for i := range list {
		out[i] = d.live(&list[i])
	}
	return out, nil
}

func (d driver) Create(ctx context.Context, w kind.Want[Spec]) (kind.Live[*State], error) {
	want := w.Spec
	body := map[string]any{"name": rules{}.Name(w), "size": want.Size, "metadata": cloud.Metadata(w.Mark, metadata(want))}
	cloud.Put(body, "description", want.Description)
	if want.AvailabilityZone != "" {
		body["availability_zone"] = want.AvailabilityZone
	}
	if t := w.Ref("VolumeType", want.VolumeTypeRef); t.Name != "" {
		body["volume_type"] = t.ID
	}
	if image := w.Ref("Image", want.ImageRef); image.Name != "" {
		body["imageRef"] = image.ID
	}
	var answer struct {
		Volume State `json:"volume"`
	}
	err := d.c.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "volumes",
		Body: map[string]any{"volume": body}, Into: &answer})
	if err != nil {
		return kind.Live[*State]{}, err
	}
	return d.live(&answer.Volume), nil
}

func (d driver) Update(ctx context.Context, w kind.Want[Spec], have kind.Live[*State], changes []kind.Change) error {
	path := "volumes/" + have.ID
	if kind.Has(changes, "spec.resource.size") {
		if err := d.grow(ctx, w, have); err != nil {
			return err
		}
	}
	fields := cloud.Changed(changes, map[string]cloud.Attribute{
		"spec.resource.name":        {Name: "name", Value: rules{}.Name(w)},
		"spec.resource.description": {Name: "description", Value: cloud.Or(w.Spec.Description, "")},
	})
	if len(fields) > 0 {
		err := d.c.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPut, Path: path, Body: map[string]any{"volume": fields}})
		if err != nil {
			return err
		}
	}
	user := cloud.UserMetadata(have.State.Metadata)
	if kind.Has(changes, "spec.resource.metadata") {
		user = metadata(w.Spec)
	}
	all := cloud.Metadata(w.Mark, user)
	all[cloud.SelfKey] = have.ID
	return d.c.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPut, Path: path + "/metadata", Body: map[string]any{"metadata": all}})
}

func (d driver) grow(ctx context.Context, w kind.Want[Spec], have kind.Live[*State]) error {
	version := ""
	if have.State.Status == "in-use" {
		var err error
		if version, err = d.c.Require(ctx, cloud.BlockStorage, whileInUse, "volumes that grow while they are attached"); err != nil {
			return err
		}
	}
	err := d.c.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: "volumes/" + have.ID + "/action",
		Body: map[string]any{"os-extend": map[string]any{"new_size": w.Spec.Size}}, Microversion: version})
	given := err != nil && (strings.Contains(err.Error(), "currently reserved") || version == "" && strings.Contains(err.Error(), "currently in-use"))
	if given && errors.Is(err, kind.ErrRejected) {
		return fmt.Errorf("%w: a server is just being given it: %s", kind.ErrBusy, err.Error())
	}
	return err
}

// Delete asks Cinder to delete the volume, which takes it a while. It answers
// 400 where others answer 409, if the volume is attached or has snapshots. One that
// another will take the place of is detached first.
func (d driver) Delete(ctx context.Context, have kind.Live[*State]) (bool, error) {
	if have.Remade {
		if err := d.detach(ctx, have); err != nil {
			return false, err
		}
	}
	err := d.c.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodDelete, Path: "volumes/" + have.ID})
	if errors.Is(err, kind.ErrRejected) {
		err = fmt.Errorf("%w: %s", kind.ErrBusy, err.Error())
	}
	return false, err
}

// detach pulls a volume out of its servers, and reports that it is busy until they
// have let go.
func (d driver) detach(ctx context.Context, have kind.Live[*State]) error {
	for _, a := range have.State.Attachments {
		err := d.c.Do(ctx, cloud.Call{Service: cloud.Compute, Method: http.MethodDelete, Path: "servers/" + a.ServerID + "/os-volume_attachments/" + have.ID})
		switch {
		case errors.Is(err, kind.ErrGone):
		case err != nil && !errors.Is(err, kind.ErrRejected):
			return fmt.Errorf("detach from server %s: %w", a.ServerID, err)
		case err != nil:
			return fmt.Errorf("%w: detach from server %s: %s", kind.ErrBusy, a.ServerID, err.Error())
		default:
			return fmt.Errorf("%w: server %s is letting go of it", kind.ErrBusy, a.ServerID)
		}
	}
	return nil
}
