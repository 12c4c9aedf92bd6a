package loadbalancer

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud/mark"
	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// populatedCreate names the ability to create a load balancer together with its children. Octavia 11.0.0 accepts such a
// request and leaves the children in PENDING_CREATE forever. 11.0.1 mends this, but 12.0.0 still leaves pools without a
// listener in PENDING_CREATE. The API's version does not show whether a service has this fault.
const populatedCreate = "load balancers created in one request"

// stuck are listeners and pools that Octavia has left in PENDING_CREATE.
type stuck struct {
	listeners []*Listener
	pools     []*Pool
}

func (s stuck) none() bool { return len(s.listeners)+len(s.pools) == 0 }

// lastPending are the IDs of the listeners and pools that were in PENDING_CREATE under an ACTIVE load balancer in the last
// list.
type lastPending struct {
	mu  sync.Mutex
	ids map[string]bool
}

// replace records the IDs of a new list, and returns the IDs of the list before.
func (d *lastPending) replace(ids map[string]bool) map[string]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.ids
	d.ids = ids
	return before
}

// slowest is the longest time for which a child may remain in PENDING_CREATE after its load balancer was changed last,
// with a provider other than Octavia's own.
const slowest = 2 * time.Minute

// mayBeStuck reports whether everything under the load balancer should be finished by now. Octavia's own provider
// reports the load balancer as PENDING_ while it changes a child. Other providers may report the load balancer as ACTIVE
// before its children, so their children get more time.
func (b *Balancer) mayBeStuck(now time.Time) bool {
	if b.ProvisioningStatus != "ACTIVE" || slices.Contains(amphorae, b.Provider) {
		return b.ProvisioningStatus == "ACTIVE"
	}
	last := b.CreatedAt.Time
	if b.UpdatedAt.Time.After(last) {
		last = b.UpdatedAt.Time
	}
	return !last.IsZero() && now.Sub(last) > slowest
}

// findStuck moves stuck objects out of the trees. An object is stuck if it is in PENDING_CREATE under an ACTIVE load
// balancer in two lists in a row. One list is not enough, because the load balancer is read before its children, and
// becomes ACTIVE some milliseconds before them.
func (d driver) findStuck(balancers map[string]*Balancer, now time.Time) {
	doubtful := map[string]bool{}
	for _, b := range balancers {
		if b.mayBeStuck(now) {
			b.children(func(_ string, c *child) {
				if c.ProvisioningStatus == "PENDING_CREATE" {
					doubtful[c.ID] = true
				}
			})
		}
	}
	before := d.lastPending.replace(doubtful)
	for _, b := range balancers {
		b.removeStuck(func(c *child) bool { return doubtful[c.ID] && before[c.ID] })
		if !b.Stuck.none() {
			d.c.Lack(populatedCreate)
		}
	}
}

// removeStuck moves the stuck listeners and pools out of the tree, so that they count as missing. Whether they belong to
// the stack is decided later, see [editor.stuck].
func (b *Balancer) removeStuck(is func(*child) bool) {
	b.Listeners = slices.DeleteFunc(b.Listeners, func(l *Listener) bool {
		if is(&l.child) {
			b.Stuck.listeners = append(b.Stuck.listeners, l)
		}
		return is(&l.child)
	})
	b.Pools = slices.DeleteFunc(b.Pools, func(p *Pool) bool {
		if is(&p.child) {
			b.Stuck.pools = append(b.Stuck.pools, p)
		}
		return is(&p.child)
	})
}

// unfinished returns the tags of a load balancer whose children are not all created yet.
func unfinished(m kind.Mark, user []string) []string {
	m.Applied = kind.Unfinished
	return mark.Tags(m, user)
}

// stuck appends the removal of stuck objects that are not left to others. It comes before other edits, because their
// names and ports must be free, and stuck objects do no work. Before all of them, the mark is set to
// unfinished, so that an interrupted update does not look like a change by people.
func (e *editor) stuck(b *Balancer, left foreignIDs) {
	remove := func(c *child, what, path string) {
		if left[c.ID] {
			return
		}
		if found := mark.InTags(b.AllTags); !e.unfinished && found != nil {
			tags := unfinished(*found, mark.UserTags(b.AllTags))
			e.sequel(portList, func() request { return put("loadbalancer", b.ID, map[string]any{"tags": tags}) })
		}
		e.unfinished = true
		e.remove(portList, what+", which the cloud left unfinished", nil, path+c.ID)
	}
	for _, l := range b.Stuck.listeners {
		remove(&l.child, fmt.Sprintf("%s %d", l.Protocol, l.Port), "listeners/")
	}
	for _, p := range b.Stuck.pools {
		remove(&p.child, "pool "+p.Name, "pools/")
	}
}

// live converts the load balancer to a [typed.Live].
func live(s *State, project string) typed.Live[State] {
	b := &s.More
	phase, message := b.phase()
	out := typed.Live[State]{Live: kind.Live{
		ID: b.ID, Name: b.Name, Mark: mark.InTags(b.AllTags), InOwnProject: b.ProjectID == project, Phase: phase, Message: message,
		Created: b.CreatedAt.Time, Updated: b.UpdatedAt.Time, Uses: b.uses(), Unwell: b.unwell(), Lag: b.lag(), Drained: b.drained(),
		Facts: kind.Facts{Address: table.Or(s.Spec.VIPAddress, ""), PortID: b.VIPPortID, SubnetID: b.VIPSubnetID, NetworkID: b.VIPNetworkID},
	}, State: s}
	if address := out.Facts.Address; address != "" {
		out.Facts.Addresses = []string{address}
	}
	if b.VIPPortID != "" {
		out.Tokens = []string{b.VIPPortID} // the port of the load balancer's address: it is deleted with the load balancer
	}
	return out
}

