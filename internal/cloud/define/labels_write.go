package define

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// labels makes requests about objects of the network service that bear their marks in tags and description.
type labels struct {
	Client     *cloud.Client
	Collection Collection
	// extensions are those that attributes need.
	extensions map[string]string
}

// ifUnchanged makes a write conditional, where Neutron takes conditions: others
// answer 400 (neutron/api/api_common.py: ensure_if_match_supported).
func (n labels) ifUnchanged(ctx context.Context, have Standard) (map[string]string, error) {
	conditional, err := n.Client.HasExtension(ctx, "revision-if-match")
	if err != nil || !conditional {
		return nil, err
	}
	return map[string]string{"If-Match": fmt.Sprintf("revision_number=%d", have.Revision)}, nil
}

// send makes a request with attributes of the object with that ID, "" for a new one,
// and returns the object that is answered.
func (n labels) send(ctx context.Context, method, id string, fields map[string]any, header map[string]string) (table.Attributes, error) {
	address := strings.TrimSuffix(n.Collection.Path+"/"+id, "/")
	var answer map[string]table.Attributes
	err := n.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: method, Path: address, Body: map[string]any{n.Collection.Singular: fields}, Into: &answer, Headers: header})
	return answer[n.Collection.Singular], err
}

// sendTags writes all tags of an object.
func (n labels) sendTags(ctx context.Context, id string, tags []string) error {
	return n.Client.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: path.Base(n.Collection.Path) + "/" + id + "/tags", Body: map[string]any{"tags": tags}})
}

// post makes an object, and returns the answer. body has its
// attributes but description and tags, which carry the mark:
//
//	cloud with tag-creation     POST with tags and description
//	other clouds                POST with the mark behind the description
//	there, where it may not     POST with the mark as description, PUT the tags,
//	stand there for ever        PUT the description
//
// It may not if the object has tags of its own, which take a request anyway, or if it
// has no room. Whatever of the third way a kill leaves behind is recognised by its
// description and finished by [Driver.Write]. So is an object whose mark says
// that nothing is applied yet: it is made in one request, for [Driver.Finish].
func (n labels) post(ctx context.Context, body map[string]any, m kind.Mark, l Labels) (table.Attributes, error) {
	tagged, err := n.Client.HasExtension(ctx, "standard-attr-tag")
	if err != nil {
		return nil, err
	}
	if !tagged {
		return nil, fmt.Errorf("%w: the network service lacks the extension standard-attr-tag; without tags the owner of this %s could not be found later", kind.ErrRejected, strings.ReplaceAll(n.Collection.Singular, "_", " "))
	}
	inCreate, err := n.inCreate(ctx, l)
	if err != nil {
		return nil, err
	}
	body = maps.Clone(body)
	if err := n.leaveOut(ctx, body); err != nil {
		return nil, err
	}
	text, fits := n.markInText(l, m)
	if l.Elsewhere && !fits {
		return nil, errNoRoom
	}
	later := false
	switch {
	case inCreate:
		body["description"], body["tags"] = l.Description, mark.Tags(m, l.Tags)
	case m.Applied != "" && fits && len(l.Tags) == 0:
		body["description"] = text
	default:
		body["description"], later = mark.Text(m), m.Applied != ""
	}
	if !later {
		return n.send(ctx, http.MethodPost, "", body, nil)
	}
	made, err := n.send(ctx, http.MethodPost, "", body, nil)
	if err != nil {
		return nil, err
	}
	var base Standard
	if err := table.Read(made, &base); err != nil {
		return nil, err
	}
	described, tags := l.Description, mark.Tags(m, l.Tags)
	if l.Guarded && fits {
		described, tags = text, l.Tags
	}
	if err := n.sendTags(ctx, base.ID, tags); err != nil {
		return nil, err
	}
	return n.send(ctx, http.MethodPut, base.ID, map[string]any{"description": described}, nil)
}

// leaveOut takes attributes out of a body that the cloud lacks the extensions for: it would
// refuse all of it. What is left out is noted in the next plan.
func (n labels) leaveOut(ctx context.Context, body map[string]any) error {
	for attribute, alias := range n.extensions {
		if _, asked := body[attribute]; !asked {
			continue
		}
		has, err := n.Client.HasExtension(ctx, alias)
		if err != nil {
			return err
		}
		if !has {
			delete(body, attribute)
		}
	}
	return nil
}

// errNoRoom keeps the mark of what is in another project where it counts.
var errNoRoom = fmt.Errorf("%w: %s: it leaves no room for the mark of the owner, which stands behind it in another project; shorten it", kind.ErrRejected, table.Path("description"))

// inCreate reports whether the mark goes into the tags that a create request takes.
func (n labels) inCreate(ctx context.Context, l Labels) (bool, error) {
	if l.Elsewhere {
		return false, nil
	}
	return n.Client.HasExtension(ctx, "tag-creation")
}

