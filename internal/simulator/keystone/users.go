package keystone

import (
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

type userView struct {
	*user
	Links map[string]string `json:"links"`
}

func viewUser(c *oslo.Call, u *user) userView { return userView{u, self(c, "users/"+u.ID)} }

func (k *Keystone) userRoutes() {
	k.svc.Handle("GET /v3/users", k.listUsers)
	k.svc.Handle("POST /v3/users", k.createUser)
	k.svc.Handle("GET /v3/users/{id}", k.showUser)
	k.svc.Handle("DELETE /v3/users/{id}", k.deleteUser)
}

func (k *Keystone) listUsers(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("list_users")
	}
	q := c.Query()
	var items []any
	for u := range k.users.All() {
		if match(q.Get("name"), u.Name) && match(q.Get("domain_id"), u.DomainID) {
			items = append(items, viewUser(c, u))
		}
	}
	return list(c, "users", items), nil
}

func (k *Keystone) createUser(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("create_user")
	}
	var in struct {
		User struct {
			Name     string `json:"name"`
			Password string `json:"password"`
		} `json:"user"`
	}
	if !c.Decode(&in) || in.User.Name == "" {
		return nil, malformed("name", "user")
	}
	for u := range k.users.All() {
		if u.Name == in.User.Name {
			return nil, oslo.Errorf(http.StatusConflict, "Conflict", "Conflict occurred attempting to store user - Duplicate entry found with name %s at domain ID %s.", u.Name, domainID)
		}
	}
	u, _ := k.users.Get(k.AddUser(in.User.Name, in.User.Password))
	return oslo.Created(map[string]any{"user": viewUser(c, u)}), nil
}

func (k *Keystone) showUser(c *oslo.Call) (*oslo.Response, error) {
	id := c.PathValue("id")
	if !c.Caller.Admin() && id != c.Caller.UserID {
		return nil, forbidden("get_user")
	}
	u, ok := k.users.Get(id)
	if !ok {
		return nil, notFound("user", id)
	}
	return oslo.OK(map[string]any{"user": viewUser(c, u)}), nil
}

func (k *Keystone) deleteUser(c *oslo.Call) (*oslo.Response, error) {
	if !c.Caller.Admin() {
		return nil, forbidden("delete_user")
	}
	id := c.PathValue("id")
	if !k.users.Remove(id) {
		return nil, notFound("user", id)
	}
	k.grants = slices.DeleteFunc(k.grants, func(g grant) bool { return g.user == id })
	for tokenID, t := range k.tokens {
		if t.caller.UserID == id {
			delete(k.tokens, tokenID)
		}
	}
	return oslo.NoContent(), nil
}
