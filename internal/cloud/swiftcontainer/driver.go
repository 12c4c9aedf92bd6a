package swiftcontainer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// parallelReads is how many containers are asked for at once.
const parallelReads = 16

// place is that of the mark: metadata, which stand among the other headers.
var place = together(mark.MetadataPlace)

func together(p mark.Place) mark.Place {
	p.Apart = false
	return p
}

// pathOf is that of a container below the address of the account.
func pathOf(name string) string { return url.PathEscape(name) }

// all reads all containers. The list of an account has only names and sizes, so each
// container is asked for its headers. One that is gone since is left out.
func all(ctx context.Context, d driver) ([]*state, error) {
	type listed struct {
		Name string `json:"name"`
	}
	list, err := cloud.List[listed](ctx, d.Client, cloud.Call{Service: cloud.ObjectStore}, "")
	if err != nil {
		return nil, err
	}
	found := make([]*state, len(list))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for i := range list {
		if name := list[i].Name; name == "" || name == "." || name == ".." {
			continue // its address would be another one
		}
		group.Go(func() (err error) {
			found[i], err = get(within, d, list[i].Name)
			if errors.Is(err, kind.ErrGone) {
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := found[:0]
	for _, s := range found {
		if s != nil {
			out = append(out, s)
		}
	}
	return out, nil
}

func get(ctx context.Context, d driver, name string) (*state, error) {
	headers, err := d.Client.Head(ctx, cloud.ObjectStore, pathOf(name))
	if err != nil {
		return nil, err
	}
	said, err := attributes(name, headers)
	if err != nil {
		return nil, err
	}
	return d.Read(said)
}

func send(ctx context.Context, d driver, method, name string, headers map[string]string) error {
	return d.Client.Do(ctx, cloud.Call{Service: cloud.ObjectStore, Method: method, Path: pathOf(name), Headers: headers})
}

func observe(s *state, live *kind.Live[*state]) {
	live.Created, live.Facts.Name = s.More.CreatedAt.Time, s.Name
}

// create makes a container. Swift would change one that is there already, so it is looked at
// first: the list of an account can be late. One with the very mark is of a request whose
// answer was lost.
func create(ctx context.Context, d driver, w want) (*state, error) {
	body := d.Creation(w)
	name, _ := body["name"].(string)
	switch there, err := get(ctx, d, name); {
	case err == nil && (there.Mark == nil || there.Mark.Owner != w.Mark.Owner):
		return nil, fmt.Errorf("%w: a container %q is there already, and bears no mark of this stack for it", kind.ErrBusy, name)
	case err != nil && !errors.Is(err, kind.ErrGone):
		return nil, err
	}
	headers := requested(body)
	metadata, _ := body[place.Attribute].(map[string]string)
	for key, value := range metadata {
		headers[metaPrefix+key] = value
	}
	if err := send(ctx, d, http.MethodPut, name, headers); err != nil {
		return nil, err
	}
	made, err := get(ctx, d, name)
	if errors.Is(err, kind.ErrGone) {
		return nil, fmt.Errorf("%w: %s", kind.ErrBusy, err.Error())
	}
	return made, err
}

// update writes what changed, and the mark, in one request.
func update(ctx context.Context, d driver, n define.PlainChange[Spec, More]) error {
	own, changed := n.Fields[place.Attribute].(map[string]string)
	if !changed {
		own = metadataOf(&n.Have.State.Spec)
	}
	headers := requested(n.Fields)
	maps.Copy(headers, metadataHeaders(n.Have.State, own, n.Want.Mark))
	return send(ctx, d, http.MethodPost, n.Have.ID, headers)
}

func unmark(ctx context.Context, d driver, have kind.Live[*state]) error {
	return send(ctx, d, http.MethodPost, have.ID, metadataHeaders(have.State, metadataOf(&have.State.Spec), kind.Mark{}))
}

// metadataHeaders have a container bear these metadata and this mark, and no others.
func metadataHeaders(have *state, own map[string]string, m kind.Mark) map[string]string {
	all, _ := place.Put(own, m, "", "").(map[string]string)
	out := map[string]string{}
	for _, present := range []map[string]string{metadataOf(&have.Spec), have.Notes} {
		for key := range present {
			if _, stays := all[key]; !stays {
				out[removal(metaPrefix+key)] = "x"
			}
		}
	}
	for key, value := range all {
		out[metaPrefix+key] = value
	}
	return out
}

func metadataOf(s *Spec) map[string]string {
	out := make(map[string]string, len(s.Metadata))
	for _, entry := range s.Metadata {
		out[entry.Name] = entry.Value
	}
	return out
}

// remove deletes a container, which Swift refuses while there are objects in it. Those are
// never deleted here.
func remove(ctx context.Context, d driver, have kind.Live[*state]) (gone bool, err error) {
	err = send(ctx, d, http.MethodDelete, have.ID, nil)
	if !errors.Is(err, kind.ErrBusy) {
		return err == nil, err
	}
	now, unread := get(ctx, d, have.ID)
	if unread != nil || now.More.Objects == 0 {
		return false, err
	}
	return false, fmt.Errorf("%w: it holds %d objects (%d bytes), and objects are never deleted: delete or move them, or keep the container with the annotation stackreeve.dev/on-delete: detach",
		kind.ErrRejected, now.More.Objects, now.More.Bytes)
}
