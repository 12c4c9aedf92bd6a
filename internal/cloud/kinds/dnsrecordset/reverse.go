package dnsrecordset

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// reverseSource returns the source whose address gives a PTR record set its name. ok is false if the manifest itself gives
// the name.
func (s *Spec) reverseSource() (from source, ok bool) {
	from, ok = s.follows()
	return from, ok && s.Type == "PTR"
}

func (s *Spec) validateBackwards(r *kind.Report) {
	from, ok := s.reverseSource()
	switch {
	case !ok:
	case s.Name != "":
		r.Problem(table.Path(from.field), "is given together with name", "remove one of the two: the address gives the name")
	case from.kind == "VirtualMachineGroup":
		r.Problem(table.Path(from.field), "has several addresses, but a PTR record set belongs to one address", "name a machine with virtualMachineRef, or give the group dns.reverseZoneRef")
	}
}

// pointer returns the name with which an address is looked up (RFC 1035, 3.5; RFC 3596, 2.5).
func pointer(a netip.Addr) string {
	var labels []string
	if a.Is4() {
		for _, b := range a.AsSlice() {
			labels = append(labels, strconv.Itoa(int(b)))
		}
		slices.Reverse(labels)
		return strings.Join(labels, ".") + ".in-addr.arpa."
	}
	for _, b := range a.AsSlice() {
		labels = append(labels, fmt.Sprintf("%x", b>>4), fmt.Sprintf("%x", b&15))
	}
	slices.Reverse(labels)
	return strings.Join(labels, ".") + ".ip6.arpa."
}

// reverseName returns the reverse name of the source's first address that is in the zone, or "" if there is none. missing is an
// object that is ready and has no such address, or "" while that is unknown.
func reverseName(w typed.Want[Spec], from source) (name, missing string) {
	zone := strings.ToLower(w.Ref("DNSZone", w.Spec.ZoneRef).Facts.Name)
	for _, ref := range w.Spec.addressed(w, from) {
		for _, text := range ref.Facts.Addresses {
			a, err := netip.ParseAddr(text)
			if err != nil || zone == "" {
				continue
			}
			if name := pointer(a.Unmap().WithZone("")); strings.HasSuffix(name, "."+zone) {
				return name, ""
			}
		}
		if ref.Ready && zone != "" {
			missing = ref.Key.String()
		}
	}
	return "", missing
}

// nowhere returns the sentence that says why the record set gets no name.
func nowhere(w typed.Want[Spec], missing string) string {
	return fmt.Sprintf("%s has no address in zone %s; name another object, or the zone of its network's addresses", missing, w.Ref("DNSZone", w.Spec.ZoneRef).Facts.Name)
}

// compareBackwards replaces the record set if its source has another address, because another address is another name.
// While the source has no address, the existing record set is not changed.
func compareBackwards(w typed.Want[Spec], from source, have *object, c *kind.Changes) {
	switch name, missing := reverseName(w, from); {
	case missing != "":
		c.Note(table.Path(from.field), "the record set is not changed: "+nowhere(w, missing))
	case name != "" && !strings.EqualFold(name, have.Spec.Name):
		kind.Fixed(c, table.Path(from.field), have.Spec.Name, name)
	}
}
