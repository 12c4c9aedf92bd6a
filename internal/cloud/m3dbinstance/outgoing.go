package m3dbinstance

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/m3"
	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// highest is the highest number that a machine can have that is not wanted any more.
const highest = 1023

// spare are the machines of a cluster that are not wanted any more, and had an instance.
func spare(around kind.Around, c *cluster, recorded map[string]bool) (list []*machine) {
	ports, servers := around.Owned("Port"), around.Owned("Server")
	wanted := map[string]bool{}
	for i := range around.Want {
		if around.Want[i].Key.Namespace == c.key.Namespace {
			wanted[around.Want[i].Key.Name] = true
		}
	}
	for n := range highest + 1 {
		key := c.key
		key.Name = c.name + "-" + strconv.Itoa(n)
		at := manifest.Key{Kind: "Port", Namespace: key.Namespace, Name: key.Name}
		port := ports[kind.OwnerText(around.Stack, at)]
		if wanted[key.Name] || port == nil || !recorded[port.ID] {
			continue
		}
		m := &machine{key: key, portID: port.ID, address: port.Facts.Address, recorded: true}
		if at.Kind = "Server"; servers[kind.OwnerText(around.Stack, at)] != nil {
			m.host.ID = servers[kind.OwnerText(around.Stack, at)].ID
		}
		list = append(list, m)
	}
	return list
}

// unwanted are the instances of machines that no manifest asks for any more. They go one at a time, the last ones first.
func (c *cluster) unwanted(around kind.Around, p *m3.Placement) (all []live) {
	if p == nil {
		return c.unknown(around)
	}
	ports, servers := around.Owned("Port"), around.Owned("Server")
	before := ""
	for _, h := range p.Instances {
		name := m3.MachineOf(h.ID)
		if !c.numbers(name) || slices.ContainsFunc(around.Want, func(d kind.Desired) bool { return d.Key.Namespace == c.key.Namespace && d.Key.Name == name }) {
			continue
		}
		key := c.key
		key.Name = name
		l := live{ID: h.ID, Name: name, Mine: true, Mark: &kind.Mark{Owner: kind.OwnerText(around.Stack, key), Keep: c.keeps}, Tokens: []string{"m3db " + h.Address}, Phase: kind.Ready,
			State: &State{Address: h.Address}}
		l.State.take(&h)
		if h.Leaving > 0 {
			l.Phase, l.Message = kind.Deleting, l.State.moving()
		}
		key.Group, key.Kind = "", "Port"
		if port := ports[kind.OwnerText(around.Stack, key)]; port != nil {
			if l.Uses = append(l.Uses, port.ID); port.Facts.Address == h.Address {
				c.outgoing = append(c.outgoing, h.Address)
			}
		}
		key.Kind = "Server"
		if server := servers[kind.OwnerText(around.Stack, key)]; server != nil {
			l.Uses = append(l.Uses, server.ID)
		}
		if before != "" {
			l.Uses = append(l.Uses, before)
		}
		before = h.ID
		all = append(all, l)
	}
	for _, l := range all {
		l.State.others = c.addresses(nil)
	}
	return all
}

// unknown are the machines that are not wanted any more while it is not known whether they still have shards: they stay.
func (c *cluster) unknown(around kind.Around) (all []live) {
	for _, m := range c.spare {
		l := live{ID: "port " + m.portID, Name: m.key.Name, Mine: true, Mark: &kind.Mark{Owner: kind.OwnerText(around.Stack, m.key), Keep: c.keeps}, Uses: []string{m.portID},
			Phase: kind.Degraded, Down: "unknown", Message: "it is not known which shards it has", State: &State{Address: m.address}}
		if m.host.ID != "" {
			l.Uses = append(l.Uses, m.host.ID)
		}
		all = append(all, l)
	}
	return all
}

// numbers reports whether a name is that of a machine of the cluster.
func (c *cluster) numbers(name string) bool {
	number, found := strings.CutPrefix(name, c.name+"-")
	return found && number != "" && strings.Trim(number, "0123456789") == ""
}
