package manila

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
)

// shareNetwork is a share network with its subnet for all availability zones.
type shareNetwork struct {
	ID, Project             string
	Name, Description       *string
	NetworkID, SubnetID     *string
	Subnet                  string // its ID
	Created                 time.Time
	Updated, SubnetModified *time.Time

	occupied bool
}

func (m *Manila) addNetworks() {
	m.handle("GET", "share-networks", func(c *call) (*oslo.Response, error) { return m.list(c, brief) })
	m.handle("GET", "share-networks/detail", func(c *call) (*oslo.Response, error) { return m.list(c, c.view) })
	m.handle("POST", "share-networks", m.create)
	one := func(method string, h func(*call, *shareNetwork) (*oslo.Response, error)) {
		m.handle(method, "share-networks/{id}", func(c *call) (*oslo.Response, error) {
			n, ok := m.networks.Get(c.PathValue("id"))
			if !ok || n.Project != c.Caller.ProjectID && !c.Caller.Admin() {
				return nil, refused(http.StatusNotFound, "Share network %s could not be found.", c.PathValue("id"))
			}
			return h(c, n)
		})
	}
	one("GET", func(c *call, n *shareNetwork) (*oslo.Response, error) { return c.answer(n), nil })
	one("PUT", m.update)
	one("DELETE", m.remove)
}

// Occupy sets whether a share network has a share, and therefore a share server.
func (m *Manila) Occupy(id string, occupied bool) {
	if n, ok := m.networks.Get(id); ok {
		n.occupied = occupied
	}
}

func (m *Manila) held(project string) int {
	return len(m.networks.Where(func(n *shareNetwork) bool { return n.Project == project }))
}

func brief(n *shareNetwork) map[string]any { return map[string]any{"id": n.ID, "name": n.Name} }

// view mirrors manila/api/views/share_networks.py. Before 2.51, the attributes of the subnet are among the
// attributes of the share network. From 2.51 on, they are in a list. Manila sets the attributes that are null
// here when it creates a share server.
func (c *call) view(n *shareNetwork) map[string]any {
	out := brief(n)
	out["project_id"], out["description"], out["created_at"], out["updated_at"] = n.Project, n.Description, stamp(&n.Created), stamp(n.Updated)
	subnet := map[string]any{"neutron_net_id": n.NetworkID, "neutron_subnet_id": n.SubnetID, "network_type": nil, "segmentation_id": nil, "cidr": nil, "ip_version": nil}
	switch {
	case c.minor >= 51:
		subnet["id"], subnet["availability_zone"], subnet["mtu"], subnet["gateway"] = n.Subnet, nil, nil, nil
		subnet["created_at"], subnet["updated_at"] = stamp(&n.Created), stamp(n.SubnetModified)
		out["share_network_subnets"] = []any{subnet}
	default:
		for name, value := range subnet {
			out[name] = value
		}
	}
	for name, since := range map[string][2]int{"nova_net_id": {0, 25}, "gateway": {18, 50}, "mtu": {20, 50}} {
		if c.minor >= since[0] && c.minor <= since[1] {
			out[name] = nil
		}
	}
	if c.minor >= 63 {
		out["status"], out["security_service_update_support"] = "active", true
	}
	if c.minor >= 70 {
		out["network_allocation_update_support"] = true
	}
	return out
}

func (c *call) answer(n *shareNetwork) *oslo.Response {
	return oslo.OK(map[string]any{"share_network": c.view(n)})
}

func stamp(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000")
}

// list mirrors _get_share_networks. An administrator also sees only the share networks of the own project,
// unless the request asks for all projects. The list is sorted by ID.
func (m *Manila) list(c *call, view func(*shareNetwork) map[string]any) (*oslo.Response, error) {
	q := c.Query()
	all := c.Caller.Admin() && oslo.Truthy(q.Get("all_tenants"))
	from, limit := 0, m.opts.MaxPage
	for name, to := range map[string]*int{"offset": &from, "limit": &limit} {
		word := q.Get(name)
		if word == "" {
			continue
		}
		n, err := strconv.Atoi(word)
		switch {
		case err != nil:
			return nil, badRequest("%s param must be an integer", name)
		case n < 0:
			return nil, badRequest("%s param must be positive", name)
		}
		*to = n
	}
	if limit = min(limit, m.opts.MaxPage); limit == 0 {
		limit = m.opts.MaxPage
	}
	found := m.networks.Where(func(n *shareNetwork) bool {
		name := q.Get("name")
		return (all || n.Project == c.Caller.ProjectID) && (name == "" || n.Name != nil && *n.Name == name)
	})
	slices.SortFunc(found, func(a, b *shareNetwork) int { return cmp.Compare(a.ID, b.ID) })
	found = found[min(from, len(found)):]
	views := []any{}
	for _, n := range found[:min(limit, len(found))] {
		views = append(views, view(n))
	}
	return oslo.OK(map[string]any{"share_networks": views}), nil
}

