package swiftcontainer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// parallelReads is the maximal number of containers that are read at the same time.
const parallelReads = 16

// place is where the mark is: in the metadata. They are headers, so they are written in the
// same request as the other headers.
var place = together(mark.MetadataPlace)

func together(p mark.Place) mark.Place {
	p.Apart = false
	return p
}

// pathOf is the path of a container, relative to the address of the account.
func pathOf(name string) string { return url.PathEscape(name) }

// made has the names of containers that this process has created. Swift's list of an account
// can be outdated, even by minutes if one of its copies could not be reached.
type made struct {
	mu    sync.Mutex
	names map[string]bool
}

func (m *made) add(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.names == nil {
		m.names = map[string]bool{}
	}
	m.names[name] = true
}

// and adds the names of created containers that are missing in names.
func (m *made) and(names []string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	listed := map[string]bool{}
	for _, name := range names {
		listed[name] = true
	}
	for name := range m.names {
		if !listed[name] {
			names = append(names, name)
		}
	}
	return names
}

func (m *made) forget(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.names, name)
}

// all reads all containers. The list of an account contains only names and sizes, and can be
// filtered only by a prefix of the name. Therefore all reads the headers of each container:
// only the mark identifies a container whose manifest was removed. A container that was
// deleted after the list was read is omitted.
func (m *made) all(ctx context.Context, d driver) ([]*state, error) {
	type listed struct {
		Name string `json:"name"`
	}
	names := []string{}
	err := cloud.Each(ctx, d.Client, cloud.Call{Service: cloud.ObjectStore}, "", func(one listed) error {
		names = append(names, one.Name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	names = m.and(names)
	found := make([]*state, len(names))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for i, name := range names {
		if name == "" || name == "." || name == ".." {
			continue // the path would lead to another resource
		}
		group.Go(func() (err error) {
			found[i], err = get(within, d, name)
			if errors.Is(err, kind.ErrGone) {
				m.forget(name)
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

func observe(s *state, live *kind.Live) {
	live.Created, live.Facts.Name = s.More.CreatedAt.Time, s.Name
}

// create creates a container. For an existing one, Swift would change its headers, and the
// list of an account can be outdated, so create first reads the container. If it exists with
// the same owner, an earlier request created it and the answer was lost.
func (m *made) create(ctx context.Context, d driver, w want) (*state, error) {
	body := d.Creation(w)
	name, _ := body["name"].(string)
	switch there, err := get(ctx, d, name); {
	case err == nil && (there.Mark == nil || there.Mark.Owner != w.Mark.Owner):
		return nil, fmt.Errorf("%w: the container %q exists already, and has no mark of this stack", kind.ErrBusy, name)
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
	m.add(name)
	now, err := get(ctx, d, name)
	if errors.Is(err, kind.ErrGone) {
		return nil, fmt.Errorf("%w: %s", kind.ErrBusy, err.Error())
	}
	if err == nil {
		err = versioned(body, now)
	}
	return now, err
}

// versioned returns an error if Swift has ignored the setting for versions. Swift ignores it
// if it is not configured to store versions.
func versioned(asked map[string]any, now *state) error {
	if asked["versions"] != true || table.Or(now.Spec.Versioning, false) {
		return nil
	}
	return fmt.Errorf("%w: this Swift keeps no versions of objects (its operator has not set allow_object_versioning), so remove versioning", kind.ErrRejected)
}

// update writes the changes and the mark in one request.
func update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	headers := requested(n.Fields)
	if own, changed := n.Fields[place.Attribute].(map[string]string); changed {
		replace(headers, metadataOf(&n.Have.State.Spec), own)
	}
	maps.Copy(headers, markHeaders(n.Have.State, n.Want.Mark))
	if err := send(ctx, d, http.MethodPost, n.Have.ID, headers); err != nil || n.Fields["versions"] != true {
		return err
	}
	now, err := get(ctx, d, n.Have.ID)
	if err != nil {
		return err
	}
	return versioned(n.Fields, now)
}

func unmark(ctx context.Context, d driver, have typed.Live[state]) error {
	return send(ctx, d, http.MethodPost, have.ID, markHeaders(have.State, kind.Mark{}))
}

// markHeaders returns headers that give a container this mark and do not change its other
// metadata.
func markHeaders(have *state, m kind.Mark) map[string]string {
	out := map[string]string{}
	marked, _ := place.Put(nil, m, "", "").(map[string]string)
	replace(out, have.Notes, marked)
	return out
}

// replace adds the headers that change the metadata from before to after.
func replace(headers, before, after map[string]string) {
	for key := range before {
		if _, stays := after[key]; !stays {
			headers[removal(metaPrefix+key)] = "x"
		}
	}
	for key, value := range after {
		headers[metaPrefix+key] = value
	}
}

func metadataOf(s *Spec) map[string]string {
	out := make(map[string]string, len(s.Metadata))
	for _, entry := range s.Metadata {
		out[entry.Name] = entry.Value
	}
	return out
}

// remove deletes a container. Swift refuses that while the container has objects, or earlier
// versions of objects. The agent never deletes objects.
func remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	err = send(ctx, d, http.MethodDelete, have.ID, nil)
	if !errors.Is(err, kind.ErrBusy) {
		return err == nil, err
	}
	now, unread := get(ctx, d, have.ID)
	if unread != nil || now.More.Objects == 0 && now.More.Bytes == 0 {
		return false, err
	}
	return false, fmt.Errorf("%w: the container has %d objects (%d bytes, with earlier versions of objects), and the agent never deletes objects: delete or move them, or keep the container with the annotation stackreeve.dev/on-delete: detach",
		kind.ErrRejected, now.More.Objects, now.More.Bytes)
}
