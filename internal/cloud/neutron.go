package cloud

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// NeutronKind names a collection of Neutron's as in its path
// ("security-groups"), and how one of it is called in a body
// ("security_group").
type NeutronKind struct{ Collection, Singular string }

// NeutronBase are the attributes that every Neutron resource has. Kinds embed
// it in their state. (neutron-lib api/definitions: standard attributes)
type NeutronBase struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Described is the description with the mark that may stand in it.
	Described string    `json:"description"`
	ProjectID string    `json:"project_id"`
	Tags      []string  `json:"tags"`
	Revision  int       `json:"revision_number"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Description is what people wrote there, without a mark.
func (b NeutronBase) Description() string {
	own, _ := mark.InDescription(b.Described)
	return own
}

// MarkInDescription reports whether the mark stands in the description, so that every
// update writes that.
func (b NeutronBase) MarkInDescription() bool {
	_, m := mark.InDescription(b.Described)
	return m != nil
}

// Mark finds the owner mark, in the tags and in the description.
func (b NeutronBase) Mark() *kind.Mark { return mark.InLabels(b.Tags, b.Described) }

// UserTags are the tags that are not ours, sorted.
func (b NeutronBase) UserTags() []string { return mark.UserTags(b.Tags) }

// Live is the part of a live object that is the same for every Neutron kind.
func Live[S any](c *Client, b NeutronBase, state *S) kind.Live[*S] {
	return kind.Live[*S]{ID: b.ID, Name: b.Name, Mark: b.Mark(), Mine: b.ProjectID == c.ProjectID, Phase: kind.Ready, Created: b.CreatedAt, Updated: b.UpdatedAt, State: state}
}

// IsRouterPort reports, by a port's device_owner, whether it is, or shall become, the
// interface of a router. (neutron-lib constants.py: ROUTER_INTERFACE_OWNERS)
func IsRouterPort(deviceOwner string) bool {
	return strings.HasPrefix(deviceOwner, "network:router_interface") || deviceOwner == "network:ha_router_replicated_interface"
}

// Labels are the description and tags a manifest asks for.
type Labels struct {
	Description string
	Tags        []string
	// MarkInTags keeps the mark out of the description: for what has no name by which
	// it would still be found, and where others are meant to write the description.
	MarkInTags bool
}

// markInText puts the mark behind the description, where it can stay there; ok reports
// whether it can.
func (c *Client) markInText(l Labels, m kind.Mark) (text string, ok bool) {
	text, fits := mark.Description(m, l.Description)
	return text, fits && c.inText && !l.MarkInTags
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

// writeNeutron makes a request with attributes of an object, and reads the object
// that is answered into all of into.
func (c *Client) writeNeutron(ctx context.Context, method string, k NeutronKind, path string, fields map[string]any, header map[string]string, into ...any) error {
	var answer map[string]json.RawMessage
	err := c.Do(ctx, Call{Service: Network, Method: method, Path: path, Body: map[string]any{k.Singular: fields}, Into: &answer, Headers: header})
	if err != nil {
		return err
	}
	for _, state := range into {
		if err := json.Unmarshal(answer[k.Singular], state); err != nil {
			return fmt.Errorf("network: %s /%s: %w", method, path, err)
		}
	}
	return nil
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
func ListLive[S any](ctx context.Context, c *Client, k NeutronKind, query string, live func(*S) kind.Live[*S]) ([]kind.Live[*S], error) {
	list, err := ListNeutron[S](ctx, c, k, query)
	if err != nil {
		return nil, err
	}
	out := make([]kind.Live[*S], len(list))
	for i := range list {
		out[i] = live(&list[i])
	}
	return out, nil
}
