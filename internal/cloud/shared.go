package cloud

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// sharedLists are collections that several kinds list, each with its own type of object. They are
// requested once for all lists of one [kind.SharedResults].
var sharedLists = map[sharedList]bool{
	{Network, "ports"}: true, {Network, "floatingips"}: true, {Network, "rbac-policies?action=access_as_shared"}: true, {Compute, "os-server-groups"}: true,
	{BlockStorage, "snapshots/detail"}: true, {BlockStorage, "backups/detail"}: true,
	{Identity, "domains"}: true, {Identity, "projects"}: true, {Identity, "users"}: true, {Identity, "groups"}: true,
}

type sharedList struct{ service, path string }

// moment is the key of a context's value: the results that the lists of one snapshot share.
type moment struct{}

// At returns a context for the lists of one snapshot, which share the results m; m may be nil.
func At(ctx context.Context, m *kind.SharedResults) context.Context {
	if m == nil {
		return ctx
	}
	return context.WithValue(ctx, moment{}, m)
}

// momentOf returns the results that the lists of a snapshot share. It returns nil if the request is not part of a snapshot.
func momentOf(ctx context.Context) *kind.SharedResults {
	m, _ := ctx.Value(moment{}).(*kind.SharedResults)
	return m
}

// ListedBeside reports whether another kind lists a collection, as in [kind.Info.Lists], for the same snapshot.
func ListedBeside(ctx context.Context, collection string) bool {
	m := momentOf(ctx)
	return m != nil && slices.Contains(m.Lists, collection)
}

// eachShared does the same as [Each] for a collection that several kinds read: the first kind reads
// it for all of them. So the context must be that of the snapshot, and must not end when one of its
// kinds ends.
func eachShared[T any](ctx context.Context, c *Client, call Call, field string, take func(T) error) error {
	key := call.Service + " " + call.Microversion + " " + call.Path
	objects, err := kind.Once(momentOf(ctx), key, func() (all []json.RawMessage, err error) {
		err = eachOf(ctx, c, call, field, asDecoded[json.RawMessage](), func(object json.RawMessage) error {
			all = append(all, object)
			return nil
		})
		return all, err
	})
	if err != nil {
		return err
	}
	check := idCheck[T]()
	for _, object := range objects {
		var item T
		err := json.Unmarshal(object, &item)
		if err == nil {
			err = check(item)
		}
		if err == nil {
			err = take(item)
		}
		if err != nil {
			return fmt.Errorf("%s: GET /%s: %w", call.Service, call.Path, err)
		}
	}
	return nil
}
