package loadbalancer

import (
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// populatedCreate is the ability to create a load balancer together with what is
// under it. Octavia 11.0.0 accepts such a request and leaves the children in
// PENDING_CREATE for ever (corrected in 11.0.1; 12.0.0 still does so to pools
// without a listener). No version document says so.
const populatedCreate = "load balancers created in one request"

// stuck is a listener or a pool that Octavia has left in PENDING_CREATE.
type stuck struct{ what, path string }

// doubts are the listeners and pools that the last list found in PENDING_CREATE
// under an ACTIVE load balancer, by ID.
type doubts struct {
	mu  sync.Mutex
	ids map[string]bool
}

// replace returns what the list before found.
func (d *doubts) replace(ids map[string]bool) map[string]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.ids
	d.ids = ids
	return before
}

// mayBeStuck reports whether Octavia should be done with everything under the load
// balancer. Its own provider keeps the load balancer in PENDING_ while it works on
// a child; others may report the load balancer first, so theirs are waited for.
func (s *State) mayBeStuck() bool {
	return s.ProvisioningStatus == "ACTIVE" && slices.Contains([]string{"amphora", "amphorav2", "octavia"}, s.Provider)
}

// findStuck takes out of the trees what is stuck: in PENDING_CREATE under an
// ACTIVE load balancer in two lists in a row. One is not enough: the load balancer
// is read before its children, and becomes ACTIVE some milliseconds before them.
func (d driver) findStuck(balancers map[string]*State) {
	doubtful := map[string]bool{}
	for _, s := range balancers {
		if s.mayBeStuck() {
			s.children(func(_ string, c *child) {
				if c.ProvisioningStatus == "PENDING_CREATE" {
					doubtful[c.ID] = true
				}
			})
		}
	}
	before := d.doubts.replace(doubtful)
	for _, s := range balancers {
		s.setAside(func(c *child) bool { return doubtful[c.ID] && before[c.ID] })
		if len(s.Stuck) > 0 {
			d.c.Lack(populatedCreate)
		}
	}
}

// setAside moves the listeners and pools that are stuck out of the tree, so that
// they count as missing, and the load balancer as unfinished.
func (s *State) setAside(is func(*child) bool) {
	move := func(what, path string) bool {
		s.Stuck = append(s.Stuck, stuck{what + ", which the cloud left unfinished", path})
		return true
	}
	s.Listeners = slices.DeleteFunc(s.Listeners, func(l *Listener) bool {
		return is(&l.child) && move(fmt.Sprintf("%s %d", l.Protocol, l.Port), "listeners/"+l.ID)
	})
	s.Pools = slices.DeleteFunc(s.Pools, func(p *Pool) bool {
		return is(&p.child) && move("pool "+p.Name, "pools/"+p.ID)
	})
	if mark := cloud.MarkInTags(s.Tags); mark != nil && len(s.Stuck) > 0 {
		s.Tags = unfinished(*mark, cloud.UserTags(s.Tags))
	}
}

// unfinished are the tags of a load balancer some of whose children are missing,
// because nobody has made them yet.
func unfinished(m kind.Mark, user []string) []string {
	m.Applied = kind.Unfinished
	return cloud.Tags(m, user)
}

// stuck appends the removal of what is stuck. It comes first, since names and
// ports must be free and nothing is served by it; the mark before it, so that a
// kill in between is nobody's change.
func (e *editor) stuck(have *State) {
	if len(have.Stuck) > 0 {
		e.sequel("spec.ports", nil, func() request {
			return request{http.MethodPut, "loadbalancers/" + e.id, "loadbalancer", map[string]any{"tags": have.Tags}}
		})
	}
	for _, x := range have.Stuck {
		e.remove("spec.ports", x.what, x.path)
	}
}