// oneRequest reports whether an object with these labels is made in one request.
func (n labels) oneRequest(ctx context.Context, m kind.Mark, l Labels) (bool, error) {
	inCreate, err := n.inCreate(ctx, l)
	_, fits := n.markInText(l, m)
	return inCreate || fits && len(l.Tags) == 0, err
}

// markInText puts the mark behind the description, where it can stay there; ok reports
// whether it can.
func (n labels) markInText(l Labels, m kind.Mark) (text string, ok bool) {
	text, fits := mark.Description(m, l.Description)
	return text, fits && (n.Client.MarksInDescriptions || l.Guarded) && !l.MarkInTags
}

// update writes changed attributes and the mark, which comes last; fields may
// be empty. The mark stays where it is, in the tags or in the description, unless it
// has no room there any more. The attributes are only written if nobody changed the
// object since it was observed, where the cloud can say. Labels that are not
// among the changes stay as they are: somebody else may look after them. So does what a [Record] says.
//
// have holds the object's labels, and is kept up to date. The returned attributes are the cloud's answer; nil where none were written.
func (n labels) update(ctx context.Context, have *Standard, changes []kind.Change, fields map[string]any, m kind.Mark, l Labels) (table.Attributes, error) {
	own, inText := mark.InDescription(have.Described)
	begun := inText != nil && inText.Applied == ""
	if !begun && !kind.Has(changes, "spec.resource.tags") {
		l.Tags = have.UserTags()
	}
	if !begun && !kind.Has(changes, "spec.resource.description") {
		l.Description = own
	}
	records := mark.Records(have.Tags)
	text, tags := l.Description, mark.Tags(m, slices.Concat(l.Tags, records))
	stays, err := n.staysInText(ctx, have, l, begun)
	if err != nil {
		return nil, err
	}
	marked, fits := n.markInText(l, m)
	if l.Elsewhere && !fits {
		return nil, errNoRoom
	}
	if fits && stays {
		text, tags = marked, append(append([]string{}, l.Tags...), records...) // null is no list
		slices.Sort(tags)
		tags = slices.Compact(tags)
	}
	fields = maps.Clone(fields)
	if fields == nil {
		fields = map[string]any{}
	}
	if text != have.Described {
		fields["description"] = text
	}
	if inText == nil { // the mark is in the tags, and comes last
		answer, err := n.putFields(ctx, have, fields, true)
		if err == nil {
			err = n.putTags(ctx, have, tags)
		}
		return answer, err
	}
	same := slices.Equal(tags, slices.Sorted(slices.Values(have.Tags))) // or the revision is raised
	if err := n.putTags(ctx, have, tags); err != nil {
		return nil, err
	}
	return n.putFields(ctx, have, fields, same && !begun)
}

// staysInText reports whether the mark of an object is in the description, and can remain
// there, or is to go there. Zed has everybody who sees an object write its tags, but not its
// description; a cloud that takes tags in a create request asks who may write the object.
func (n labels) staysInText(ctx context.Context, have *Standard, l Labels, begun bool) (bool, error) {
	if !l.Guarded {
		return have.MarkInDescription() && mark.InTags(have.Tags) == nil && (!begun || len(l.Tags) == 0), nil
	}
	inCreate, err := n.inCreate(ctx, l)
	return !inCreate || have.MarkInDescription() && mark.InTags(have.Tags) == nil, err
}

// unmark takes the mark off an object: out of the description first, since the tags alone
// are a mark as good as both.
func (n labels) unmark(ctx context.Context, have *Standard) error {
	if own, m := mark.InDescription(have.Described); m != nil {
		if _, err := n.putFields(ctx, have, map[string]any{"description": own}, true); err != nil {
			return err
		}
	}
	return n.putTags(ctx, have, append([]string{}, have.UserTags()...)) // null is no list
}

// putFields writes attributes, on condition that the object is as it was seen.
func (n labels) putFields(ctx context.Context, have *Standard, fields map[string]any, conditional bool) (answer table.Attributes, err error) {
	if len(fields) == 0 {
		return nil, nil
	}
	var header map[string]string
	if conditional && have.Revision > 0 {
		if header, err = n.ifUnchanged(ctx, *have); err != nil {
			return nil, err
		}
	}
	if answer, err = n.send(ctx, http.MethodPut, have.ID, fields, header); err != nil {
		return nil, err
	}
	var now Standard // what was observed is read by others meanwhile
	if err := table.Read(answer, &now); err != nil {
		return nil, fmt.Errorf("network: PUT /%s/%s: %w", n.Collection.Path, have.ID, err)
	}
	*have = now
	return answer, nil
}

// putTags writes the tags, which are sorted, where others are there.
func (n labels) putTags(ctx context.Context, have *Standard, tags []string) error {
	if slices.Equal(tags, slices.Sorted(slices.Values(have.Tags))) {
		return nil
	}
	if err := n.sendTags(ctx, have.ID, tags); err != nil {
		return err
	}
	have.Tags = tags
	return nil
}
