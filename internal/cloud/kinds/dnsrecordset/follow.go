package dnsrecordset

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// source is a field from which records are derived, in place of the field records.
type source struct{ field, kind, ref string }

// sources are all such fields, in the manifest's order.
func (s *Spec) sources() []source {
	return []source{
		{"virtualMachineRef", "VirtualMachine", s.VirtualMachineRef},
		{"virtualMachineGroupRef", "VirtualMachineGroup", s.VirtualMachineGroupRef},
		{"loadBalancerRef", "LoadBalancer", s.LoadBalancerRef},
		{"floatingIPRef", "FloatingIP", s.FloatingIPRef},
		{"portRef", "Port", s.PortRef},
		{"serverRef", "Server", s.ServerRef},
	}
}

// follows is the source that is set; ok is false if there is none.
func (s *Spec) follows() (from source, ok bool) {
	for _, from := range s.sources() {
		if from.ref != "" {
			return from, true
		}
	}
	return source{}, false
}

func (s *Spec) validateSource(r *kind.Report) {
	given := s.validateTargets(r)
	first := given
	if s.Type == "PTR" {
		first = "" // for PTR the source gives the name, not the records
	}
	for _, from := range s.sources() {
		switch {
		case from.ref == "":
			continue
		case first != "":
			r.Problem(table.Path(from.field), "is given along with "+first, "remove one of them")
		case s.Type != "A" && s.Type != "AAAA" && s.Type != "PTR":
			r.Problem(table.Path(from.field), "is given for records of type "+s.Type, "use type A, AAAA or PTR, or give records")
		}
		first = from.field
	}
	if given == "" && (first == "" || s.Type == "PTR") {
		r.Problem(table.Path("records"), "is missing", "give records, or for types A and AAAA what they are the addresses of, such as loadBalancerRef, or for CNAME and PTR a recordSetRef")
	}
	s.validateBackwards(r)
}

// validateTargets checks the fields that give records directly. It returns the one that is set, or "" for none.
func (s *Spec) validateTargets(r *kind.Report) (given string) {
	if len(s.Records) > 0 {
		given = "records"
	}
	switch {
	case s.RecordSetRef == "":
		return given
	case given != "":
		r.Problem(table.Path("recordSetRef"), "is given along with records", "remove one of them")
	case s.Type != "CNAME" && s.Type != "PTR":
		r.Problem(table.Path("recordSetRef"), "is given for records of type "+s.Type, "use type CNAME or PTR, or give records")
	}
	return "recordSetRef"
}

// expand creates no object. It finds the ports of the machines referred to, as a load balancer does. For a
// server outside the repository, only the cloud knows the port.
func expand(s *Spec, e *kind.Expansion) {
	s.PortRefs = nil
	from, _ := s.follows()
	ports, ok := []string(nil), true
	switch from.kind {
	case "VirtualMachine", "VirtualMachineGroup":
		machines := []string{from.ref}
		if from.kind != "VirtualMachine" {
			machines, ok = e.Members(from.kind, from.ref, "VirtualMachine")
		}
		for i := 0; ok && i < len(machines); i++ {
			ports, ok = e.Members("VirtualMachine", machines[i], "Port")
			s.PortRefs = append(s.PortRefs, ports[:min(1, len(ports))]...)
		}
	case "Server":
		ports, _ = e.Referred("Server", from.ref, "Port")
		s.PortRefs = ports[:min(1, len(ports))]
	}
	if !ok {
		e.Missing(table.Path(from.field), from.kind, from.ref, "")
	}
	s.expandFloating(from, e)
}

// followed are the wanted records, according to the references of the manifest.
type followed struct {
	field   string // from which they are derived, as a path
	records []string
	// missing is the first referenced object without an address of the type, "" for none; there says whether that
	// object is ready.
	missing string
	there   bool
}

// why says what is missing.
func (f followed) why(of string) string {
	if of != "A" && of != "AAAA" {
		return f.missing + " has no name yet"
	}
	return fmt.Sprintf("%s has no %s address; name another object, or another type", f.missing, map[string]string{"A": "IPv4", "AAAA": "IPv6"}[of])
}

// following are the wanted records.
func following(w typed.Want[Spec]) followed {
	from, ok := w.Spec.follows()
	switch {
	case w.Spec.RecordSetRef != "":
		return named(w)
	case ok && w.Spec.Type != "PTR":
		return addresses(w, from)
	}
	f := followed{field: table.Path("records")}
	for _, text := range w.Spec.Records {
		record, _, _ := spell(w.Spec.Type, text)
		f.records = append(f.records, record)
	}
	return f
}

// named are records with the name of another record set.
func named(w typed.Want[Spec]) followed {
	f, ref := followed{field: table.Path("recordSetRef")}, w.Ref("DNSRecordSet", w.Spec.RecordSetRef)
	if ref.Facts.Name == "" {
		f.missing = ref.Key.String()
		return f
	}
	f.records = []string{ref.Facts.Name}
	return f
}

// addressed are the objects that have the addresses of a source.
func (s *Spec) addressed(w typed.Want[Spec], from source) (refs []kind.Ref) {
	kindName, names := from.kind, []string{from.ref}
	if strings.HasPrefix(kindName, "VirtualMachine") || len(s.PortRefs) > 0 {
		kindName, names = "Port", s.PortRefs
	}
	for _, name := range names {
		if ref := w.Ref(kindName, name); !ref.Spare {
			refs = append(refs, ref)
		}
	}
	return refs
}

// addresses are records with the addresses of objects.
func addresses(w typed.Want[Spec], from source) followed {
	f := followed{field: table.Path(from.field)}
	for _, ref := range w.Spec.addressed(w, from) {
		for _, ref := range w.Spec.reached(w, ref) {
			own := family(ref.Facts.Addresses, w.Spec.Type)
			if len(own) == 0 && f.missing == "" {
				f.missing, f.there = ref.Key.String(), ref.Ready
			}
			f.records = append(f.records, own...)
		}
	}
	return f
}

// family selects the addresses that records of a type can hold.
func family(addresses []string, of string) (list []string) {
	for _, text := range addresses {
		if a, err := netip.ParseAddr(text); err == nil && a.Is4() == (of == "A") {
			list = append(list, a.String())
		}
	}
	return list
}

// compareRecords keeps the existing records while a referenced object has no address: the other records are
// still valid answers.
func compareRecords(w typed.Want[Spec], have *object, c *kind.Changes) {
	f := following(w)
	seen := canonical(w.Spec.Type, have.Spec.Records)
	switch {
	case f.missing != "" && f.there:
		c.Note(f.field, "the records stay as they are: "+f.why(w.Spec.Type))
	case f.missing != "":
		c.Add(kind.Change{Field: f.field, Have: seen, Want: "known once " + f.missing + " is ready"})
	default:
		kind.Set(c, f.field, seen, canonical(w.Spec.Type, f.records), kind.InPlace)
	}
}

func writeRecords(w typed.Want[Spec], _ *object, body map[string]any) {
	if f := following(w); f.missing == "" {
		body["records"] = append([]string{}, f.records...)
	}
}
