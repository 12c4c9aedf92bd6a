package define

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Standard are the attributes that the network service's own resources have.
// (neutron-lib api/definitions: standard attributes)
type Standard struct {
	ID   string `json:"id" api:"id"`
	Name string `json:"name" api:"name"`
	// Described is the description with the mark that may stand in it.
	Described string    `json:"description" api:"description"`
	ProjectID string    `json:"project_id" api:"project_id"`
	Tags      []string  `json:"tags" api:"tags"`
	Revision  int       `json:"revision_number" api:"revision_number"`
	CreatedAt time.Time `json:"created_at" api:"created_at"`
	UpdatedAt time.Time `json:"updated_at" api:"updated_at"`
}

// Description is the description that people wrote, without a mark.
func (b Standard) Description() string {
	own, _ := mark.InDescription(b.Described)
	return own
}

// MarkInDescription reports whether the mark stands in the description, so that every
// update writes that.
func (b Standard) MarkInDescription() bool {
	_, m := mark.InDescription(b.Described)
	return m != nil
}

// Mark finds the owner mark, in the tags and in the description.
func (b Standard) Mark() *kind.Mark { return mark.InLabels(b.Tags, b.Described) }

// UserTags are the tags that are not ours, sorted.
func (b Standard) UserTags() []string { return mark.UserTags(b.Tags) }

// unlabelled is an answer whose description and tags are without the mark, and the standard attributes with it. The answer, which
// others may have, too, stays as it is.
func unlabelled(answer table.Attributes) (table.Attributes, *Standard, error) {
	all := new(Standard)
	if err := table.Read(answer, all); err != nil {
		return nil, nil, err
	}
	rest := table.Attributes{}
	maps.Copy(rest, answer)
	if own := all.Description(); own != all.Described || own == "" { // null is no description either
		rest["description"] = encoded(own)
	}
	if own := all.UserTags(); !slices.Equal(own, all.Tags) {
		rest["tags"] = encoded(own)
	}
	return rest, all, nil
}

func encoded[T string | []string](value T) json.RawMessage {
	text, _ := json.Marshal(value) // texts are never refused
	return text
}

// Labels are the description and tags a manifest asks for.
type Labels struct {
	Description string
	Tags        []string
	// MarkInTags keeps the mark out of the description: for objects without a name by which
	// they would still be found, and where others are meant to write the description.
	MarkInTags bool
	// Guarded has the mark in the description where it fits, on clouds whose tags can be
	// written by everybody who sees the object: for objects that are shared with other projects.
	Guarded bool
	// Elsewhere has the mark in the description on all clouds, or nowhere: for objects in another
	// project.
	Elsewhere bool
}

// Labels are the description and tags that the manifest asks for.
func (d *Driver[Spec, Filter, More]) Labels(w typed.Want[Spec]) Labels {
	others, shared := w.OthersWrite(table.Path("description")), d.shares(w) || d.fields.Present("shared", w.Spec) == true
	l := Labels{MarkInTags: others || d.of.MarkInTags && !shared, Guarded: shared && !others}
	if elsewhere(d.Client, w) != "" {
		l = Labels{Guarded: true, Elsewhere: true}
	}
	l.Description, _ = d.fields.Present("description", w.Spec).(string)
	if tags, ok := d.fields.Present("tags", w.Spec).([]any); ok {
		for _, tag := range tags {
			l.Tags = append(l.Tags, tag.(string))
		}
	}
	return l
}

// PostLabelled makes an object with the mark m, in one request where the cloud can. body has its
// attributes but description and tags, which [Labels] have. With [mark.Begun], it is
// made in one request, and shall be finished by [Driver.Finish].
func (d *Driver[Spec, Filter, More]) PostLabelled(ctx context.Context, body map[string]any, m kind.Mark, l Labels) (*State[Spec, More], error) {
	answer, err := d.labels().post(ctx, body, m, l)
	if err != nil {
		return nil, err
	}
	return d.read(answer)
}

// OneRequest reports whether [Driver.PostLabelled] makes an object with these labels in
// one request.
func (d *Driver[Spec, Filter, More]) OneRequest(ctx context.Context, m kind.Mark, l Labels) (bool, error) {
	return d.labels().oneRequest(ctx, m, l)
}

// Finish writes fields and the mark m on an object that was made with [mark.Begun], which
// takes in what the cloud answers to fields.
func (d *Driver[Spec, Filter, More]) Finish(ctx context.Context, made *State[Spec, More], fields map[string]any, m kind.Mark, l Labels) error {
	now := *made.Standard
	now.Revision = 0 // the other requests have raised it
	answer, err := d.labels().update(ctx, &now, []kind.Change{{Field: "spec.resource.tags"}}, fields, m, l)
	if err == nil && answer != nil {
		answer, _, err = unlabelled(answer)
		if err == nil {
			err = made.Read(answer)
		}
	}
	made.Standard, made.Mark = &now, now.Mark()
	return err
}

func (d *Driver[Spec, Filter, More]) labels() labels {
	return labels{d.Client, d.of.Collection, d.fields.Extensions()}
}

// IsRouterPort reports, by a port's device_owner, whether it is, or shall become, the
// interface of a router. (neutron-lib constants.py: ROUTER_INTERFACE_OWNERS)
func IsRouterPort(deviceOwner string) bool {
	return strings.HasPrefix(deviceOwner, "network:router_interface") || deviceOwner == "network:ha_router_replicated_interface"
}
