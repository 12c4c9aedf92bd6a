package glance

import (
	"net/http"
	"slices"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// member is a project that an image is shared with.
type member struct {
	Created string `json:"created_at"`
	ImageID string `json:"image_id"`
	Member  string `json:"member_id"`
	Schema  string `json:"schema"`
	Status  string `json:"status"`
	Updated string `json:"updated_at"`
}

func (g *Glance) addMembers() {
	g.svc.Handle("GET /v2/images/{id}/members", g.listMembers)
	g.svc.Handle("POST /v2/images/{id}/members", g.addMember)
	g.svc.Handle("GET /v2/images/{id}/members/{member}", g.showMember)
	g.svc.Handle("PUT /v2/images/{id}/members/{member}", g.answerMember)
	g.svc.Handle("DELETE /v2/images/{id}/members/{member}", g.removeMember)
}

// shared finds a shared image and the members that the caller may see. A member
// does not see other members.
func (g *Glance) shared(c *oslo.Call) (*Image, []*member, error) {
	i, ok := g.Visible(c.Caller, c.PathValue("id"))
	if !ok {
		return nil, nil, missing(c.PathValue("id"))
	}
	if i.Visibility != "shared" {
		return nil, nil, forbidden("Not allowed to list members for image %s: Only shared images have members.", i.ID)
	}
	if c.Caller.Admin() || i.Owner == c.Caller.ProjectID {
		return i, i.members, nil
	}
	var own []*member
	for _, m := range i.members {
		if m.Member == c.Caller.ProjectID {
			own = append(own, m)
		}
	}
	return i, own, nil
}

func (g *Glance) listMembers(c *oslo.Call) (*oslo.Response, error) {
	_, members, err := g.shared(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"members": append([]*member{}, members...), "schema": "/v2/schemas/members"}), nil
}

func (g *Glance) addMember(c *oslo.Call) (*oslo.Response, error) {
	var in struct {
		Member string `json:"member"`
	}
	if !c.Decode(&in) || in.Member == "" {
		return nil, badRequest("Member to be added not specified")
	}
	i, err := g.writable(c, "add_member")
	if err != nil {
		return nil, err
	}
	if i.Visibility != "shared" {
		return nil, forbidden("Not allowed to create members for image %s.", i.ID)
	}
	if slices.ContainsFunc(i.members, func(m *member) bool { return m.Member == in.Member }) {
		return nil, conflict("Member %s is duplicated for image %s", in.Member, i.ID)
	}
	now := oslo.Stamp(c.Now)
	m := &member{Created: now, Updated: now, ImageID: i.ID, Member: in.Member, Status: "pending", Schema: "/v2/schemas/member"}
	i.members = append(i.members, m)
	return oslo.OK(m), nil
}

func (g *Glance) findMember(c *oslo.Call) (*Image, *member, error) {
	i, members, err := g.shared(c)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range members {
		if m.Member == c.PathValue("member") {
			return i, m, nil
		}
	}
	return nil, nil, oslo.Errorf(http.StatusNotFound, "HTTPNotFound", "%s not found in the member list of the image %s.", c.PathValue("member"), i.ID)
}

func (g *Glance) showMember(c *oslo.Call) (*oslo.Response, error) {
	_, m, err := g.findMember(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(m), nil
}

func (g *Glance) answerMember(c *oslo.Call) (*oslo.Response, error) {
	i, m, err := g.findMember(c)
	if err != nil {
		return nil, err
	}
	if (m.Member != c.Caller.ProjectID || i.Owner == c.Caller.ProjectID) && !c.Caller.Admin() {
		return nil, forbidden("Not allowed to update members for image %s.", i.ID)
	}
	var in struct {
		Status string `json:"status"`
	}
	if !c.Decode(&in) || !slices.Contains([]string{"pending", "accepted", "rejected"}, in.Status) {
		return nil, badRequest("Status not specified")
	}
	m.Status, m.Updated = in.Status, oslo.Stamp(c.Now)
	return oslo.OK(m), nil
}

func (g *Glance) removeMember(c *oslo.Call) (*oslo.Response, error) {
	if _, err := g.writable(c, "delete_member"); err != nil {
		return nil, err
	}
	i, m, err := g.findMember(c)
	if err != nil {
		return nil, err
	}
	i.members = slices.DeleteFunc(slices.Clone(i.members), func(x *member) bool { return x == m })
	return oslo.NoContent(), nil
}
