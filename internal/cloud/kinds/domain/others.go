package domain

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/define"
	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// update carries out a change. It refuses to disable a domain that contains objects of others, because nobody in a
// disabled domain can log in.
func update(ctx context.Context, d driver, n define.Change[Spec, More]) error {
	if enabled, changed := n.Fields["enabled"]; changed && enabled != true {
		if err := keepOthers(ctx, d, n.Have.ID, n.Want.Mark); err != nil {
			return err
		}
	}
	return d.Write(ctx, n)
}

// remove disables the domain and then deletes it. If the agent is killed between the two, the next pass deletes the
// domain.
func remove(ctx context.Context, d driver, have typed.Live[state]) (gone bool, err error) {
	if err := keepOthers(ctx, d, have.ID, table.Or(have.Mark, kind.Mark{})); err != nil {
		return false, err
	}
	disable := cloud.Call{Service: cloud.Identity, Method: http.MethodPatch, Path: d.Path(have.ID), Body: map[string]any{"domain": map[string]any{"enabled": false}}}
	if err := d.Client.Do(ctx, disable); err != nil && !errors.Is(err, kind.ErrGone) {
		return false, err
	}
	return d.Remove(ctx, have.ID)
}

// within are the collections whose objects can be in a domain. kind is the kind that an object's owner mark has to name.
var within = []struct{ collection, kind string }{{"users", "User"}, {"groups", "Group"}, {"projects", "Project"}, {"roles", "Role"}}

// keepOthers returns an error if the domain contains objects that the stack of mark m did not make. The error does not
// name them, because authors of manifests can read it.
func keepOthers(ctx context.Context, d driver, id string, m kind.Mark) error {
	ours := mark.Claim{Mark: &m, Project: d.Client.ProjectID}.Holder()
	others := make([]int, len(within))
	group, stop := errgroup.WithContext(ctx)
	for i, of := range within {
		group.Go(func() error {
			call := cloud.Call{Service: cloud.Identity, Path: of.collection + "?domain_id=" + url.QueryEscape(id)}
			return cloud.Each(stop, d.Client, call, of.collection, func(object table.Attributes) error {
				if mark.HolderOf(object, of.kind) != ours {
					others[i]++
				}
				return nil
			})
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("the content of the domain is not known: %w", err)
	}
	var found []string
	for i, n := range others {
		if n > 0 {
			found = append(found, fmt.Sprintf("%d %s", n, within[i].collection))
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("%w: %s that this stack did not make would be deleted with the domain, or could not log in any more; move or delete them first, or keep the domain (managedOptions.onDelete: detach)", kind.ErrRejected, strings.Join(found, ", "))
	}
	return nil
}
