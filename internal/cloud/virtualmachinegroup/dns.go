package virtualmachinegroup

import (
	"cmp"
	"fmt"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// DNS is how a group and its machines are found by name.
type DNS struct {
	ZoneRef string   `json:"zoneRef" rule:"required,min=1" doc:"The DNSZone that the records are in."`
	Name    string   `json:"name,omitempty" rule:"max=200" doc:"Name of the record of all machines; the group's name if left out. Those of each are called NAME-0 and so on, like the machine when NAME is left out."`
	Types   []string `json:"types,omitempty" rule:"min=1,max=2,unique,enum=A|AAAA" doc:"Types of the records; A if left out."`
	TTL     *int     `json:"ttl,omitempty" rule:"min=0,max=2147483647" doc:"Seconds for which answers are kept; as the zone says if left out."`
	Members *bool    `json:"members,omitempty" rule:"default=true" doc:"Whether each machine has a record, too."`
}

// expand adds the record sets. They come last: they ask what the group consists of.
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
			e.Varied("DNSRecordSet", 1, func(int) string { return name(machine) }, []any{record}, func(int) int { return 0 }, when)
		}
	}
}

// record is a record set that follows an object.
func (d *DNS) record(of, called, field, follows string) body {
	r := map[string]any{"zoneRef": d.ZoneRef, "name": called, "type": of, field: follows}
	if d.TTL != nil {
		r["ttl"] = *d.TTL
	}
	return body{map[string]any{"resource": r}}
}
