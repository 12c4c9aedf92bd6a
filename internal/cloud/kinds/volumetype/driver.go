package volumetype

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// validate rejects extra specs that Cinder does not accept. (cinder/api/validation/parameter_types.py: extra_specs)
func validate(s *Spec, r *kind.Report) {
	seen := map[string]bool{}
	for i, e := range s.ExtraSpecs {
		if seen[e.Name] {
			r.Problem(fmt.Sprintf("spec.resource.extraSpecs[%d].name", i), "is given twice", "keep one of the two")
		}
		seen[e.Name] = true
	}
}

// update changes the extra specs with one request for each, and then writes the other fields with the mark.
func update(ctx context.Context, d driver, n define.Change[Spec, struct{}]) error {
	if specs, changed := n.Fields["extra_specs"].(map[string]string); changed {
		if err := setSpecs(ctx, d, d.Path(n.Have.ID)+"/extra_specs", n.Have.State.Spec.ExtraSpecs, specs); err != nil {
			return err
		}
	}
	n.Fields = maps.Clone(n.Fields)
	delete(n.Fields, "extra_specs")
	const made = "os-volume-type-access:is_public"
	if public, changed := n.Fields[made]; changed {
		n.Fields["is_public"] = public
		delete(n.Fields, made)
	}
	return d.Write(ctx, n)
}

func setSpecs(ctx context.Context, d driver, path string, have []define.NameValue, want map[string]string) error {
	if len(want) > 0 {
		if err := d.Client.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodPost, Path: path, Body: map[string]any{"extra_specs": want}}); err != nil {
			return err
		}
	}
	for _, e := range slices.Clone(have) {
		if _, stays := want[e.Name]; stays {
			continue
		}
		err := d.Client.Do(ctx, cloud.Call{Service: cloud.BlockStorage, Method: http.MethodDelete, Path: path + "/" + url.PathEscape(e.Name)})
		if err != nil && !errors.Is(err, kind.ErrGone) {
			return err
		}
	}
	return nil
}

// remove deletes the type. If volumes of the type are being deleted, the error means that the agent tries again
// later. Otherwise the error names one of the volumes that have the type.
func remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	if gone, err = d.Remove(ctx, have.ID); err == nil || !strings.Contains(err.Error(), inUse) {
		return gone, err
	}
	type volume struct {
		ID      string `json:"id"`
		Status  string `json:"status"`
		Project string `json:"os-vol-tenant-attr:tenant_id"`
	}
	path := "volumes/detail?all_tenants=1&volume_type_id=" + url.QueryEscape(have.ID) // administrators can filter volumes by this attribute
	all, unread := cloud.List[volume](ctx, d.Client, cloud.Call{Service: cloud.BlockStorage, Path: path}, "volumes")
	leaving := func(v volume) bool {
		return strings.HasPrefix(v.Status, "deleting") || strings.HasPrefix(v.Status, "retyping")
	}
	if unread != nil || len(all) == 0 || slices.ContainsFunc(all, leaving) {
		return false, cloud.Passes(err, inUse)
	}
	return false, fmt.Errorf("%w; %d volumes have it, such as %s of project %s: retype or delete them, or keep the type with the annotation stackreeve.dev/on-delete: detach", err, len(all), all[0].ID, all[0].Project)
}

const inUse = "still in use"
