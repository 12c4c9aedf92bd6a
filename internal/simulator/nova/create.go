package nova

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/pattern"
	"github.com/stackreeve/stackreeve/internal/simulator/oslo"
	"github.com/stackreeve/stackreeve/internal/simulator/pyjson"
)

func (n *Nova) addServers() {
	n.handle("GET /v2.1/servers", 1, n.listServers(false))
	n.handle("GET /v2.1/servers/detail", 1, n.listServers(true))
	n.handle("POST /v2.1/servers", 1, n.createServers)
	n.handle("GET /v2.1/servers/{id}", 1, n.showServer)
	n.handle("PUT /v2.1/servers/{id}", 1, n.updateServer)
	n.handle("DELETE /v2.1/servers/{id}", 1, n.deleteServer)
	n.addMetadata()
	n.addTags()
}

func (n *Nova) showServer(c *call) (*oslo.Response, error) {
	s, err := n.find(c)
	if err != nil {
		return nil, err
	}
	return oslo.OK(map[string]any{"server": n.viewer(c).full(s, true)}), nil
}

// createServers mirrors nova/api/openstack/compute/servers.py: create.
func (n *Nova) createServers(c *call) (*oslo.Response, error) {
	body, err := c.read(createSchema(c.minor))
	if err != nil {
		return nil, err
	}
	in := body.Object("server")
	s := &Server{Project: c.Caller.ProjectID, User: c.Caller.UserID, Name: strings.TrimSpace(in.Text("name")), Metadata: map[string]string{}, Tags: []string{},
		DiskConfig: "MANUAL", AccessIPv4: in.Text("accessIPv4"), AccessIPv6: in.Text("accessIPv6"), zoneAsked: in.Text("availability_zone")}
	if d := in.Text("OS-DCF:diskConfig"); d != "" {
		s.DiskConfig = d
	}
	least, most, err := counts(in)
	if err != nil {
		return nil, err
	}
	steps := []func(*call, *Server, *pyjson.Object) error{n.takeZone, n.takeNetworks, n.takeFlavor, n.takeDisks, n.takeImage, n.takeKey, takeTexts, n.checkNetworks, n.takeGroups}
	for _, step := range steps {
		if err := step(c, s, in); err != nil {
			return nil, err
		}
	}
	if most > 1 && slices.ContainsFunc(s.wanted, func(w nic) bool { return w.port != "" || w.fixedIP != "" }) {
		return nil, badRequest("Unable to launch multiple instances with a single configured port ID. Please launch your instance one by one with different ports.")
	}
	if most > 1 && slices.ContainsFunc(s.disks, func(d disk) bool { return d.source == "volume" }) {
		return nil, badRequest("Cannot attach one or more volumes to multiple instances")
	}
	hints := body.Object("os:scheduler_hints")
	if hints == nil {
		hints = body.Object("OS-SCH-HNT:scheduler_hints")
	}
	g, err := n.takeHints(c, s, hints)
	if err != nil {
		return nil, err
	}
	total, err := n.room(c, s, least, most)
	if err != nil {
		return nil, err
	}
	return n.launch(c, s, g, total, in)
}

func counts(in *pyjson.Object) (least, most int, err error) {
	least, most = 1, 1
	if in.Has("min_count") {
		least, _ = strconv.Atoi(in.Text("min_count"))
		most = least
	}
	if in.Has("max_count") {
		most, _ = strconv.Atoi(in.Text("max_count"))
	}
	if least > most {
		return 0, 0, badRequest("min_count must be <= max_count")
	}
	return least, most, nil
}

// launch stores the new servers and answers. Later events of the clock build the servers.
func (n *Nova) launch(c *call, proto *Server, g *group, total int, in *pyjson.Object) (*oslo.Response, error) {
	reservation := "r-" + n.word(8)
	var first *Server
	for i := range total {
		s := *proto
		s.ID, s.launchIndex, s.reservation = n.cloud.UUID(), i, reservation
		if total > 1 {
			s.Name = fmt.Sprintf("%s-%d", proto.Name, i+1)
		}
		if s.Hostname == "" || total > 1 {
			s.Hostname = sanitizeHostname(s.Name, s.ID)
		}
		s.Metadata, s.Tags, s.wanted, s.disks = clone(proto.Metadata), slices.Clone(proto.Tags), slices.Clone(proto.wanted), slices.Clone(proto.disks)
		n.serial++
		s.number = n.serial
		s.Created = n.cloud.Now()
		n.to(&s, building, "scheduling", powerNone)
		if err := n.reserveAll(&s); err != nil {
			return nil, err
		}
		n.servers.Add(&s)
		n.record(c, &s, "create")
		if g != nil {
			s.group = g.ID
			g.members = append(slices.Clone(g.members), s.ID)
		}
		n.schedule(s.ID)
		if first == nil {
			first = &s
		}
	}
	if v, _ := in.Get("return_reservation_id"); pyjson.Truthy(v) {
		return oslo.Accepted(map[string]string{"reservation_id": reservation}), nil
	}
	pass := in.Text("adminPass")
	if pass == "" {
		pass = n.word(12)
	}
	groups := []named{}
	for _, item := range in.List("security_groups") {
		if o, ok := item.(*pyjson.Object); ok {
			groups = append(groups, named{o.Text("name")})
		}
	}
	if len(groups) == 0 {
		groups = append(groups, named{"default"})
	}
	return oslo.Accepted(map[string]any{"server": map[string]any{"id": first.ID, "links": links(c, "servers/"+first.ID), "OS-DCF:diskConfig": first.DiskConfig,
		"security_groups": groups, "adminPass": pass}}).With("Location", c.Base+"/v2.1/servers/"+first.ID), nil
}

func clone(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func (n *Nova) word(length int) string {
	const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	b := make([]byte, length)
	for i := range b {
		b[i] = letters[n.cloud.Intn(len(letters))]
	}
	return string(b)
}

var notHostname = pattern.Of(`[^\w.-]+`)

// sanitizeHostname mirrors nova/utils.py: sanitize_hostname.
func sanitizeHostname(name, id string) string {
	h := strings.NewReplacer(" ", "-", "_", "-", ".", "-").Replace(name)
	h = strings.Trim(strings.ToLower(notHostname.ReplaceAllString(h, "")), ".-")
	if h == "" {
		h = "Server-" + id
	}
	return h[:min(63, len(h))]
}
