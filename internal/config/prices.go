package config

import (
	"math/big"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/reconcile/preflight"
)

// Prices are the prices of resources per hour, so that plans show their cost per month.
type Prices struct {
	Currency     string                      `json:"currency" rule:"required,pattern=^[A-Z]{3}$" doc:"Currency of all prices, by its ISO 4217 code, e.g. EUR."`
	Flavors      map[string]manifest.Decimal `json:"flavors,omitempty" doc:"Price of a machine for an hour, by the name of its flavor in the cloud. \"*\" is the price for every other flavor."`
	VolumeGB     map[string]manifest.Decimal `json:"volumeGB,omitempty" doc:"Price of a GiB of a volume for an hour, by the name of its volume type in the cloud. \"*\" is the price for every other volume."`
	FloatingIP   *manifest.Decimal           `json:"floatingIP,omitempty" doc:"Price of a floating IP for an hour."`
	LoadBalancer *manifest.Decimal           `json:"loadBalancer,omitempty" doc:"Price of a load balancer for an hour."`
}

// anyOther is the name for the price of all resources that are not listed.
const anyOther = "*"

// Prices returns the prices in the stack's configuration, or nil if there are none. Services and quotas have the
// names that kinds use for counting their objects.
func (s *Stack) Prices() *preflight.Prices {
	p := s.Spec.Prices
	if p == nil {
		return nil
	}
	table := &preflight.Prices{Currency: p.Currency, Hour: map[kind.Resource]*big.Rat{}}
	add := func(service, name string, prices map[string]manifest.Decimal) {
		table.Priced = append(table.Priced, kind.Resource{Service: service, Name: name})
		for which, price := range prices {
			if which == anyOther {
				which = ""
			}
			table.Hour[kind.Resource{Service: service, Name: name, Type: which}] = price.Rat()
		}
	}
	one := func(price *manifest.Decimal) map[string]manifest.Decimal {
		if price == nil {
			return nil
		}
		return map[string]manifest.Decimal{anyOther: *price}
	}
	add("compute", "instances", p.Flavors)
	add("block-storage", "gigabytes", p.VolumeGB)
	add("network", "floatingip", one(p.FloatingIP))
	add("load-balancer", "load_balancer", one(p.LoadBalancer))
	return table
}
