package dnsrecordset

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/stackreeve/stackreeve/internal/cloud/table"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind/typed"
)

// source is a reference from which records are derived, instead of from the field records.
type source struct{ field, kind, ref string }

// sources returns all these references, in the order of the manifest's fields.
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

// follows returns the reference that the manifest sets. ok is false if it sets none.
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
		first = "" // for PTR, the source gives the name and not the records
	}
	for _, from := range s.sources() {
		switch {
		case from.ref == "":
			continue
		case first != "":
			r.Problem(table.Path(from.field), "is given together with "+first, "remove one of them")
		case s.Type != "A" && s.Type != "AAAA" && s.Type != "PTR":
			r.Problem(table.Path(from.field), "is given for records of type "+s.Type, "use type A, AAAA or PTR, or give records")
		}
		first = from.field
	}
	if given == "" && (first == "" || s.Type == "PTR") {
		r.Problem(table.Path("records"), "is missing", "give records; or, for types A and AAAA, a reference to the object with the addresses, such as loadBalancerRef; or, for CNAME and PTR, a recordSetRef")
	}
	s.validateBackwards(r)
}

// validateTargets checks records and recordSetRef, the fields that give records directly. It returns the name of the
// field that is set, or "" if there is none.
func (s *Spec) validateTargets(r *kind.Report) (given string) {
	if len(s.Records) > 0 {
		given = "records"
	}
	switch {
	case s.RecordSetRef == "":
		return given
	case given != "":
		r.Problem(table.Path("recordSetRef"), "is given together with records", "remove one of them")
	case s.Type != "CNAME" && s.Type != "PTR":
		r.Problem(table.Path("recordSetRef"), "is given for records of type "+s.Type, "use type CNAME or PTR, or give records")
	}
	return "recordSetRef"
}

// expand creates no object. It finds the first port of each machine that the manifest refers to, as a load balancer
// does. The port of a server outside the repository is unknown: only the cloud knows it.
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

// derived has the wanted records, which are derived from the manifest's references.
type derived struct {
	field   string // the path of the field from which the records are derived
	records []string
	// missing is the first referenced object that has no address of the type, or "" if each object has one. there is
	// true if that object is ready.
	missing string
	there   bool
}

// why returns the sentence that says what f.missing lacks.
func (f derived) why(of string) string {
	if of != "A" && of != "AAAA" {
		return f.missing + " has no name yet"
	}
	return fmt.Sprintf("%s has no %s address; name another object, or another type", f.missing, map[string]string{"A": "IPv4", "AAAA": "IPv6"}[of])
}

// following returns the wanted records, derived from the manifest's references.
func following(w typed.Want[Spec]) derived {
	from, ok := w.Spec.follows()
	switch {
	case w.Spec.RecordSetRef != "":
		return named(w)
	case ok && w.Spec.Type != "PTR":
		return addresses(w, from)
	}
	f := derived{field: table.Path("records")}
	for _, text := range w.Spec.Records {
		record, _, _ := spell(w.Spec.Type, text)
		f.records = append(f.records, record)
	}
	return f
}

// named returns a record that contains the name of another record set.
func named(w typed.Want[Spec]) derived {
	f, ref := derived{field: table.Path("recordSetRef")}, w.Ref("DNSRecordSet", w.Spec.RecordSetRef)
	if ref.Facts.Name == "" {
		f.missing = ref.Key.String()
		return f
	}
	f.records = []string{ref.Facts.Name}
	return f
}

// addressed returns the objects whose addresses a source stands for.
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

// addresses returns records with the addresses of the objects that from refers to.
func addresses(w typed.Want[Spec], from source) derived {
	f := derived{field: table.Path(from.field)}
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

// family returns the addresses that a record of the given type can contain.
func family(addresses []string, of string) (list []string) {
	for _, text := range addresses {
		if a, err := netip.ParseAddr(text); err == nil && a.Is4() == (of == "A") {
			list = append(list, a.String())
		}
	}
	return list
}

// compareRecords does not change the existing records while a referenced object has no address, because they are still
// valid answers.
func compareRecords(w typed.Want[Spec], have *object, c *kind.Changes) {
	f := following(w)
	seen := canonical(w.Spec.Type, have.Spec.Records)
	switch {
	case f.missing != "" && f.there:
		c.Note(f.field, "the records are not changed: "+f.why(w.Spec.Type))
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
