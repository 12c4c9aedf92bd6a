package server

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// quotaNeeded counts the server, by its flavor and in total, and the resources of the flavor.
func quotaNeeded(s *Spec, of kind.FactsOf) kind.Amounts {
	flavor := of("Flavor", s.FlavorRef)
	in := func(name, which string) kind.Resource {
		return kind.Resource{Service: cloud.Compute, Name: name, Type: which}
	}
	return kind.Amounts{
		in("instances", ""): 1, in("instances", cmp.Or(flavor.Name, s.FlavorRef)): 1,
		in("cores", ""): int64(max(0, flavor.Size.CPUs)), in("ram", ""): int64(max(0, flavor.Size.Memory)),
	}
}

// judge decides what Nova would refuse to the user of client. client may be nil.
type judge struct{ client *cloud.Client }

// doubtful names a network to which Nova connects only machines of administrators, unless the cloud's policy os_compute_api's
// network:attach_external_network says otherwise. (nova/network/neutron.py: _check_external_network_attach)
func (j judge) doubtful(w want) string {
	for _, name := range w.Spec.NetworkRefs {
		if network := w.Ref("Network", name); network.Expected().External && j.isMember() {
			return fmt.Sprintf("spec.resource.ports: Network %s is external and not shared with the project, so Nova usually connects only machines of administrators to it; use another network with a Router and a FloatingIP, or ask an administrator to share the network", network.Name)
		}
	}
	return ""
}

// impossible returns a reason if Nova refuses the combination of image and flavor. (nova/compute/api.py:
// _validate_flavor_image_nostatus)
func impossible(w want) string {
	flavor, image := w.Ref("Flavor", w.Spec.FlavorRef), w.Ref("Image", w.Spec.ImageRef)
	has, needs := flavor.Facts.Size, image.Facts.Size
	switch {
	case flavor.Facts.Unusable != "":
		return fmt.Sprintf("spec.resource.flavorRef: Flavor %s is %s; choose another", flavor.Name, flavor.Facts.Unusable)
	case has.Memory > 0 && needs.Memory > has.Memory:
		return fmt.Sprintf("spec.resource.flavorRef: Image %s needs %d MiB of memory, and Flavor %s has %d; choose a larger one", image.Name, needs.Memory, flavor.Name, has.Memory)
	case has.Disk > 0 && needs.Disk > has.Disk:
		return fmt.Sprintf("spec.resource.flavorRef: Image %s needs a disk of %d GiB, and Flavor %s has %d; choose a larger one", image.Name, needs.Disk, flavor.Name, has.Disk)
	}
	return ""
}

// isMember reports whether the client is known to be no administrator.
func (j judge) isMember() bool {
	if j.client == nil {
		return false
	}
	roles := j.client.Login().RoleNames
	return len(roles) > 0 && !slices.Contains(roles, "admin")
}
