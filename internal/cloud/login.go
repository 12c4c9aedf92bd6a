package cloud

import (
	"cmp"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// Login has the IDs of the objects that a client's login depends on. If one of them were missing,
// the client could not log in, or would lose rights.
type Login struct {
	User, Project string
	Domains       []string // of the user and of the project.
	Roles         []string // of the client in the project.
	RoleNames     []string // names of these roles, in the same order.
	Services      []string // of the catalog: Keystone only.
	Endpoints     []string // IDs of Keystone's endpoints that the client uses.
}

type id struct {
	ID string `json:"id"`
}

// Login reads the client's token; a field that the token lacks is empty.
func (c *Client) Login() (l Login) {
	auth, ok := c.provider.GetAuthResult().(tokens.CreateResult)
	var token struct {
		User, Project struct {
			ID     string `json:"id"`
			Domain id     `json:"domain"`
		}
		Roles   []struct{ ID, Name string }
		Catalog []struct {
			ID, Type  string
			Endpoints []struct {
				ID, Interface string
				Region        string `json:"region_id"`
			}
		}
	}
	if !ok || auth.ExtractInto(&token) != nil {
		return Login{}
	}
	l.User, l.Project = token.User.ID, token.Project.ID
	l.Domains = []string{token.User.Domain.ID, token.Project.Domain.ID}
	for _, role := range token.Roles {
		l.Roles, l.RoleNames = append(l.Roles, role.ID), append(l.RoleNames, role.Name)
	}
	of := identity()
	for _, service := range token.Catalog {
		if service.Type != of.name && !slices.Contains(of.aliases, service.Type) {
			continue
		}
		l.Services = append(l.Services, service.ID)
		for _, e := range service.Endpoints {
			if e.Interface == cmp.Or(string(c.endpoint.Availability), "public") && (e.Region == c.Region || e.Region == "" || c.Region == "") {
				l.Endpoints = append(l.Endpoints, e.ID)
			}
		}
	}
	return l
}
