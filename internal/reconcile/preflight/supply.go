package preflight

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// supply is an object that gives addresses, such as a subnet.
type supply struct {
	name     string
	id       string        // ID in the cloud; "" if it does not exist yet
	manifest *kind.Desired // nil if it has no manifest
	cidr     netip.Prefix
	pools    []kind.Pool
	taken    map[netip.Addr]bool // taken addresses of the pools; true if the stack has the address
	any      int                 // number of further addresses that must come from this supply
	reported bool
}

// find finds the objects of these kinds that give addresses: those with a manifest, and others in the cloud.
func (c *capacity) find(givers map[string]bool) {
	found := map[string]bool{}
	for _, o := range c.objects {
		if !givers[o.Key.Kind] {
			continue
		}
		ref := o.ref()
		if found[ref.ID] && !ref.Replacing {
			continue // another manifest describes the same object
		}
		found[ref.ID] = ref.ID != ""
		s := newSupply(o.Key.String(), ref.Expected(), ref.Stated())
		s.manifest, s.id = o.Desired, ref.ID
		c.add(s, identity(ref))
		c.put(ref.Expected().NetworkID, s)
		for _, r := range o.Refs {
			c.put(identity(o.view.Ref(r.Key.Kind, r.Key.Name)), s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(givers)) {
		for _, item := range c.have[name].Items {
			if c.have[name].Err == nil && !found[item.ID] {
				s := newSupply(manifest.Key{Kind: name, Name: cmp.Or(item.Name, item.ID)}.String(), item.Facts, kind.Facts{})
				s.id = item.ID
				c.add(s, item.ID)
				c.put(item.Facts.NetworkID, s)
			}
		}
	}
}

func (c *capacity) add(s *supply, at string) {
	c.supplies = append(c.supplies, s)
	c.put(at, s)
}

// put records a supply under the name of an object that it is a supply for; "" is ignored.
func (c *capacity) put(at string, s *supply) {
	if at != "" && !slices.Contains(c.at[at], s) {
		c.at[at] = append(c.at[at], s)
	}
}

// newSupply returns a supply with the larger pools: those of the cloud or those of the manifest. The plan also carries out a change of
// pools.
func newSupply(name string, there, stated kind.Facts) *supply {
	s := &supply{name: name, pools: there.Pools, taken: map[netip.Addr]bool{}}
	s.cidr, _ = netip.ParsePrefix(there.CIDR)
	if addressesIn(stated.Pools) > addressesIn(s.pools) {
		s.pools = stated.Pools
	}
	return s
}

// addressesIn returns the number of addresses in IPv4 pools.
func addressesIn(pools []kind.Pool) (n int) {
	for _, p := range pools {
		n += number(p.Last) - number(p.First) + 1
	}
	return n
}

func number(at netip.Addr) (n int) {
	for _, b := range at.As4() {
		n = n<<8 | int(b)
	}
	return n
}

// occupy records the addresses that objects of these kinds in the cloud will still have after the plan.
func (c *capacity) occupy(takers map[string]bool) {
	if len(c.supplies) == 0 {
		return
	}
	there := map[string]bool{}
	for _, collection := range c.have {
		for _, item := range collection.Items {
			there[item.ID] = true
		}
	}
	for name := range takers {
		if c.have[name].Err != nil {
			continue
		}
		for _, item := range c.have[name].Items {
			stays, own := c.staying[item.ID]
			if !own && item.ServesID != "" {
				stays, own = c.staying[item.ServesID]
				own = own || !there[item.ServesID] // the address is freed with that object, which may be gone already
			}
			if item.Phase == kind.Deleting || own && !stays {
				continue
			}
			for _, token := range item.Tokens {
				of, what, _ := strings.Cut(token, "/")
				c.take(of, what, own)
			}
		}
	}
}

// take records that an address of a supply is taken.
func (c *capacity) take(at, address string, own bool) {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return
	}
	for _, s := range c.at[at] {
		if slices.ContainsFunc(s.pools, func(p kind.Pool) bool { return p.Has(ip) }) {
			s.taken[ip] = s.taken[ip] || own
		}
	}
}

// counts returns three numbers: the addresses of the pools, the addresses that the stack has or will have, and the addresses that others
// have.
func (s *supply) counts() (has, own, others int) {
	own = s.any
	for _, mine := range s.taken {
		if mine {
			own++
		} else {
			others++
		}
	}
	return addressesIn(s.pools), own, others
}

// shortage returns the shortage of a subnet if that many more addresses are needed from it. It returns nil if there is no shortage, or if it
// was returned before.
func (s *supply) shortage(more int) []Shortage {
	has, own, others := s.counts()
	short := Shortage{Has: has, Needs: own + more, Others: others}
	if s.reported || s.manifest == nil || s.pools == nil || short.missing() <= 0 {
		return nil
	}
	s.reported = true
	short.Key, short.Origin = s.manifest.Key, s.manifest.Origin
	return []Shortage{short}
}
