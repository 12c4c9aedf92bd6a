package virtualmachine

import (
	"github.com/stackreeve/stackreeve/internal/cloud/machine"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// plug adds a port, and finds what else it needs on its network.
func plug(name string, i machine.Interface, e *kind.Expansion) {
	for _, group := range i.SecurityGroups {
		machine.Existing(e, "SecurityGroup", group)
	}
	if i.Subnet != "" {
		e.Existing("Subnet", i.Subnet, machine.ImportIn(i.Subnet, i.Network), "")
	}
	e.Child("Port", name, resource(port(i)))
}

// attach adds a volume of the machine's own, or finds the one that is meant.
func attach(v machine.Volume, s *Spec, e *kind.Expansion) {
	if v.VolumeRef != "" {
		machine.Existing(e, "Volume", v.VolumeRef)
		return
	}
	machine.Existing(e, "VolumeType", v.Type)
	f := fields{"size": *v.Size}
	f.put("volumeTypeRef", v.Type)
	f.put("availabilityZone", zone(s, e))
	spec := fields{"resource": f}
	if v.OnDelete == "detach" {
		spec["managedOptions"] = fields{"onDelete": "detach"}
	}
	e.Child("Volume", partName(e, v.Name), fields{"spec": spec})
}

// portRefs are the ports of the server: the one on its network is the first.
func portRefs(s *Spec, e *kind.Expansion) []fields {
	list := []fields{{"portRef": e.Key.Name}}
	for _, i := range s.Ports {
		list = append(list, fields{"portRef": partName(e, i.Name)})
	}
	return list
}

func volumeRefs(s *Spec, e *kind.Expansion) (list []fields) {
	for _, v := range s.Volumes {
		name := v.VolumeRef
		if name == "" {
			name = partName(e, v.Name)
		}
		list = append(list, fields{"volumeRef": name})
	}
	return list
}

// partName is the name of a part that the machine can have several of.
func partName(e *kind.Expansion, name string) string { return e.Key.Name + "-" + name }
