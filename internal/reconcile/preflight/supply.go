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

// supply is what gives out addresses.
type supply struct {
	name  string
	id    string        // in the cloud; "" of one that is not there
	of    *kind.Desired // nil where no manifest stands for it
	cidr  netip.Prefix
	pools []kind.Pool
	taken map[netip.Addr]bool // those of the pools; whether the stack has it
	any   int                 // that will be taken besides, of it alone
	said  bool
}

// find finds what gives addresses, of those kinds: what manifests stand for, and what else the cloud has.
func (c *capacity) find(givers map[string]bool) {
	found := map[string]bool{}
	for _, o := range c.objects {
		if !givers[o.Key.Kind] {
			continue
		}
		ref := o.ref()
		if found[ref.ID] && !ref.Anew {
			continue // another manifest stands for the same
		}
		found[ref.ID] = ref.ID != ""
		s := newSupply(o.Key.String(), ref.Expected(), ref.Stated())
		s.of, s.id = o.Desired, ref.ID
		c.add(s, identity(ref))
		c.put(ref.Expected().NetworkID, s)
		for _, r := range o.Refs {
			c.put(identity(o.view.Ref(r.Key.Kind, r.Key.Name)), s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(givers)) {
		for i := range c.have[name].Items {
			if item := &c.have[name].Items[i]; c.have[name].Err == nil && !found[item.ID] {
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

// put notes by what a supply is asked for; "" for nothing.
func (c *capacity) put(at string, s *supply) {
	if at != "" && !slices.Contains(c.at[at], s) {
		c.at[at] = append(c.at[at], s)
	}
}

// newSupply uses the larger pools, the cloud's or the manifest's, since a change of pools is carried out, too.
func newSupply(name string, there, stated kind.Facts) *supply {
	s := &supply{name: name, pools: there.Pools, taken: map[netip.Addr]bool{}}
	s.cidr, _ = netip.ParsePrefix(there.CIDR)
	if addressesIn(stated.Pools) > addressesIn(s.pools) {
		s.pools = stated.Pools
	}
	return s
}

// addressesIn is how many addresses are in pools of IPv4.
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

// occupy notes which addresses stay taken by what the cloud has, of those kinds.
func (c *capacity) occupy(takers map[string]bool) {
	if len(c.supplies) == 0 {
		return
	}
	there := map[string]bool{}
	for _, collection := range c.have {
		for i := range collection.Items {
			there[collection.Items[i].ID] = true
		}
	}
	for name := range takers {
		if c.have[name].Err != nil {
			continue
		}
		for i := range c.have[name].Items {
			item := &c.have[name].Items[i]
			stays, own := c.staying[item.ID]
			if !own && item.ServesID != "" {
				stays, own = c.staying[item.ServesID]
				own = own || !there[item.ServesID] // it goes with that, and may be gone already
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

// take notes that an address is taken of what gives it.
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

// counts are how many addresses there are, how many the stack has of them or will have, and how many others have.
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

// scarce says, once, that a subnet has too few addresses with so many more to be taken of it.
func (s *supply) scarce(more int) []Scarce {
	has, own, others := s.counts()
	short := Scarce{Has: has, Needs: own + more, Others: others}
	if s.said || s.of == nil || s.pools == nil || short.missing() <= 0 {
		return nil
	}
	s.said = true
	short.Key, short.Origin = s.of.Key, s.of.Origin
	return []Scarce{short}
}
