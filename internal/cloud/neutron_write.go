package cloud

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// CreateNeutron makes an object. body has its attributes but description and
// tags, which carry the mark:
//
//	cloud with tag-creation     POST with tags and description
//	other clouds                POST with the mark behind the description
//	there, where it may not     POST with the mark as description, PUT the tags,
//	stand there for ever        PUT the description
//
// It may not if the object has tags of its own, which take a request anyway, or if it
// has no room. Whatever of the third way a kill leaves behind is recognised by its
// description and finished by [UpdateNeutron]. So is an object whose mark says that
// nothing is applied yet: it is made in one request, for [FinishNeutron].
func CreateNeutron[S any](ctx context.Context, c *Client, k NeutronKind, body map[string]any, m kind.Mark, l Labels) (*S, error) {
	tagged, err := c.hasExtension(ctx, "standard-attr-tag")
	if err != nil {
		return nil, err
	}
	if !tagged {
		return nil, fmt.Errorf("%w: the network service lacks the extension standard-attr-tag; without tags the owner of this %s could not be found later", kind.ErrRejected, strings.ReplaceAll(k.Singular, "_", " "))
	}
	inCreate, err := c.hasExtension(ctx, "tag-creation")
	if err != nil {
		return nil, err
	}
	body = maps.Clone(body)
	text, fits := c.markInText(l, m)
	later := false
	switch {
	case inCreate:
		body["description"], body["tags"] = l.Description, mark.Tags(m, l.Tags)
	case m.Applied != "" && fits && len(l.Tags) == 0:
		body["description"] = text
	default:
		body["description"], later = mark.Text(m), m.Applied != ""
	}
	made, base := new(S), NeutronBase{}
	if err := c.writeNeutron(ctx, http.MethodPost, k, k.Collection, body, nil, made, &base); err != nil || !later {
		return made, err
	}
	if err := c.putTags(ctx, k, base.ID, mark.Tags(m, l.Tags)); err != nil {
		return nil, err
	}
	made = new(S)
	return made, c.writeNeutron(ctx, http.MethodPut, k, k.Collection+"/"+base.ID, map[string]any{"description": l.Description}, nil, made)
}

// OneRequest reports whether [CreateNeutron] makes an object with these labels in
// one request.
func (c *Client) OneRequest(ctx context.Context, m kind.Mark, l Labels) (bool, error) {
	inCreate, err := c.hasExtension(ctx, "tag-creation")
	_, fits := c.markInText(l, m)
	return inCreate || fits && len(l.Tags) == 0, err
}

// FinishNeutron writes the mark m on an object that was made with [mark.Begun], together
// with fields. base is what the object bears, and is kept up to date; state, unless
// it is nil, takes in what the cloud answers to fields.
func FinishNeutron(ctx context.Context, c *Client, k NeutronKind, base *NeutronBase, state any, fields map[string]any, m kind.Mark, l Labels) error {
	base.Revision = 0 // the other requests have raised it
	u := neutronUpdate{c, k, base, state}
	return u.do(ctx, []kind.Change{{Field: "spec.resource.tags"}}, fields, m, l)
}

// UpdateNeutron writes changed attributes and the mark, which comes last; fields may
// be empty. The mark stays where it is, in the tags or in the description, unless it
// has no room there any more. The attributes are only written if nobody changed the
// object since it was observed, where the cloud can say. Labels that are not
// among the changes stay as they are: somebody else may look after them.
func UpdateNeutron(ctx context.Context, c *Client, k NeutronKind, have NeutronBase, changes []kind.Change, fields map[string]any, m kind.Mark, l Labels) error {
	u := neutronUpdate{c, k, &have, nil}
	return u.do(ctx, changes, fields, m, l)
}

// neutronUpdate is an update of one object.
type neutronUpdate struct {
	c     *Client
	k     NeutronKind
	have  *NeutronBase
	state any // takes in the object as it is answered; nil for nothing
}

func (u neutronUpdate) do(ctx context.Context, changes []kind.Change, fields map[string]any, m kind.Mark, l Labels) error {
	own, inText := mark.InDescription(u.have.Described)
	begun := inText != nil && inText.Applied == ""
	if !begun && !kind.Has(changes, "spec.resource.tags") {
		l.Tags = u.have.UserTags()
	}
	if !begun && !kind.Has(changes, "spec.resource.description") {
		l.Description = own
	}
	text, tags := l.Description, mark.Tags(m, l.Tags)
	if marked, fits := u.c.markInText(l, m); inText != nil && fits && mark.InTags(u.have.Tags) == nil && (!begun || len(l.Tags) == 0) {
		text, tags = marked, slices.Compact(append([]string{}, slices.Sorted(slices.Values(l.Tags))...)) // null is no list
	}
	fields = maps.Clone(fields)
	if fields == nil {
		fields = map[string]any{}
	}
	if text != u.have.Described {
		fields["description"] = text
	}
	if inText == nil { // the mark is in the tags, and comes last
		if err := u.putFields(ctx, fields, true); err != nil {
			return err
		}
		return u.putTags(ctx, tags)
	}
	same := slices.Equal(tags, slices.Sorted(slices.Values(u.have.Tags))) // or the revision is raised
	if err := u.putTags(ctx, tags); err != nil {
		return err
	}
	return u.putFields(ctx, fields, same && !begun)
}

// putFields writes attributes, on condition that the object is as it was seen.
func (u neutronUpdate) putFields(ctx context.Context, fields map[string]any, conditional bool) (err error) {
	if len(fields) == 0 {
		return nil
	}
	var header map[string]string
	if conditional && u.have.Revision > 0 {
		if header, err = u.c.ifUnchanged(ctx, *u.have); err != nil {
			return err
		}
	}
	var now NeutronBase // what was observed is read by others meanwhile
	into := []any{&now}
	if u.state != nil {
		into = append(into, u.state)
	}
	if err := u.c.writeNeutron(ctx, http.MethodPut, u.k, u.k.Collection+"/"+u.have.ID, fields, header, into...); err != nil {
		return err
	}
	*u.have = now
	return nil
}

// putTags writes the tags, which are sorted, where others are there.
func (u neutronUpdate) putTags(ctx context.Context, tags []string) error {
	if slices.Equal(tags, slices.Sorted(slices.Values(u.have.Tags))) {
		return nil
	}
	if err := u.c.putTags(ctx, u.k, u.have.ID, tags); err != nil {
		return err
	}
	u.have.Tags = tags
	return nil
}
