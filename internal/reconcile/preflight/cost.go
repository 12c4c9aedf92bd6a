package preflight

import (
	"math/big"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// HoursOfMonth is the number of hours in a month.
const HoursOfMonth = 730

// Prices are the prices of resources for an hour.
type Prices struct {
	Currency string // ISO 4217
	// Priced are the resources that have a price, with an empty type.
	Priced []kind.Resource
	// Hour contains the prices by resource and type. A price without a type applies to all types that have no price.
	Hour map[kind.Resource]*big.Rat
}

// Cost is the change of the monthly cost by a plan; below 0 if it gets cheaper.
type Cost struct {
	Currency string
	Month    *big.Rat
	// Unpriced are resources without a price that the plan uses or frees.
	Unpriced []kind.Resource
}

// Cost adds up the monthly cost of a demand; nil if no resource in it is priced.
func (p *Prices) Cost(d Demand) *Cost {
	if p == nil {
		return nil
	}
	c := &Cost{Currency: p.Currency, Month: new(big.Rat)}
	touched := false
	for _, all := range p.Priced {
		rest := d.net(all)
		for r := range d.resources() {
			if r.Service != all.Service || r.Name != all.Name || r.Type == "" {
				continue
			}
			n := d.net(r)
			rest.Sub(rest, n)
			touched = p.add(c, r, n) || touched
		}
		touched = p.add(c, all, rest) || touched
	}
	if !touched {
		return nil
	}
	slices.SortFunc(c.Unpriced, kind.Resource.Compare)
	return c
}

// add adds the price of n units of a resource to c, and reports whether n is not 0.
func (p *Prices) add(c *Cost, r kind.Resource, n *big.Int) bool {
	if n.Sign() == 0 {
		return false
	}
	price := p.Hour[r]
	if price == nil {
		price = p.Hour[kind.Resource{Service: r.Service, Name: r.Name}]
	}
	if price == nil {
		c.Unpriced = append(c.Unpriced, r)
		return true
	}
	month := new(big.Rat).SetInt(new(big.Int).Mul(n, big.NewInt(HoursOfMonth)))
	c.Month.Add(c.Month, month.Mul(month, price))
	return true
}

// net returns the increase in the use of a resource by the plan.
func (d Demand) net(r kind.Resource) *big.Int {
	return new(big.Int).Sub(big.NewInt(d.Needed[r]), big.NewInt(d.Freed[r]))
}

func (d Demand) resources() map[kind.Resource]bool {
	all := map[kind.Resource]bool{}
	for _, amounts := range []kind.Amounts{d.Needed, d.Freed} {
		for r := range amounts {
			all[r] = true
		}
	}
	return all
}

// signs are the currency signs that are written before an amount. decimals contains the currencies whose amounts do not have two decimals
// (ISO 4217).
var (
	signs    = map[string]string{"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "KRW": "₩", "INR": "₹"}
	decimals = map[string]int{"JPY": 0, "KRW": 0, "VND": 0, "CLP": 0, "ISK": 0}
)

// Amount returns the rounded monthly cost for people, with its sign: "+€41.00", "-12.50 CHF".
func (c *Cost) Amount() string {
	digits, ok := decimals[c.Currency]
	if !ok {
		digits = 2
	}
	number := c.Month.FloatString(digits)
	sign := "+"
	if rest, negative := strings.CutPrefix(number, "-"); negative {
		sign, number = "-", rest
	}
	if strings.Trim(number, "0.") == "" {
		sign = "+"
	}
	if symbol := signs[c.Currency]; symbol != "" {
		return sign + symbol + number
	}
	return sign + number + " " + c.Currency
}
