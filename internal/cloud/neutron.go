package cloud

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/reconcile"
)

// NeutronKind names a collection of Neutron's as in its path
// ("security-groups"), and how one of it is called in a body
// ("security_group").
type NeutronKind struct{ Collection, Singular string }

// NeutronBase are the attributes that every Neutron resource has. Kinds embed
// it in their state. (neutron-lib api/definitions: standard attributes)
type NeutronBase struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	ProjectID   string    `json:"project_id"`
	Tags        []string  `json:"tags"`
	Revision    int       `json:"revision_number"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// Mark finds the owner mark: in the tags, or, while the object is half-made,
// in the description. Two owners are rivals, wherever they stand.
func (b NeutronBase) Mark() *reconcile.Mark {
	inTags, inText := MarkInTags(b.Tags), MarkInText(b.Description)
	if inTags == nil {
		return inText
	}
	return reconcile.Claimed(append(inTags.Owners(), inText.Owners()...), inTags.Applied, inTags.Keep)
}

// UserTags are the tags that are not ours, sorted.
func (b NeutronBase) UserTags() []string { return UserTags(b.Tags) }

// Live is the part of a live object that is the same for every Neutron kind.
func Live[S any](c *Client, b NeutronBase, state *S) reconcile.Live[*S] {
	return reconcile.Live[*S]{ID: b.ID, Name: b.Name, Mark: b.Mark(), Mine: b.ProjectID == c.ProjectID, Phase: reconcile.Ready, Created: b.CreatedAt, Updated: b.UpdatedAt, State: state}
}

// IsRouterPort tells by a port's device_owner whether it is, or shall become, the
// interface of a router. (neutron-lib constants.py: ROUTER_INTERFACE_OWNERS)
func IsRouterPort(deviceOwner string) bool {
	return strings.HasPrefix(deviceOwner, "network:router_interface") || deviceOwner == "network:ha_router_replicated_interface"
}

// Labels are the description and tags a manifest asks for.
type Labels struct {
	Description string
	Tags        []string
}

// Diff reports labels that are not as wanted.
func (b NeutronBase) Diff(want Labels, c *reconcile.Changes) {
	reconcile.Field(c, "spec.resource.description", b.Description, want.Description)
	reconcile.Set(c, "spec.resource.tags", b.UserTags(), want.Tags, reconcile.InPlace)
}

// CreateNeutron makes an object. body has its attributes but description and
// tags, which carry the mark:
//
//	cloud with tag-creation   POST with tags and description
//	other clouds              POST with the mark as description, PUT the tags,
//	                          PUT the description
//
// Whatever of the second way a kill leaves behind is recognised by its
// description and finished by [UpdateNeutron].
func CreateNeutron[S any](ctx context.Context, c *Client, k NeutronKind, body map[string]any, m reconcile.Mark, l Labels) (*S, error) {
	tagged, err := c.hasExtension(ctx, "standard-attr-tag")
	if err != nil {
		return nil, err
	}
	if !tagged {
		return nil, fmt.Errorf("%w: the network service lacks the extension standard-attr-tag; without tags nobody could tell later whose %s this is", reconcile.ErrRejected, strings.ReplaceAll(k.Singular, "_", " "))
	}
	inCreate, err := c.hasExtension(ctx, "tag-creation")
	if err != nil {
		return nil, err
	}
	body = maps.Clone(body)
	if inCreate {
		body["description"], body["tags"] = l.Description, Tags(m, l.Tags)
	} else {
		body["description"] = MarkText(m)
	}
	made, id, err := writeNeutron[S](ctx, c, http.MethodPost, k, k.Collection, body, nil)
	if err != nil || inCreate {
		return made, err
	}
	return finishNeutron[S](ctx, c, k, id, m, l)
}

// finishNeutron moves the mark from the description to the tags.
func finishNeutron[S any](ctx context.Context, c *Client, k NeutronKind, id string, m reconcile.Mark, l Labels) (*S, error) {
	if err := c.putTags(ctx, k, id, Tags(m, l.Tags)); err != nil {
		return nil, err
	}
	done, _, err := writeNeutron[S](ctx, c, http.MethodPut, k, k.Collection+"/"+id, map[string]any{"description": l.Description}, nil)
	return done, err
}

// UpdateNeutron writes changed attributes, then the tags, then, on a half-made
// object, the description. fields may be empty. The attributes are only
// written if nobody changed the object since it was observed, where the cloud
// can tell. Labels that are not among the changes stay as they are: somebody
// else may look after them.
func UpdateNeutron(ctx context.Context, c *Client, k NeutronKind, have NeutronBase, changes []reconcile.Change, fields map[string]any, m reconcile.Mark, l Labels) error {
	fields = maps.Clone(fields)
	if fields == nil {
		fields = map[string]any{}
	}
	halfMade := MarkInTags(have.Tags) == nil && MarkInText(have.Description) != nil
	if !halfMade && !reconcile.Has(changes, "spec.resource.tags") {
		l.Tags = have.UserTags()
	}
	if !halfMade && reconcile.Has(changes, "spec.resource.description") {
		fields["description"] = l.Description
	}
	if len(fields) > 0 {
		header, err := c.ifUnchanged(ctx, have)
		if err != nil {
			return err
		}
		if _, _, err := writeNeutron[struct{}](ctx, c, http.MethodPut, k, k.Collection+"/"+have.ID, fields, header); err != nil {
			return err
		}
	}
	if tags := Tags(m, l.Tags); !slices.Equal(tags, slices.Sorted(slices.Values(have.Tags))) {
		if err := c.putTags(ctx, k, have.ID, tags); err != nil {
			return err
		}
	}
	if halfMade {
		_, _, err := writeNeutron[struct{}](ctx, c, http.MethodPut, k, k.Collection+"/"+have.ID, map[string]any{"description": l.Description}, nil)
		return err
	}
	return nil
}

// ifUnchanged makes a write conditional, where Neutron takes conditions: others
// answer 400 (neutron/api/api_common.py: ensure_if_match_supported).
func (c *Client) ifUnchanged(ctx context.Context, have NeutronBase) (map[string]string, error) {
	conditional, err := c.hasExtension(ctx, "revision-if-match")
	if err != nil || !conditional {
		return nil, err
	}
	return map[string]string{"If-Match": fmt.Sprintf("revision_number=%d", have.Revision)}, nil
}

func writeNeutron[S any](ctx context.Context, c *Client, method string, k NeutronKind, path string, fields map[string]any, header map[string]string) (state *S, id string, err error) {
	var answer map[string]json.RawMessage
	err = c.Do(ctx, Call{Service: Network, Method: method, Path: path, Body: map[string]any{k.Singular: fields}, Into: &answer, Headers: header})
	if err != nil {
		return nil, "", err
	}
	state = new(S)
	var base NeutronBase
	if err := json.Unmarshal(answer[k.Singular], &base); err != nil {
		return nil, "", fmt.Errorf("network: %s /%s: %w", method, path, err)
	}
	if err := json.Unmarshal(answer[k.Singular], state); err != nil {
		return nil, "", fmt.Errorf("network: %s /%s: %w", method, path, err)
	}
	return state, base.ID, nil
}

func (c *Client) putTags(ctx context.Context, k NeutronKind, id string, tags []string) error {
	return c.Do(ctx, Call{Service: Network, Method: http.MethodPut, Path: k.Collection + "/" + id + "/tags", Body: map[string]any{"tags": tags}})
}

// ListNeutron reads a collection; query may narrow it ("?device_owner=…").
func ListNeutron[S any](ctx context.Context, c *Client, k NeutronKind, query string) ([]S, error) {
	return List[S](ctx, c, Call{Service: Network, Path: k.Collection + query}, strings.ReplaceAll(k.Collection, "-", "_"))
}

// DeleteNeutron deletes an object. Neutron has forgotten it when it answers.
func DeleteNeutron(ctx context.Context, c *Client, k NeutronKind, id string) (gone bool, err error) {
	err = c.Do(ctx, Call{Service: Network, Method: http.MethodDelete, Path: k.Collection + "/" + id})
	return err == nil, err
}

// ListLive reads a collection and gives every object of it its live shape.
func ListLive[S any](ctx context.Context, c *Client, k NeutronKind, query string, live func(*S) reconcile.Live[*S]) ([]reconcile.Live[*S], error) {
	list, err := ListNeutron[S](ctx, c, k, query)
	if err != nil {
		return nil, err
	}
	out := make([]reconcile.Live[*S], len(list))
	for i := range list {
		out[i] = live(&list[i])
	}
	return out, nil
}
