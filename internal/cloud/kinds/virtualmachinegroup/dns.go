package virtualmachinegroup

import (
	"cmp"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// DNS says under which names a group and its machines can be found.
type DNS struct {
	ZoneRef string   `json:"zoneRef" rule:"required,min=1" doc:"The DNSZone that the records are in."`
	Name    string   `json:"name,omitempty" rule:"max=200" doc:"Name of the record of all machines; the group's name if left out. The records of single machines are called NAME-0 and so on. If NAME is left out, they have the names of the machines."`
	Types   []string `json:"types,omitempty" rule:"min=1,max=2,unique,enum=A|AAAA" doc:"Types of the records; A if left out."`
	TTL     *int     `json:"ttl,omitempty" rule:"min=0,max=2147483647" doc:"Seconds for which clients may store an answer; the value of the zone if left out."`
	Members *bool    `json:"members,omitempty" rule:"default=true" doc:"Whether each machine has a record of its own, too."`
	// ReverseZoneRef is a zone for addresses of one family, IPv4 or IPv6. It does
	// not depend on Types.
	ReverseZoneRef string `json:"reverseZoneRef,omitempty" rule:"min=1" doc:"A DNSZone that contains the addresses of the machines, such as 0.0.10.in-addr.arpa. Each machine gets a PTR record there, with the name of the machine's own record."`
}

func (d *DNS) validate(r *kind.Report) {
	if d != nil && d.ReverseZoneRef != "" && d.Members != nil && !*d.Members {
		r.Problem("spec.dns.reverseZoneRef", "needs a record of each machine, but members: false switches these off", "remove one of them")
	}
}

// expand adds the record sets. It is called last, because the record sets need
// the members of the group.
func (d *DNS) expand(numbers []int, least int, e *kind.Expansion) {
	if d == nil {
		return
	}
	types := d.Types
	if types == nil {
		types = []string{"A"}
	}
	for _, of := range types {
		name := func(name string) string {
			if of == "AAAA" {
				return name + "-aaaa"
			}
			return name
		}
		called := cmp.Or(d.Name, e.Key.Name)
		e.Child("DNSRecordSet", name(e.Key.Name), d.record(of, called, "virtualMachineGroupRef", e.Key.Name))
		if d.Members != nil && !*d.Members {
			continue
		}
		for i, n := range numbers {
			machine, when := fmt.Sprintf("%s-%d", e.Key.Name, n), kind.Always
			if i >= least {
				when = kind.Scaled
			}
			record := d.record(of, fmt.Sprintf("%s-%d", called, n), "virtualMachineRef", machine)
			single(e, name(machine), record, when)
			if of == types[0] && d.ReverseZoneRef != "" {
				single(e, machine+"-ptr", d.pointer(name(machine), machine), when)
			}
		}
	}
}

// single adds one record set that exists as long as its machine exists.
func single(e *kind.Expansion, name string, record body, when kind.Presence) {
	e.Varied("DNSRecordSet", 1, func(int) string { return name }, []any{record}, func(int) int { return 0 }, when)
}

// pointer is the PTR record set that maps a machine's address to the name of its
// record.
func (d *DNS) pointer(record, machine string) body {
	return d.lasting(map[string]any{"zoneRef": d.ReverseZoneRef, "type": "PTR", "recordSetRef": record, "virtualMachineRef": machine})
}

// record returns a record set with the addresses of the object that field refers
// to.
func (d *DNS) record(of, called, field, follows string) body {
	return d.lasting(map[string]any{"zoneRef": d.ZoneRef, "name": called, "type": of, field: follows})
}

// lasting adds the TTL to a record set.
func (d *DNS) lasting(r map[string]any) body {
	if d.TTL != nil {
		r["ttl"] = *d.TTL
	}
	return body{map[string]any{"resource": r}}
}