// table contains the attributes that requests may have. Manila checks no values. If the database does not accept
// a value, the request fails. Every column can be written.
var table = oslo.Table{
	{Name: "name", Create: oslo.Anybody, Update: oslo.Anybody, Parse: column(255, "share network")},
	{Name: "description", Create: oslo.Anybody, Update: oslo.Anybody, Parse: column(255, "share network")},
	{Name: "neutron_net_id", Create: oslo.Anybody, Update: oslo.Anybody, Parse: column(36, "share network subnet")},
	{Name: "neutron_subnet_id", Create: oslo.Anybody, Update: oslo.Anybody, Parse: column(36, "share network subnet")},
	{Name: "id", Create: oslo.Anybody, Parse: column(36, "share network")},
	{Name: "project_id", Create: oslo.Anybody, Update: oslo.Anybody, Parse: column(255, "share network")}, // writing it gives the share network to another project
}

func column(size int, of string) oslo.Parser {
	var types oslo.Types = func(oslo.Problem, string, any, any) *oslo.Error {
		return refused(http.StatusInternalServerError, "Could not create %s.", of)
	}
	return oslo.OrNull(types.Text(size))
}

// body reads the share network of a request; attributes that are not in the table are ignored.
func body(c *call) (map[string]any, *oslo.Error) {
	var in any
	if !c.Decode(&in) {
		return nil, badRequest("Malformed request body")
	}
	whole, _ := in.(map[string]any)
	part, given := whole["share_network"]
	if !given {
		return nil, refused(http.StatusUnprocessableEntity, "Unable to process the contained instructions")
	}
	out, ok := part.(map[string]any)
	if !ok {
		return nil, badRequest("The server could not comply with the request since it is either malformed or otherwise incorrect.")
	}
	for _, name := range table.Unknown(out) {
		delete(out, name)
	}
	return out, nil
}

func noRefusal(oslo.Refusal, ...string) *oslo.Error { return nil }

func (m *Manila) create(c *call) (*oslo.Response, error) {
	in, err := body(c)
	if err != nil {
		return nil, err
	}
	_, network := in["neutron_net_id"]
	if _, subnet := in["neutron_subnet_id"]; network != subnet {
		return nil, badRequest("When creating a new share network subnet you need to specify both neutron_net_id and neutron_subnet_id or none of them.")
	}
	if m.quotas.Exceeded(c.Caller.ProjectID, "share_networks", m.held(c.Caller.ProjectID)+1) {
		return nil, refused(http.StatusRequestEntityTooLarge, "ShareNetworksLimitExceeded: Maximum number of share-networks allowed (%d) exceeded.",
			m.quotas.Limit(c.Caller.ProjectID, "share_networks"))
	}
	v, err := table.Create(in, noRefusal)
	if err != nil {
		return nil, err
	}
	n := &shareNetwork{ID: cmp.Or(v.Text("id"), m.cloud.UUID()), Subnet: m.cloud.UUID(), Created: m.cloud.Now()}
	if _, taken := m.networks.Get(n.ID); taken {
		return nil, refused(http.StatusInternalServerError, "Could not create share network.")
	}
	n.take(v)
	n.Project = c.Caller.ProjectID
	m.networks.Add(n)
	return c.answer(n), nil
}

func (n *shareNetwork) take(v oslo.Values) {
	for name, to := range map[string]**string{"name": &n.Name, "description": &n.Description, "neutron_net_id": &n.NetworkID, "neutron_subnet_id": &n.SubnetID} {
		oslo.TakePtr(v, name, to)
	}
	oslo.Take(v, "project_id", &n.Project)
}

// update mirrors manila/api/v2/share_networks.py: update. Only a change of the name, the description or the
// project changes updated_at.
func (m *Manila) update(c *call, n *shareNetwork) (*oslo.Response, error) {
	in, err := body(c)
	if err != nil {
		return nil, err
	}
	_, network := in["neutron_net_id"]
	_, subnet := in["neutron_subnet_id"]
	moved := network || subnet
	switch {
	case moved && n.occupied:
		return nil, refused(http.StatusForbidden, "Cannot update share network %s. It is used by share servers. Only 'name' and 'description' fields are available for update", n.ID)
	case moved && n.NetworkID == nil && n.SubnetID == nil && (in["neutron_net_id"] == nil || in["neutron_subnet_id"] == nil):
		return nil, badRequest("To update the share network %s you need to specify both 'neutron_net_id' and 'neutron_subnet_id'.", n.ID)
	}
	v, err := table.Update(in, noRefusal)
	if err != nil {
		return nil, badRequest("Could not save supplied data due to database error")
	}
	before, now := *n, m.cloud.Now()
	n.take(v)
	if !same(n.Name, before.Name) || !same(n.Description, before.Description) || n.Project != before.Project {
		n.Updated = &now
	}
	if moved {
		n.SubnetModified = &now
	}
	return c.answer(n), nil
}

func same(a, b *string) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func (m *Manila) remove(_ *call, n *shareNetwork) (*oslo.Response, error) {
	if n.occupied {
		return nil, refused(http.StatusConflict, "Can not delete share network %s, it has 1 share(s).", n.ID)
	}
	m.networks.Remove(n.ID)
	return &oslo.Response{Status: http.StatusAccepted}, nil
}
