package define

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// Standard are the attributes of the network service's own resources. (neutron-lib api/definitions: standard attributes)
type Standard struct {
	ID   string `json:"id" api:"id" show:"-"`
	Name string `json:"name" api:"name" show:"-"`
	// Described is the description, with the mark if the mark is in it.
	Described string     `json:"description" api:"description" show:"-"`
	ProjectID string     `json:"project_id" api:"project_id" show:"projectID"`
	Tags      []string   `json:"tags" api:"tags" show:"-"`
	Revision  int        `json:"revision_number" api:"revision_number" show:"revisionNumber"`
	CreatedAt table.Time `json:"created_at,omitempty" api:"created_at" show:"createdAt"`
	UpdatedAt table.Time `json:"updated_at,omitempty" api:"updated_at" show:"updatedAt"`
}

// MarkInDescription reports whether the mark is in the description. If it is, every update writes the description.
func (b *Standard) MarkInDescription() bool {
	_, m := mark.InDescription(b.Described)
	return m != nil
}

// inLabels is the [marking] of the network service's own resources. The mark is in the labels of an object: its tags and its
// description.
type inLabels[Spec, Filter, More any] struct {
	*Driver[Spec, Filter, More]
	to labeller
}

// read does not change answer, because other clients may share it.
func (l inLabels[Spec, Filter, More]) read(answer table.Attributes, s *State[Spec, More]) (table.Attributes, error) {
	all := new(Standard)
	if err := table.Read(answer, all); err != nil {
		return nil, err
	}
	s.Standard, s.Mark = all, mark.InLabels(all.Tags, all.Described)
	rest := table.Attributes{}
	maps.Copy(rest, answer)
	if own, _ := mark.InDescription(all.Described); own != all.Described || own == "" { // null counts as no description
		rest["description"] = encoded(own)
	}
	if own := mark.UserTags(all.Tags); !slices.Equal(own, all.Tags) {
		rest["tags"] = encoded(own)
	}
	return rest, nil
}

func encoded[T string | []string](value T) json.RawMessage {
	text, _ := json.Marshal(value) // text can always be encoded
	return text
}

func (l inLabels[Spec, Filter, More]) post(ctx context.Context, w typed.Want[Spec], body, last map[string]any) (table.Attributes, error) {
	return l.to.post(ctx, body, last, w.Mark, l.labels(w))
}

func (l inLabels[Spec, Filter, More]) write(ctx context.Context, n *Change[Spec, More]) (table.Attributes, error) {
	if n.Now == nil {
		seen := *n.Have.State.Standard // other clients read it at the same time
		n.Now = &seen
	}
	if n.Raised {
		n.Now.Revision = 0
	}
	if n.Want.Mark.Owner == "" {
		return nil, l.to.unmark(ctx, n.Now)
	}
	return l.to.update(ctx, n.Now, n.Changes, n.Fields, n.Want.Mark, l.labels(n.Want))
}

// labels are the description and the tags that an object is to have, without its mark.
type labels struct {
	description string
	tags        []string
	mark        markPlace
}

// markPlace is the place of the mark among the labels.
type markPlace int

const (
	// usualPlace means that the mark is in the description if it fits there and the configuration says so, and in the tags
	// otherwise. The mark of an existing object stays in the label where it is.
	usualPlace markPlace = iota
	// tagged means that the mark is in the tags. Objects whose name is not unique need it, because they are found by their
	// tags. Objects whose description is written by others need it, too.
	tagged
	// guarded means that the mark is in the description, if it fits there and if everybody who sees an object can write its
	// tags in this cloud. Objects that are shared with other projects need it.
	guarded
	// foreign means that the mark is in the description on all clouds, or nowhere. Objects in another project need it.
	foreign
)

// labels returns the labels that the manifest gives, and the place that the mark has to have.
func (d *Driver[Spec, Filter, More]) labels(w typed.Want[Spec]) labels {
	l := labels{tags: d.tags(w.Spec)}
	l.description, _ = d.fields.ValueIn("description", w.Spec).(string)
	shared := sharesIn(w.Spec).any() || d.fields.ValueIn("shared", w.Spec) == true
	switch {
	case d.otherProject(w) != "":
		l.mark = foreign
	case w.OthersWrite(table.Path("description")):
		l.mark = tagged
	case shared:
		l.mark = guarded
	case d.of.MarkInTags:
		l.mark = tagged
	}
	return l
}

// tags are the tags of a spec, desired or read.
func (d *Driver[Spec, Filter, More]) tags(s *Spec) (tags []string) {
	list, _ := d.fields.ValueIn("tags", s).([]any)
	for _, tag := range list {
		tags = append(tags, tag.(string))
	}
	return tags
}

// IsRouterPort reports whether a port with this device_owner is, or will become, the interface of a router. (neutron-lib
// constants.py: ROUTER_INTERFACE_OWNERS)
func IsRouterPort(deviceOwner string) bool {
	return strings.HasPrefix(deviceOwner, "network:router_interface") || deviceOwner == "network:ha_router_replicated_interface"
}