func (b *Balancer) uses() []string {
	uses := []string{b.VIPNetworkID, b.VIPSubnetID}
	for _, v := range b.AdditionalVIPs {
		uses = append(uses, v.SubnetID)
	}
	b.members(func(_ *Pool, m *Member) {
		if m.SubnetID != "" {
			uses = append(uses, m.token())
		}
	})
	for _, l := range b.Listeners {
		uses = append(uses, l.secrets()...)
	}
	return uses
}

// unwell returns the machines that do not work although another machine of the pool does, according to the health
// monitor. If no member of a pool works, or their status is unknown, it returns none of that pool.
func (b *Balancer) unwell() (tokens []string) {
	for _, p := range b.Pools {
		var idle []string
		serving := false
		for _, m := range p.Members {
			switch {
			case m.OperatingStatus == "ONLINE":
				serving = true
			case m.SubnetID != "" && m.OperatingStatus != "NO_MONITOR":
				idle = append(idle, m.token())
			}
		}
		if serving {
			tokens = append(tokens, idle...)
		}
	}
	return tokens
}

// drained returns the machines that get no new connections, each with the latest time at which that may have begun. The
// time is not exact, because a change of one member writes all members of its pool.
func (b *Balancer) drained() map[string]time.Time {
	out := map[string]time.Time{}
	b.members(func(_ *Pool, m *Member) {
		if m.SubnetID == "" {
			return
		}
		if since, seen := out[m.token()]; m.Weight == 0 && (!seen || m.UpdatedAt.Add(time.Second).After(since)) {
			out[m.token()] = m.UpdatedAt.Add(time.Second) // Octavia cuts off fractions of a second, so one second is added
		}
	})
	b.members(func(_ *Pool, m *Member) {
		if m.Weight > 0 {
			delete(out, m.token())
		}
	})
	return out
}

// lag returns the time that the slowest health monitor needs to notice a change. It is the time for the required number
// of checks in a row, and the timeout of the last one.
func (b *Balancer) lag() (longest time.Duration) {
	for _, p := range b.Pools {
		if m := p.Monitor; m != nil && m.AdminStateUp {
			longest = max(longest, time.Duration(m.Delay*max(m.Retries, m.RetriesDown)+m.Timeout)*time.Second)
		}
	}
	return longest
}

// phase returns the phase and a message. The phase follows from the provisioning status. The operating status shows
// machines that are down, and is only in the message, because nothing waits for it.
//
//	load balancer    objects under it             phase
//	-------------    ----------------             -----
//	PENDING_DELETE   any status                   deleting
//	PENDING_…        any status                   pending
//	ERROR            none is ACTIVE               failed (degraded if the operating status is ONLINE)
//	ERROR            one is ACTIVE                degraded: replacing it would lose its address
//	ACTIVE           one is PENDING_…             pending
//	ACTIVE           one is in ERROR              degraded
//	ACTIVE           all are ACTIVE               ready
func (b *Balancer) phase() (kind.Phase, string) {
	var pending, broken, worked string
	b.children(func(what string, c *child) {
		switch {
		case strings.HasPrefix(c.ProvisioningStatus, "PENDING_"):
			pending = what + " is " + c.ProvisioningStatus
		case c.ProvisioningStatus == "ERROR":
			broken = what + " is in ERROR"
		case c.ProvisioningStatus == "ACTIVE":
			worked = what
		}
	})
	switch {
	case b.ProvisioningStatus == "PENDING_DELETE":
		return kind.Deleting, b.ProvisioningStatus
	case strings.HasPrefix(b.ProvisioningStatus, "PENDING_"):
		return kind.Pending, b.ProvisioningStatus
	case b.ProvisioningStatus == "ERROR" && worked == "" && b.OperatingStatus != "ONLINE":
		return kind.Failed, "Octavia could not make it"
	case b.ProvisioningStatus == "ERROR":
		return kind.Degraded, "provisioning status ERROR: Octavia cannot change it any more; ask an administrator for a failover (openstack loadbalancer failover " + b.ID + "), or delete the load balancer to have it recreated with another address"
	case pending != "":
		return kind.Pending, pending
	case broken != "":
		return kind.Degraded, broken + "; delete it in the cloud to have it recreated"
	}
	return kind.Ready, b.health()
}

// health returns a text with the members that are down, or "" if none is.
func (b *Balancer) health() string {
	var down []string
	b.members(func(p *Pool, m *Member) {
		if slices.Contains([]string{"ERROR", "OFFLINE", "DEGRADED"}, m.OperatingStatus) {
			down = append(down, m.socket()+" of "+p.Name+" is "+m.OperatingStatus)
		}
	})
	text := ""
	if b.OperatingStatus != "ONLINE" && b.OperatingStatus != "NO_MONITOR" {
		text = "operating status " + b.OperatingStatus
	}
	if len(down) > 0 && text != "" {
		text += ": "
	}
	return text + list(down)
}
