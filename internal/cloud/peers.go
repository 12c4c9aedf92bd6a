package cloud

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// peers are the clients of one stack: one for each entry of clouds.yaml that it uses. None
// deletes what another one logs in with, and none shows another one's credentials.
type peers struct {
	mu   sync.Mutex
	list []*Client
}

// join makes c a client of the same stack as beside; nil for a stack of its own. One that
// takes the place of an earlier one of the same login leaves that among them.
func (c *Client) join(beside *Client) {
	c.peers = &peers{}
	if beside != nil {
		c.peers = beside.peers
	}
	c.peers.mu.Lock()
	defer c.peers.mu.Unlock()
	c.peers.list = append(c.peers.list, c)
}

// All are the clients of the stack, c first.
func (c *Client) All() []*Client {
	list := []*Client{c}
	if c.peers == nil {
		return list
	}
	c.peers.mu.Lock()
	defer c.peers.mu.Unlock()
	for _, other := range c.peers.list {
		if other != c {
			list = append(list, other)
		}
	}
	return list
}

// AllSecrets are the credentials that the clients of the stack use now.
func (c *Client) AllSecrets() (all []string) {
	for _, one := range c.All() {
		all = append(all, one.Secrets()...)
	}
	return all
}

// Logins are what the clients of the stack work with, that of c first.
func (c *Client) Logins() (all []Login) {
	for _, one := range c.All() {
		all = append(all, one.Login())
	}
	return all
}

// InGroup reports whether a user that the agent logs in as is a member of a group.
func (c *Client) InGroup(ctx context.Context, group string) (bool, error) {
	for _, login := range c.Logins() {
		err := c.Do(ctx, Call{Service: Identity, Method: http.MethodHead, Path: "groups/" + url.PathEscape(group) + "/users/" + url.PathEscape(login.User)})
		if !errors.Is(err, kind.ErrGone) {
			return err == nil, err
		}
	}
	return false, nil
}

// Realm is within what the IDs of a kind are unique: a region of a cloud, or all of it for
// Keystone's kinds, or what one user has.
func (c *Client) Realm(of kind.Info) string {
	realm := c.home
	if of.Service != Identity {
		realm += " " + c.Region
	}
	if of.Scope == kind.OfUser {
		id, _ := c.OwnUser()
		realm += " " + id
	}
	return realm
}
