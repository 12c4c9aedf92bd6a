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

// offers are the flavors and availability zones that a load balancer service
// has, which are not those of machines.
type offers struct {
	flavors []flavor
	zones   []string
}

type flavor struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
}

// offers asks for them. Services too old to know zones have none.
func (d driver) offers(ctx context.Context) (*offers, error) {
	o := &offers{}
	var err error
	if o.flavors, err = list1[flavor](ctx, d, "flavors", false); err != nil && !errors.Is(err, kind.ErrGone) {
		return nil, err
	}
	if o.zones, err = d.zoneNames(ctx); err != nil && !errors.Is(err, kind.ErrGone) {
		return nil, err
	}
	return o, nil
}

// flavorName is how people call the flavor with that ID.
func (o *offers) flavorName(id string) string {
	for _, f := range o.flavors {
		if f.ID == id {
			return f.Name
		}
	}
	return id
}

// choose puts the flavor and the zone that spec asks for into the body of a
// create request.
func (o *offers) choose(spec *Spec, body map[string]any) error {
	if err := o.flavor(spec.Flavor); err != nil {
		return err
	}
	for _, f := range o.flavors {
		if f.Enabled && f.Name == spec.Flavor {
			body["flavor_id"] = f.ID
		}
	}
	if spec.Zone == nil || len(o.zones) == 0 {
		return nil
	}
	body["availability_zone"] = spec.AvailabilityZone
	return o.zone(spec.AvailabilityZone)
}

// flavor is an error when there is no such flavor. "" stands for none.
func (o *offers) flavor(name string) error {
	names := enabled(o.flavors)
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return notOffered("flavor", name, names, "spec.serviceType or the stack's defaults.serviceTypes")
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

// zoneNames lists the enabled zones, sorted.
func (d driver) zoneNames(ctx context.Context) ([]string, error) {
	zones, err := cloud.List[flavor](ctx, d.c, cloud.Call{Service: cloud.LoadBalancer, Path: "lbaas/availabilityzones"}, "availability_zones")
	return enabled(zones), err
}

// enabled names those that are enabled, sorted.
func enabled(all []flavor) []string {
	var names []string
	for _, f := range all {
		if f.Enabled {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}
