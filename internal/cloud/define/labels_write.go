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

// labeller sends requests for objects of the network service that have their marks in labels.
type labeller struct {
	*cloud.Client
	Collection
	// extensions are the extensions that attributes need.
	extensions map[string]string
}

// post creates an object, and returns the answer. body has its attributes except the labels. The mark is in the labels:
//
//	cloud that accepts tags in a POST     POST with tags and description
//	other cloud, if the mark can stay     POST with the mark behind the description
//	in the description
//	other cloud, if the mark cannot stay  POST with the mark as description, PUT the tags,
//	in the description                    PUT the description
//
// The mark cannot stay in the description if there is no room for it, or if it belongs into the tags (see [markPlace]). Nor can it stay if
// the manifest has tags, which always need a separate request. If a kill interrupts the third way, the description shows that the object is half-made, and [Driver.Write] finishes it.
// If the mark says that nothing is applied yet, the object is created in one request, and [Driver.Finish] writes the rest.
func (n labeller) post(ctx context.Context, body, last map[string]any, m kind.Mark, l labels) (table.Attributes, error) {
	hasTags, err := n.HasExtension(ctx, "standard-attr-tag")
	if err == nil && !hasTags {
		err = fmt.Errorf("%w: the network service lacks the extension standard-attr-tag; without tags, this %s cannot carry an owner mark", kind.ErrRejected, strings.ReplaceAll(n.Singular, "_", " "))
	}
	if err != nil {
		return nil, err
	}
	if err := n.leaveOut(ctx, body); err != nil {
		return nil, err
	}
	whole, err := n.label(ctx, body, m, l)
	if err != nil {
		return nil, err
	}
	finished := whole || m.Applied == kind.HalfMade
	if finished {
		maps.Copy(body, last)
	}
	made, err := n.send(ctx, http.MethodPost, "", body, nil)
	if err != nil || finished {
		return made, err
	}
	var have Standard
	if err := table.Read(made, &have); err != nil {
		return nil, err
	}
	return n.update(ctx, &have, nil, last, m, l)
}

// label puts labels into the body of a create request. If whole is false, the body has only a description, which says that the labels
// will follow.
func (n labeller) label(ctx context.Context, body map[string]any, m kind.Mark, l labels) (whole bool, err error) {
	takesTags, err := n.takesTags(ctx, l)
	if err != nil {
		return false, err
	}
	if takesTags {
		body["description"], body["tags"] = l.description, mark.Tags(m, l.tags)
		return true, nil
	}
	begunText := mark.Text(m)
	text, tags, err := n.marked(ctx, &Standard{Described: begunText}, true, m, l)
	if whole = m.Applied != kind.HalfMade && len(tags) == 0; !whole {
		text = begunText
	}
	body["description"] = text
	return whole, err
}

// leaveOut removes an attribute from a body if the cloud lacks its extension, because the cloud would refuse the whole request. The next
// plan notes the attributes that are left out.
func (n labeller) leaveOut(ctx context.Context, body map[string]any) error {
	for attribute, alias := range n.extensions {
		if _, asked := body[attribute]; !asked {
			continue
		}
		has, err := n.HasExtension(ctx, alias)
		if err != nil {
			return err
		}
		if !has {
			delete(body, attribute)
		}
	}
	return nil
}

// errNoRoom is the error for an object of another project whose description has no room for the mark. In another label the mark would
// not count.
var errNoRoom = fmt.Errorf("%w: %s: has no room for the owner mark, which is added to this text in another project; shorten the text", kind.ErrRejected, table.Path("description"))

// takesTags reports whether the create request accepts tags, and the mark may be in them. Before 2025.1, it accepts them only for ports, and only
// if the operator has loaded an extension. In such a cloud everybody who sees an object can still write its tags, so they are no place for a
// guarded mark.
func (n labeller) takesTags(ctx context.Context, l labels) (bool, error) {
	if l.mark == foreign {
		return false, nil
	}
	has, err := n.HasExtension(ctx, "tag-creation")
	inText := l.mark == guarded || l.mark == usualPlace && n.MarksInDescriptions && len(l.tags) == 0 // one request is enough there, too
	if err != nil || has || n.Path != "ports" || inText {
		return has, err
	}
	return n.HasExtension(ctx, "tag-ports-during-bulk-creation")
}

// inText returns the description with the mark behind it. ok reports whether the mark may be in the description.
func (n labeller) inText(m kind.Mark, l labels) (text string, ok bool) {
	text, fits := mark.Description(m, l.description)
	return text, fits && (l.mark == guarded || l.mark == foreign || l.mark == usualPlace && n.MarksInDescriptions)
}

