package preflight

import (
	"maps"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan"
	"github.com/stackreeve/stackreeve/internal/reconcile/plan/decide"
)

// A subnet has a limited number of IPv4 addresses. A new object needs a certain address that its manifest names, any address of a certain
// subnet, or any address of a network, from any of its subnets. There are two comparisons:
//
//	of        compared                                                   skipped if
//	--------  ---------------------------------------------------------  ------------------------------------
//	a subnet  its pools, with the addresses that are taken or needed     its pools are not known yet
//	            from this subnet
//	a network the pools of all its subnets, with all addresses that are  one of its subnets is not known, such
//	            taken or needed                                            as a subnet of another project
//
// An object that stays keeps its present address, even if its manifest names another one. A deleted object frees its address. Objects of
// others count as far as the cloud shows them. If an amount is unknown, no shortage is reported.

// Shortage is a subnet, or a network with all its subnets, that has fewer addresses than needed.
type Shortage struct {
	Key    manifest.Key
	Origin manifest.Origin
	// Subnets are the names of a network's subnets; nil if Key is a subnet itself.
	Subnets            []string
	Has, Needs, Others int
}

// Cause describes the shortage.
func (s Shortage) Cause() cause.Cause {
	gives := cause.Of(cause.GivesAddresses, s.Has)
	if s.Subnets != nil {
		gives = cause.Of(cause.SubnetsGive, strings.Join(s.Subnets, ", "), s.Has)
	}
	if s.Others > 0 {
		gives = cause.Of(cause.OthersHave, gives, s.Others)
	}
	return cause.Of(cause.TooFewAddresses, gives, s.Needs, s.missing())
}

func (s Shortage) missing() int { return s.Needs + s.Others - s.Has }

// ShortagesOf returns the subnets and networks that would not have enough addresses for their objects once the plan is carried out. have
// contains the cloud's objects.
func ShortagesOf(p plan.Plan, kinds []*kind.Kind, have kind.Snapshot) []Shortage {
	c := newCapacity(kinds, have)
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Have != nil && !s.Unmanaged() {
			c.staying[s.ID()] = !s.Action.Destroys()
		}
		if s.Want != nil && !s.Surplus {
			c.objects = append(c.objects, wanted{s.Want, s.View(), creates(s)})
		}
	}
	return c.compare()
}

// ShortagesIn does the same as [ShortagesOf] for the manifests of a repository, without a cloud. Members that groups have only at certain
// times do not count.
func ShortagesIn(kinds []*kind.Kind, want []kind.Desired) []Shortage {
	c, view := newCapacity(kinds, nil), decide.Views(kinds, want)
	for i := range want {
		if d := &want[i]; !d.Virtual && !d.Spare && !d.Scaled && !d.Absent() {
			c.objects = append(c.objects, wanted{d, view(d), d.Spec != nil && !d.Unmanaged && !d.Options.Suspend})
		}
	}
	return c.compare()
}

// creates reports whether a step creates an object.
func creates(s *plan.Step) bool { return s.Action == plan.Create || s.Action == plan.Recreate }

// wanted is a desired object as its kind sees it.
type wanted struct {
	*kind.Desired
	view    kind.Want
	creates bool
}

func (w wanted) ref() kind.Ref { return w.view.Ref(w.Key.Kind, w.Key.Name) }

type capacity struct {
	kinds    map[string]*kind.Kind
	have     kind.Snapshot
	objects  []wanted
	staying  map[string]bool // by ID: whether an object of the stack stays
	supplies []*supply
	at       map[string][]*supply // by the object itself, and by the object that it belongs to
}

func newCapacity(kinds []*kind.Kind, have kind.Snapshot) *capacity {
	c := &capacity{kinds: map[string]*kind.Kind{}, have: have, staying: map[string]bool{}, at: map[string][]*supply{}}
	for _, k := range kinds {
		c.kinds[k.Info.Kind] = k
	}
	return c
}

// identity identifies the target of a reference: an object of the cloud, or one that will be created.
func identity(ref kind.Ref) string {
	if ref.ID != "" && !ref.Replacing {
		return ref.ID
	}
	return ref.Key.String()
}

func (c *capacity) compare() (list []Shortage) {
	claims := c.claims()
	givers, takers := map[string]bool{}, map[string]bool{}
	for _, claim := range claims {
		givers[sourceKind(claim)], takers[claim.HolderKind] = true, true
	}
	c.find(givers)
	c.occupy(takers)
	networks, any := map[string]kind.Claim{}, map[string]int{}
	for _, claim := range claims {
		switch at := identity(claim.Owner); {
		case claim.Value != "":
			c.take(at, claim.Value, true)
		case claim.From == "":
			for _, s := range c.at[at] {
				s.any++
			}
		default:
			networks[at] = claim
			any[at]++
		}
	}
	for _, at := range slices.Sorted(maps.Keys(networks)) {
		list = append(list, c.onNetwork(networks[at], any[at])...)
	}
	for _, s := range c.supplies {
		list = append(list, s.shortage(0)...)
	}
	return list
}

// claims returns the claims of new objects to addresses that can be counted.
func (c *capacity) claims() (list []kind.Claim) {
	for _, o := range c.objects {
		k := c.kinds[o.Key.Kind]
		if k == nil || k.ExclusiveClaims == nil || !o.creates {
			continue
		}
		for _, claim := range k.ExclusiveClaims(o.view) {
			if claim.From != "" || claim.Owner.Expected().Pools != nil {
				list = append(list, claim)
			}
		}
	}
	return list
}

// sourceKind returns the kind of the object that gives an address.
func sourceKind(c kind.Claim) string {
	if c.From != "" {
		return c.From
	}
	return c.Owner.Key.Kind
}

// onNetwork compares the addresses that are needed from a network with the pools of all its subnets. It skips a network with an unknown
// subnet.
func (c *capacity) onNetwork(claim kind.Claim, any int) (list []Shortage) {
	of, known := claim.Owner, map[string]bool{}
	var subnets []*supply
	for _, s := range c.at[identity(of)] {
		known[s.id] = true
		switch {
		case s.cidr.IsValid() && s.cidr.Addr().Is6(): // the port gets an IPv6 address in addition to an IPv4 address
		case s.pools == nil:
			return nil
		default:
			subnets = append(subnets, s)
		}
	}
	if of.ID == "" && !of.Managed || !of.Replacing && slices.ContainsFunc(of.Facts.Subnets, func(id string) bool { return !known[id] }) {
		return nil
	}
	if len(subnets) == 1 && subnets[0].manifest != nil {
		return subnets[0].shortage(any)
	}
	sum := Shortage{Key: of.Key, Needs: any}
	for _, s := range subnets {
		list = append(list, s.shortage(0)...)
		has, own, others := s.counts()
		sum.Subnets, sum.Has, sum.Needs, sum.Others = append(sum.Subnets, s.name), sum.Has+has, sum.Needs+own, sum.Others+others
	}
	if len(list) > 0 || len(subnets) == 0 || sum.missing() <= 0 {
		return list
	}
	if at := slices.IndexFunc(c.objects, func(o wanted) bool { return o.Key == of.Key }); at >= 0 {
		sum.Origin = c.objects[at].Origin
	}
	return []Shortage{sum}
}
