package preflight

import (
	"math/big"
	"slices"
	"strings"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// HoursOfMonth are the hours that a month is taken for.
const HoursOfMonth = 730

// Prices are what resources cost an hour.
type Prices struct {
	Currency string // ISO 4217
	// Priced are the resources that have prices, without types.
	Priced []kind.Resource
	// Hour are the prices by resource and type; without a type, that of every other type.
	Hour map[kind.Resource]*big.Rat
}

// Cost is what a plan makes a month dearer, or cheaper.
type Cost struct {
	Currency string
	Month    *big.Rat
	// Unpriced are resources that the plan takes or gives back and that have no price.
	Unpriced []kind.Resource
}

// Cost adds up what a demand costs a month; nil where nothing of it is priced.
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

// add adds the price of n of a resource, and reports whether there are any.
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

// net is how many more of a resource there are after the plan.
func (d Demand) net(r kind.Resource) *big.Int {
	return new(big.Int).Sub(big.NewInt(d.Takes[r]), big.NewInt(d.Gives[r]))
}

func (d Demand) resources() map[kind.Resource]bool {
	all := map[kind.Resource]bool{}
	for _, amounts := range []kind.Amounts{d.Takes, d.Gives} {
		for r := range amounts {
			all[r] = true
		}
	}
	return all
}

// currencies are signs that stand before an amount, and how many decimals amounts have
// that have not two. (ISO 4217)
var (
	signs    = map[string]string{"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "KRW": "₩", "INR": "₹"}
	decimals = map[string]int{"JPY": 0, "KRW": 0, "VND": 0, "CLP": 0, "ISK": 0}
)

// Amount is the cost of a month as people write it, rounded, with its sign: "+€41.00",
// "-12.50 CHF".
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
