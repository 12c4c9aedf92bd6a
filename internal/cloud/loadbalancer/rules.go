package loadbalancer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/defaults"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

type rules struct{ defaults defaults.Defaults }

func (rules) Name(w kind.Want[Spec]) string { return w.Key.Name }

func (rules) Match(kind.Want[struct{}], *State) bool { return false }

// Diff reports what [editsOf] would change, and then what differs in the load balancer
// itself.
func (rules) Diff(w kind.Want[Spec], have *State, c *kind.Changes) {
	for _, e := range editsOf(w, have) {
		for _, change := range e.changes {
			c.Add(change)
		}
	}
	kind.Field(c, "spec.name", have.More.Name, w.Key.Name)
	fields.Compare(w, have, c)
}

func compareNetwork(w kind.Want[Spec], have *State, c *kind.Changes) {
	kind.Link(c, networkField(w.Spec), have.More.VIPNetworkID, w.Ref("Network", w.Spec.NetworkRef), kind.Replace)
}

func networkField(spec *Spec) string {
	if spec.VIPNetwork == nil && spec.VIPType != nil {
		return "spec.vipType"
	}
	return "spec.vipNetwork"
}

// compareFlavor never asks for a new load balancer that could not be made.
func compareFlavor(w kind.Want[Spec], have *State, c *kind.Changes) {
	if w.Spec.ServiceType == nil {
		return
	}
	if _, err := have.More.offers.flavor(w.Spec.Flavor); err != nil {
		c.Note("spec.serviceType", err.Error())
		return
	}
	kind.Fixed(c, "spec.serviceType", have.More.offers.flavorName(have.More.FlavorID), w.Spec.Flavor)
}

// compareZone likewise; where load balancers know no zones, it says so.
func compareZone(w kind.Want[Spec], have *State, c *kind.Changes) {
	if w.Spec.Zone == nil {
		return
	}
	if len(have.More.offers.zones) == 0 {
		c.Note("spec.zone", "is accepted and has no effect: this cloud's load balancer service has no availability zones")
		return
	}
	if err := have.More.offers.zone(w.Spec.AvailabilityZone); err != nil {
		c.Note("spec.zone", err.Error())
		return
	}
	kind.Fixed(c, "spec.zone", have.More.AvailabilityZone, w.Spec.AvailabilityZone)
}

// Status implements kind.Rules.
func (rules) Status(s *State) any {
	shown, b := table.Shown{}, &s.More
	table.Show(&s.Spec, shown)
	table.Show(b, shown)
	if name := b.offers.flavorName(b.FlavorID); name != "" {
		shown["flavor"] = name
	}
	showAll(shown, "listeners", b.Listeners, b.showPool)
	if address := table.Or(s.Spec.VIPAddress, ""); address != "" {
		return shown.At([]string{address})
	}
	return shown
}

// showAll shows a list, unless it is empty.
func showAll[T any](shown table.Shown, name string, list []*T, more func(*T, table.Shown)) {
	all := make([]table.Shown, len(list))
	for i, one := range list {
		all[i] = table.Shown{}
		table.Show(one, all[i])
		more(one, all[i])
	}
	if len(all) > 0 {
		shown[name] = all
	}
}

// showPool adds the pool that answers a listener.
func (b *Balancer) showPool(l *Listener, shown table.Shown) {
	p := b.pool(l.PoolID)
	if p == nil {
		return
	}
	shown["algorithm"] = p.Algorithm
	if p.Monitor != nil {
		shown["monitor"] = p.Monitor.Type
	}
	showAll(shown, "members", p.Members, func(*Member, table.Shown) {})
}

// Validate checks what Octavia would refuse, and notes what it cannot do.
func (rules) Validate(spec *Spec, r *kind.Report) {
	seen := map[socket]int{}
	for i := range spec.Ports {
		p := &spec.Ports[i]
		field := portField(i)
		at := socket{transport(p.Protocol), p.Port}
		if first, twice := seen[at]; twice {
			r.Problem(field+".port", fmt.Sprintf("%d is listened on already by %s", p.Port, portField(first)), "give each port once; tcp, http and https share their numbers")
		} else {
			seen[at] = i
		}
		if p.Option != nil {
			r.Note(field+".option", "is accepted and has no effect: OpenStack has nothing like it")
		}
		validateServers(p, field+".realServers", r)
		validateMonitors(p, field+".monitors", r)
	}
}

func validateServers(p *Port, field string, r *kind.Report) {
	s := &p.RealServers
	if s.VirtualMachineGroupRef == nil && len(s.VirtualMachineRefs) == 0 && len(s.ServerRefs) == 0 && len(s.Addresses) == 0 {
		r.Problem(field, "names nobody who answers", "give virtualMachineGroupRef, virtualMachineRefs, serverRefs or addresses")
	}
	spoken := table.Or(s.Protocol, p.Protocol)
	if able := poolProtocols[p.Protocol]; !slices.Contains(able, spoken) {
		r.Problem(field+".protocol", fmt.Sprintf("cannot be %s while clients speak %s", spoken, p.Protocol), "use one of "+list(able))
	}
}

func validateMonitors(p *Port, field string, r *kind.Report) {
	spoken := table.Or(p.RealServers.Protocol, p.Protocol)
	for i := range p.Monitors {
		m, at := &p.Monitors[i], fmt.Sprintf("%s[%d]", field, i)
		if m.Endpoint != nil && m.Protocol != "http" && m.Protocol != "https" {
			r.Problem(at+".endpoint", "means nothing to a monitor that speaks "+m.Protocol, "remove it, or use protocol http or https")
		}
		if able := monitorProtocols(spoken); !slices.Contains(able, m.Protocol) {
			r.Problem(at+".protocol", fmt.Sprintf("cannot be %s for machines that speak %s", m.Protocol, spoken), "use one of "+list(able))
		}
		if delay, timeout := table.Or(m.Delay, defaultDelay), table.Or(m.Timeout, defaultTimeout); timeout >= delay {
			r.Problem(at+".timeout", fmt.Sprintf("of %d s is not less than the delay of %d s", timeout, delay), "make it less, or the delay more")
		}
		if i > 0 {
			r.Note(at, fmt.Sprintf("is accepted and has no effect: Octavia has one health monitor for a port, and %s[0] is it", field))
		}
	}
}

func portField(i int) string { return fmt.Sprintf("spec.ports[%d]", i) }

// poolProtocols are what machines may speak, by what clients do.
// (octavia/common/constants.py: VALID_LISTENER_POOL_PROTOCOL_MAP)
var poolProtocols = map[string][]string{
	"http":  {"http", "proxy", "proxyv2"},
	"https": {"https", "tcp", "proxy", "proxyv2"},
	"tcp":   {"tcp", "http", "https", "proxy", "proxyv2"},
	"udp":   {"udp"},
	"sctp":  {"sctp"},
}

// monitorProtocols are how machines that speak so can be asked.
// (octavia/api/v2/controllers/health_monitor.py: _validate_healthmonitor_request_for_udp_sctp
// and its counterpart for other pools)
func monitorProtocols(spoken string) []string {
	if spoken == "udp" || spoken == "sctp" {
		return []string{"udp", "sctp", "tcp", "http"}
	}
	return []string{"http", "https", "tcp", "tls", "ping"}
}

func list(words []string) string { return strings.Join(words, ", ") }
