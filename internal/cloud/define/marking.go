package define

import (
	"context"
	"maps"
	"net/http"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// marking is the way in which the objects of a kind have the owner mark: [inAttribute], below, or [inLabels], in labels.go. It is chosen once, when the
// kind is created.
type marking[Spec, Filter, More any] interface {
	// read records the owner mark in an answer, and returns the answer without it.
	read(answer table.Attributes, s *State[Spec, More]) (table.Attributes, error)
	// post creates an object that has the mark from the first request on, and returns the service's answer. If the mark is in an
	// attribute, body already contains it (see [Driver.Creation]). The last of the requests also writes the attributes in last.
	post(ctx context.Context, w typed.Want[Spec], body, last map[string]any) (table.Attributes, error)
	// write carries out a change and writes the desired mark. If the desired mark is zero, it removes the object's mark. Text that
	// people wrote beside the mark stays. It returns the service's description of the object, nil if there is none.
	write(ctx context.Context, n *Change[Spec, More]) (table.Attributes, error)
}

// inAttribute is the [marking] of kinds whose mark is in one attribute, [Resource.Mark]. The attribute is written together with
// the others, or by a separate request.
type inAttribute[Spec, Filter, More any] struct{ *Driver[Spec, Filter, More] }

func (a inAttribute[Spec, Filter, More]) read(answer table.Attributes, s *State[Spec, More]) (rest table.Attributes, err error) {
	rest, s.Claim, err = a.of.Mark.Take(answer)
	return rest, err
}

func (a inAttribute[Spec, Filter, More]) post(ctx context.Context, _ typed.Want[Spec], body, last map[string]any) (answer table.Attributes, err error) {
	maps.Copy(body, last)
	c := a.of.Collection
	path, parent, body := c.place(body)
	call := cloud.Call{Service: a.of.Info.Service, Method: http.MethodPost, Path: path, Body: a.wrapped(body), Into: &answer, Secret: c.Secret}
	if call.Microversion, err = a.microversion(ctx); err != nil {
		return nil, err
	}
	if err := a.Client.Do(ctx, call); err != nil || c.Within == nil {
		return answer, err
	}
	return c.below(answer, parent, a.Client.ProjectID)
}

func (a inAttribute[Spec, Filter, More]) write(ctx context.Context, n *Change[Spec, More]) (table.Attributes, error) {
	at, path := a.of.Mark.Attribute, a.Path(n.Have.ID)
	own, changed := n.Fields[at]
	if !changed {
		own = a.fields.ValueIn(at, &n.Have.State.Spec)
	}
	marked := a.of.Mark.Put(own, n.Want.Mark, n.Have.ID, a.Client.ProjectID)
	if !a.of.Mark.Apart {
		n.Fields[at] = marked
		return nil, a.send(ctx, a.of.Collection.UpdateBy, path, a.wrapped(n.Fields))
	}
	if delete(n.Fields, at); len(n.Fields) > 0 {
		if err := a.send(ctx, a.of.Collection.UpdateBy, path, a.wrapped(n.Fields)); err != nil {
			return nil, err
		}
	}
	return nil, a.send(ctx, http.MethodPut, path+"/"+at, map[string]any{at: marked})
}
