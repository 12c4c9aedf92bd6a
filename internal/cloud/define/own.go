package define

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// KeepOwn refuses to take away what the agent itself works with: then nobody could put it
// right by a commit. what is a word for it.
func KeepOwn(id, what string, own ...string) error {
	if id != "" && slices.Contains(own, id) {
		return fmt.Errorf("%w: it is the %s that this agent itself logs in with; let another administrator do that", kind.ErrRejected, what)
	}
	return nil
}

// KeepingOwn is a kind of which the agent itself works with some objects: those are neither
// deleted, nor are the attributes changed by which it finds and uses them.
func KeepingOwn[Spec, Filter, More any](p Resource[Spec, Filter, More], own func(cloud.Login) []string, attributes ...string) Resource[Spec, Filter, More] {
	type driver = *Driver[Spec, Filter, More]
	remove, update := p.Delete, p.Update
	check := func(d driver, id string) error {
		for _, login := range d.Client.Logins() {
			if err := KeepOwn(id, d.of.Collection.Singular, own(login)...); err != nil {
				return err
			}
		}
		return nil
	}
	p.Delete = func(ctx context.Context, d driver, have typed.Live[State[Spec, More]]) (gone bool, err error) {
		if err := check(d, have.ID); err != nil {
			return false, err
		}
		if remove != nil {
			return remove(ctx, d, have)
		}
		return d.Remove(ctx, have.ID)
	}
	p.Update = func(ctx context.Context, d driver, n Change[Spec, More]) error {
		for _, name := range attributes {
			if _, changed := n.Fields[name]; !changed {
				continue
			}
			if err := check(d, n.Have.ID); err != nil {
				return fmt.Errorf("%s cannot be changed: %w", name, err)
			}
		}
		if update != nil {
			return update(ctx, d, n)
		}
		return d.Write(ctx, n)
	}
	return p
}

// InGroup reports whether a user that the agent logs in as is a member of a group.
func InGroup(ctx context.Context, c *cloud.Client, group string) (bool, error) {
	for _, login := range c.Logins() {
		err := c.Do(ctx, cloud.Call{Service: cloud.Identity, Method: http.MethodHead, Path: "groups/" + url.PathEscape(group) + "/users/" + url.PathEscape(login.User)})
		if !errors.Is(err, kind.ErrGone) {
			return err == nil, err
		}
	}
	return false, nil
}
