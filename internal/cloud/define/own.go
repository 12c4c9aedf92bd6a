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
)

// KeepOwn refuses to take away what the agent itself works with: then nobody could put it
// right by a commit. what is a word for it.
func KeepOwn(id, what string, own ...string) error {
	if id != "" && slices.Contains(own, id) {
		return fmt.Errorf("%w: it is the %s that this agent itself logs in with; let another administrator do that", kind.ErrRejected, what)
	}
	return nil
}

// spare is [KeepOwn] of an object of the kind.
func (d *Driver[Spec, Filter, More]) spare(id string) error {
	if d.of.Own == nil {
		return nil
	}
	for _, login := range d.Client.Logins() {
		if err := KeepOwn(id, d.of.Collection.Singular, d.of.Own(login)...); err != nil {
			return err
		}
	}
	return nil
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
