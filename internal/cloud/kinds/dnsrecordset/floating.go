package dnsrecordset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

const (
	fixed    = "fixed"
	floating = "floating"
)

// private are the last labels of zones that are not queried from the internet. (RFC 6762, appendix G; RFC 8375; ICANN on
// .internal)
var private = []string{"internal", "local", "localdomain", "lan", "intranet", "private", "corp", "home", "home.arpa"}

func isPrivate(zone string) bool {
	zone = strings.ToLower(strings.TrimSuffix(zone, "."))
	return slices.ContainsFunc(private, func(last string) bool { return zone == last || strings.HasSuffix(zone, "."+last) })
}

// expandFloating finds the floating IPs that lead to the object that from refers to. If addressType is left out and the
// zone is private or unknown, a note says which addresses the records get.
func (s *Spec) expandFloating(from source, e *kind.Expansion) {
	s.FloatingIPRefs, s.FloatingOf = nil, nil
	if from.kind == "" || from.kind == "FloatingIP" || s.Type != "A" || s.AddressType == fixed {
		s.noFloating(from, e)
		return
	}
	targets, toKind := s.PortRefs, "Port"
	switch from.kind {
	case "LoadBalancer", "Port":
		targets, toKind = []string{from.ref}, from.kind
	}
	for _, target := range targets {
		for _, name := range leading(e, toKind, target) {
			s.FloatingIPRefs, s.FloatingOf = append(s.FloatingIPRefs, name), append(s.FloatingOf, target)
		}
	}
	zone := e.Stated("DNSZone", s.ZoneRef).Name
	switch at := table.Path(from.field); {
	case len(s.FloatingIPRefs) == 0:
		s.noFloating(from, e)
	case s.AddressType == floating:
	case isPrivate(zone):
		e.Note(at, fmt.Sprintf("%s/%s has a floating IP, and the record has its fixed address, because %s is a private zone by its name; for the floating IP, set addressType: floating", from.kind, from.ref, zone))
	case zone == "":
		e.Note(at, fmt.Sprintf("%s/%s has a floating IP. The record has that address, unless the zone is private by its name; addressType chooses the other one", from.kind, from.ref))
	default:
		e.Note(at, fmt.Sprintf("%s/%s has a floating IP, so the record has that address; for its fixed address, set addressType: fixed", from.kind, from.ref))
	}
}

// leading returns the names of the floating IPs that lead to a port or a load balancer. Each has its own manifest, or
// was expanded from a machine or a load balancer.
func leading(e *kind.Expansion, toKind, target string) []string {
	of := toKind
	if of == "Port" {
		of = "VirtualMachine" // a machine's first port has the machine's name
	}
	members, _ := e.Members(of, target, "FloatingIP")
	names := slices.Concat(e.Referring("FloatingIP", toKind, target), members)
	slices.Sort(names)
	return slices.Compact(names)
}

// noFloating refuses an addressType that requests floating IPs if the records can have none.
func (s *Spec) noFloating(from source, e *kind.Expansion) {
	switch at := table.Path("addressType"); {
	case s.AddressType == "":
	case from.kind == "" || s.Type != "A" && s.Type != "AAAA":
		e.Problem(at, "chooses between the addresses of another object, but the records do not come from another object", "remove it")
	case s.AddressType == floating && from.kind != "FloatingIP":
		e.Problem(at, fmt.Sprintf("is floating, but no FloatingIP of the repository belongs to %s/%s for records of type %s", from.kind, from.ref, s.Type), "give that object a floatingIP, or remove addressType")
	}
}

// reached returns the objects whose addresses are used for ref: the floating IPs of ref if they apply, or else ref.
func (s *Spec) reached(w typed.Want[Spec], ref kind.Ref) (list []kind.Ref) {
	zone := w.Ref("DNSZone", s.ZoneRef)
	if s.AddressType == "" && isPrivate(cmp.Or(zone.Facts.Name, zone.Stated().Name)) {
		return []kind.Ref{ref}
	}
	for i, name := range s.FloatingIPRefs {
		if s.FloatingOf[i] == ref.Key.Name {
			list = append(list, w.Ref("FloatingIP", name))
		}
	}
	if len(list) == 0 {
		return []kind.Ref{ref}
	}
	return list
}