// update writes changed attributes, and then the mark; fields may be empty. The mark stays where it is, in the tags or in the
// description, unless it has no room there or the tags are not safe (see staysInText). If the cloud supports it, attributes are only written if nobody
// changed the object since it was observed. Labels that are not among the changes are not changed, because others may manage them.
//
// update writes the new values into have, too. It returns the cloud's answer, nil if no attributes were written.
func (n labeller) update(ctx context.Context, have *Standard, changes []kind.Change, fields map[string]any, m kind.Mark, l labels) (table.Attributes, error) {
	own, inText := mark.InDescription(have.Described)
	begun := inText != nil && inText.Applied == kind.HalfMade // a half-made object with its mark in the tags needs no case: [Driver.Finish] names the tags as changed
	if !begun && !kind.Has(changes, table.Path("tags")) {
		l.tags = mark.UserTags(have.Tags)
	}
	if !begun && !kind.Has(changes, table.Path("description")) {
		l.description = own
	}
	text, tags, err := n.marked(ctx, have, begun, m, l)
	if err != nil {
		return nil, err
	}
	if text != have.Described {
		fields["description"] = text
	}
	if inText == nil { // the mark is in the tags, and is written last
		answer, err := n.putFields(ctx, have, fields, true)
		if err == nil {
			err = n.putTags(ctx, have, tags)
		}
		return answer, err
	}
	same := sameTags(have, tags) // otherwise writing the tags raises the revision
	if err := n.putTags(ctx, have, tags); err != nil {
		return nil, err
	}
	return n.putFields(ctx, have, fields, same && !begun)
}

// marked returns the labels with the mark in one of them. Records stay in the tags (see [mark.Records]). begun says that the object is only
// half-made: the mark is in its description, and its other labels are not written yet.
func (n labeller) marked(ctx context.Context, have *Standard, begun bool, m kind.Mark, l labels) (text string, tags []string, err error) {
	text, fits := n.inText(m, l)
	stays, err := n.staysInText(ctx, have, begun, l)
	tags = slices.Concat(l.tags, mark.Records(have.Tags))
	switch {
	case err != nil:
		return "", nil, err
	case l.mark == foreign && !fits:
		return "", nil, errNoRoom
	case fits && stays:
		slices.Sort(tags)
		return text, slices.Compact(tags), nil
	}
	return l.description, mark.Tags(m, tags), nil
}

// staysInText reports whether the mark has to be in the description: because it is there and can stay, or because the tags are not safe.
// In Zed, everybody who sees an object can write its tags, but not its description. A cloud that accepts tags in a create request checks
// who may change the object.
func (n labeller) staysInText(ctx context.Context, have *Standard, begun bool, l labels) (bool, error) {
	alone := have.MarkInDescription() && mark.InTags(have.Tags) == nil
	if l.mark != guarded && l.mark != foreign {
		return alone && (!begun || len(l.tags) == 0), nil
	}
	takesTags, err := n.takesTags(ctx, l)
	return !takesTags || alone, err
}

// unmark removes the mark from an object: first from the description, then from the tags. If it ends between the two, the tags are still a
// full mark.
func (n labeller) unmark(ctx context.Context, have *Standard) error {
	if own, m := mark.InDescription(have.Described); m != nil {
		if _, err := n.putFields(ctx, have, map[string]any{"description": own}, true); err != nil {
			return err
		}
	}
	return n.putTags(ctx, have, mark.UserTags(have.Tags))
}

// putFields writes attributes. If conditional, Neutron writes them only if the object is unchanged since it was read. Neutrons without
// such conditions answer 400, so they get no condition. (neutron/api/api_common.py: ensure_if_match_supported)
func (n labeller) putFields(ctx context.Context, have *Standard, fields map[string]any, conditional bool) (answer table.Attributes, err error) {
	if len(fields) == 0 {
		return nil, nil
	}
	var header map[string]string
	if conditional && have.Revision > 0 {
		takes, err := n.HasExtension(ctx, "revision-if-match")
		if err != nil {
			return nil, err
		}
		if takes {
			header = map[string]string{"If-Match": fmt.Sprintf("revision_number=%d", have.Revision)}
		}
	}
	if answer, err = n.send(ctx, http.MethodPut, have.ID, fields, header); err != nil {
		return nil, err
	}
	*have = Standard{}
	if err := table.Read(answer, have); err != nil {
		return nil, fmt.Errorf("network: PUT /%s/%s: %w", n.Path, have.ID, err)
	}
	return answer, nil
}

// putTags writes the tags, which are sorted, unless the object has the same tags.
func (n labeller) putTags(ctx context.Context, have *Standard, tags []string) error {
	if sameTags(have, tags) {
		return nil
	}
	err := n.Do(ctx, cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: path.Base(n.Path) + "/" + have.ID + "/tags",
		Body: map[string]any{"tags": append([]string{}, tags...)}}) // nil would be sent as null, which is no list
	if err == nil {
		have.Tags = tags
	}
	return err
}

func sameTags(have *Standard, tags []string) bool {
	return slices.Equal(tags, slices.Sorted(slices.Values(have.Tags)))
}

// send sends a request with attributes of the object with that ID, "" for a new one, and returns the object in the answer.
func (n labeller) send(ctx context.Context, method, id string, fields map[string]any, header map[string]string) (table.Attributes, error) {
	address := strings.TrimSuffix(n.Path+"/"+id, "/")
	var answer map[string]table.Attributes
	err := n.Do(ctx, cloud.Call{Service: cloud.Network, Method: method, Path: address, Body: map[string]any{n.Singular: fields}, Into: &answer, Headers: header})
	return answer[n.Singular], err
}
