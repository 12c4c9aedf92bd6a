package cloud

import (
	"context"
	"net/http"

	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// OwnUser is the user that the client logs in as; empty if the token does not say.
func (c *Client) OwnUser() (id, name string) { return c.user.ID, c.user.Name }

// OwnCredential is the ID of the application credential that the client logs in with; "" if it has
// none.
func (c *Client) OwnCredential() string {
	auth, ok := c.provider.GetAuthResult().(tokens.CreateResult)
	var token struct {
		Credential struct {
			ID string `json:"id"`
		} `json:"application_credential"`
	}
	if !ok || auth.ExtractInto(&token) != nil {
		return ""
	}
	return token.Credential.ID
}

// UserName is the name of a user for people, or else the ID. It finds the name of the client's own
// user, and of users that Keystone shows to the client. Most clouds show other users only to
// administrators.
func (c *Client) UserName(ctx context.Context, id string) string {
	own, name := c.OwnUser()
	switch id {
	case "":
		return ""
	case own:
		return name + " (the user of this agent)"
	}
	var answer struct {
		User struct {
			Name string `json:"name"`
		} `json:"user"`
	}
	if err := c.Do(ctx, Call{Service: Identity, Method: http.MethodGet, Path: "users/" + id, Into: &answer}); err != nil || answer.User.Name == "" {
		return id
	}
	return answer.User.Name
}
