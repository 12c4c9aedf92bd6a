package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stackreeve/stackreeve/internal/nearest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// offers are the flavors and availability zones that a load balancer service
// has, which are not those of machines.
type offers struct {
	flavors []*offer
	zones   []string
}

// offer is a flavor or a zone.
type offer struct {
	ID      string `json:"id" api:"id"`
	Name    string `json:"name" api:"name"`
	Enabled bool   `json:"enabled" api:"enabled"`
}

// offers asks for them. Services too old to know zones have none.
func (d driver) offers(ctx context.Context) (*offers, error) {
	flavors, err := readAll[offer](ctx, d, "flavors", "flavors")
	if err != nil && !errors.Is(err, kind.ErrGone) {
		return nil, err
	}
	zones, err := readAll[offer](ctx, d, "availabilityzones", "availability_zones")
	if err != nil && !errors.Is(err, kind.ErrGone) {
		return nil, err
	}
	return &offers{flavors, enabled(zones)}, nil
}

// enabled names those that are enabled, sorted.
func enabled(all []*offer) (names []string) {
	for _, o := range all {
		if o.Enabled {
			names = append(names, o.Name)
		}
	}
	slices.Sort(names)
	return names
}

// flavorName is how people call the flavor with that ID, which has none any more where
// it is gone.
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

// choose puts the flavor and the zone that spec asks for into the body of a
// create request.
func (o *offers) choose(spec *Spec, body map[string]any) error {
	id, err := o.flavor(spec.Flavor)
	if err != nil {
		return err
	}
	if id != "" {
		body["flavor_id"] = id
	}
	if spec.Zone == nil || len(o.zones) == 0 {
		return nil
	}
	body["availability_zone"] = spec.AvailabilityZone
	return o.zone(spec.AvailabilityZone)
}

// flavor is the ID of a flavor, which must be enabled; "" stands for none.
func (o *offers) flavor(name string) (id string, err error) {
	for _, f := range o.flavors {
		if f.Enabled && f.Name == name {
			id = f.ID
		}
	}
	if id == "" && name != "" {
		err = notOffered("flavor", name, enabled(o.flavors), "spec.serviceType or the stack's defaults.serviceTypes")
	}
	return id, err
}

// zone is an error when there are zones, and not this one.
func (o *offers) zone(name string) error {
	if len(o.zones) == 0 || slices.Contains(o.zones, name) {
		return nil
	}
	return notOffered("availability zone", name, o.zones, "spec.zone or the stack's defaults.zones")
}

func notOffered(what, name string, have []string, where string) error {
	fix := "it has none."
	if near := nearest.Name(name, have); near != "" {
		fix = "did you mean " + near + "?"
	} else if len(have) > 0 {
		fix = "it has " + list(have) + "."
	}
	return fmt.Errorf("%w: the load balancer service has no %s %q: %s Correct %s", kind.ErrRejected, what, name, fix, where)
}
