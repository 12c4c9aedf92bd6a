package subnetpool

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

func validate(s *Spec, r *kind.Report) {
	list, _ := prefixes(s.Prefixes)
	for i, p := range list {
		if p.Addr().Is4() != list[0].Addr().Is4() {
			r.Problem(fmt.Sprintf("spec.resource.prefixes[%d]", i), "has a different IP version from the first prefix", "make a pool for each version")
		}
	}
	longest := Length(32)
	if len(list) > 0 && list[0].Addr().Is6() {
		longest = 128
	}
	least, most := table.Or(s.MinPrefixLen, 0), table.Or(s.MaxPrefixLen, longest)
	switch chosen := table.Or(s.DefaultPrefixLen, max(least, min(most, longest))); {
	case most > longest:
		r.Problem("spec.resource.maxPrefixLength", fmt.Sprintf("is longer than %d", longest), "make it shorter")
	case least > most:
		r.Problem("spec.resource.minPrefixLength", fmt.Sprintf("is longer than maxPrefixLength %d", most), "swap them")
	case chosen < least || chosen > most:
		r.Problem("spec.resource.defaultPrefixLength", fmt.Sprintf("is not from %d to %d", least, most), "choose one between minPrefixLength and maxPrefixLength")
	}
}

// prefixes parses networks. ok is false if one of the texts is not a network.
func prefixes(texts []string) (list []netip.Prefix, ok bool) {
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, false
		}
		list = append(list, p.Masked())
	}
	return list, true
}

// comparePrefixes compares the addresses that the prefixes cover, because Neutron joins
// adjacent prefixes. Neutron never removes a prefix (db/db_base_plugin_v2.py:
// IllegalSubnetPoolPrefixUpdate).
func comparePrefixes(w typed.Want[Spec], have *table.Object[Spec, More], c *kind.Changes) {
	want, ok := prefixes(w.Spec.Prefixes)
	present, known := prefixes(have.Spec.Prefixes)
	if !ok || !known {
		kind.Set(c, "spec.resource.prefixes", have.Spec.Prefixes, w.Spec.Prefixes, kind.InPlace)
		return
	}
	cost := kind.InPlace
	if !slices.ContainsFunc(present, func(p netip.Prefix) bool { return !covered(p, want) }) {
		if !slices.ContainsFunc(want, func(p netip.Prefix) bool { return !covered(p, present) }) {
			return
		}
	} else {
		cost = kind.Replace
	}
	kind.Set(c, "spec.resource.prefixes", have.Spec.Prefixes, w.Spec.Prefixes, cost)
}

// covered reports whether the list covers all addresses of p: by one prefix, or by prefixes
// that cover both halves.
func covered(p netip.Prefix, list []netip.Prefix) bool {
	if slices.ContainsFunc(list, func(q netip.Prefix) bool { return q.Bits() <= p.Bits() && q.Contains(p.Addr()) }) {
		return true
	}
	if !slices.ContainsFunc(list, p.Overlaps) {
		return false
	}
	low := netip.PrefixFrom(p.Addr(), p.Bits()+1)
	bytes := p.Addr().AsSlice()
	bytes[p.Bits()/8] |= 0x80 >> (p.Bits() % 8)
	high, _ := netip.AddrFromSlice(bytes)
	return covered(low, list) && covered(netip.PrefixFrom(high, p.Bits()+1), list)
}
