package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// The collections of offers, as in [kind.Info.Joins].
const (
	flavorList = cloud.LoadBalancer + "/lbaas/flavors"
	zoneList   = cloud.LoadBalancer + "/lbaas/availabilityzones"
)

// joinsOffers returns the collections with which a manifest is compared. Manifests without a flavor or a zone do not manage it.
func joinsOffers(s *Spec) (list []string) {
	if s.ServiceType != nil {
		list = append(list, flavorList)
	}
	if s.Zone != nil {
		list = append(list, zoneList)
	}
	return list
}

// offers are the flavors and availability zones that Octavia offers, as far as they were read. They are not the flavors and zones of machines.
type offers struct {
	flavors []*offer
	zones   []*offer // only enabled ones
	// unknownFlavors and unknownZones are true if these credentials may not list them.
	unknownFlavors, unknownZones bool
}

// offer is a flavor or a zone.
type offer struct {
	ID      string `json:"id" api:"id"`
	Name    string `json:"name" api:"name"`
	Enabled bool   `json:"enabled" api:"enabled"`
}

// offers reads the flavors, the zones, or both. A service that is too old to know zones has none.
func (d driver) offers(ctx context.Context, flavors, zones bool) (o *offers, err error) {
	o = new(offers)
	if flavors {
		if o.unknownFlavors, err = readOffers(ctx, d, &o.flavors, "flavors", "flavors"); err != nil {
			return nil, err
		}
	}
	if zones {
		if o.unknownZones, err = readOffers(ctx, d, &o.zones, "availabilityzones", "availability_zones"); err != nil {
			return nil, err
		}
	}
	o.zones = slices.DeleteFunc(o.zones, func(z *offer) bool { return !z.Enabled })
	return o, nil
}

// readOffers lists flavors or zones. unknown is true if the credentials may not list them. That is no error, because
// load balancers can still be listed.
func readOffers(ctx context.Context, d driver, into *[]*offer, path, name string) (unknown bool, err error) {
	err = readAll(ctx, d, into, path, name)
	switch {
	case errors.Is(err, kind.ErrForbidden):
		return true, nil
	case errors.Is(err, kind.ErrGone):
		return false, nil
	}
	return false, err
}

// flavorName returns the name of the flavor with that ID, or the ID if no such flavor was read.
func (o *offers) flavorName(id string) string {
	if o != nil {
		for _, f := range o.flavors {
			if f.ID == id {
				return f.Name
			}
		}
	}
	return id
}

// choose writes the flavor and the zone of spec to the body of a create request.
func (o *offers) choose(spec *Spec, body map[string]any) error {
	id, err := o.flavor(spec.Flavor)
	if err != nil {
		return err
	}
	if id != "" {
		body["flavor_id"] = id
	}
	if spec.Zone == nil || o.hasNoZones() {
		return nil
	}
	body["availability_zone"] = spec.AvailabilityZone
	return o.zone(spec.AvailabilityZone)
}

// flavor returns the ID of a flavor, or "" if name is "".
func (o *offers) flavor(name string) (id string, err error) {
	switch {
	case name == "":
		return "", nil
	case o.unknownFlavors:
		return "", notListed("flavors", name, "spec.serviceType")
	}
	return offered("flavor", name, o.flavors, "spec.serviceType or the stack's defaults.serviceTypes")
}

func (o *offers) hasNoZones() bool { return len(o.zones) == 0 && !o.unknownZones }

// zone returns an error if the service has zones, but not this one.
func (o *offers) zone(name string) error {
	switch {
	case o.unknownZones:
		return notListed("availability zones", name, "spec.zone")
	case o.hasNoZones():
		return nil
	}
	_, err := offered("availability zone", name, o.zones, "spec.zone or the stack's defaults.zones")
	return err
}

func notListed(what, name, field string) error {
	return fmt.Errorf("%w: these credentials have no permission to list the %s of the load balancer service, so the agent cannot check whether %q exists; remove %s, or ask an administrator for the permission", kind.ErrRejected, what, name, field)
}

// offered returns the ID of the enabled flavor or zone with that name, or an error that lists the enabled ones.
func offered(what, name string, all []*offer, where string) (id string, err error) {
	var names []string
	for _, o := range all {
		if o.Enabled && o.Name == name {
			return o.ID, nil
		}
		if o.Enabled {
			names = append(names, o.Name)
		}
	}
	slices.Sort(names)
	fix := "it has none."
	if near := nearest.Name(name, names); near != "" {
		fix = "did you mean " + near + "?"
	} else if len(names) > 0 {
		fix = "it has " + list(names) + "."
	}
	return "", fmt.Errorf("%w: the load balancer service has no %s %q: %s Correct %s", kind.ErrRejected, what, name, fix, where)
}
