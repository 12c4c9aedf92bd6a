package cloud

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// peers are the clients of one stack: one for each entry of clouds.yaml that it uses. No client
// deletes the credentials that another one logs in with, and none shows another's credentials.
type peers struct {
	mu   sync.Mutex
	list []*Client
}

// join makes c a client of the same stack as beside. If beside is nil, c is the first client of its
// stack. A client that replaces an earlier one does not remove the earlier one from the list.
func (c *Client) join(beside *Client) {
	c.peers = &peers{}
	if beside != nil {
		c.peers = beside.peers
	}
	c.peers.mu.Lock()
	defer c.peers.mu.Unlock()
	c.peers.list = append(c.peers.list, c)
}

// All returns the clients of the stack, c first.
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

// AllSecrets returns the credentials that the clients of the stack use now.
func (c *Client) AllSecrets() (all []string) {
	for _, one := range c.All() {
		all = append(all, one.Secrets()...)
	}
	return all
}

// Logins returns the logins of the stack's clients, that of c first.
func (c *Client) Logins() (all []Login) {
	for _, one := range c.All() {
		all = append(all, one.Login())
	}
	return all
}

// InGroup reports whether any user of the agent's logins is a member of a group.
func (c *Client) InGroup(ctx context.Context, group string) (bool, error) {
	for _, login := range c.Logins() {
		err := c.Do(ctx, Call{Service: Identity, Method: http.MethodHead, Path: "groups/" + url.PathEscape(group) + "/users/" + url.PathEscape(login.User)})
		if !errors.Is(err, kind.ErrGone) {
			return err == nil, err
		}
	}
	return false, nil
}

// Realm is the scope within which the IDs of a kind are unique: a region of a cloud, all of the
// cloud for Keystone's kinds, or one user.
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
