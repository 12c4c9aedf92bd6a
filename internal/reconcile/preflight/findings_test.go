package preflight

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/manifest"
	"github.com/stackreeve/stackreeve/internal/reconcile/cause"
	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
	"github.com/stackreeve/stackreeve/internal/redact"
)

func gb(which string) kind.Resource {
	return kind.Resource{Service: "block-storage", Name: "gigabytes", Type: which}
}

func TestQuota(t *testing.T) {
	tests := []struct {
		name       string
		q          Quota
		short      int64
		tight, may bool // tight: the quota suffices only after a deletion; may: the free amount is known
	}{
		{"there is enough", Quota{Needed: 5, Limit: 10, Used: 5}, 0, false, true},
		{"one is missing", Quota{Needed: 6, Limit: 10, Used: 5}, 1, false, true},
		{"over the limit already", Quota{Needed: 1, Limit: 10, Used: 15}, 1, false, true},
		{"no limit", Quota{Needed: math.MaxInt64, Limit: -1, Used: 5}, 0, false, true},
		{"usage is not known", Quota{Needed: 50, Limit: 10, Used: -1}, 0, false, false},
		{"once something is deleted", Quota{Needed: 6, Freed: 2, Limit: 10, Used: 5}, 0, true, true},
		{"even then not", Quota{Needed: 8, Freed: 2, Limit: 10, Used: 5}, 1, false, true},
		{"nothing is taken", Quota{Freed: 2, Limit: 10, Used: 15}, 0, false, true},
		{"nothing is allowed", Quota{Needed: 1, Limit: 0}, 1, false, true},
		{"all there is", Quota{Needed: math.MaxInt64, Limit: 0, Used: math.MaxInt64}, math.MaxInt64, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, known := tt.q.Free(); tt.q.Short() != tt.short || tt.q.Tight() != tt.tight || known != tt.may {
				t.Errorf("short %d, tight %v, known %v; want %d, %v, %v", tt.q.Short(), tt.q.Tight(), known, tt.short, tt.tight, tt.may)
			}
		})
	}
}

// Sums of amounts from manifests do not become negative.
func TestAttackAmountsDoNotOverflow(t *testing.T) {
	a := kind.Amounts{}
	for range 3 {
		a.Add(gb(""), math.MaxInt64)
	}
	a.Add(gb("ssd"), -5)
	if a[gb("")] != math.MaxInt64 || a[gb("ssd")] != 0 {
		t.Errorf("%v", a)
	}
	prices := &Prices{Currency: "EUR", Priced: []kind.Resource{gb("")}, Hour: map[kind.Resource]*big.Rat{gb(""): big.NewRat(1, 1)}}
	if got := prices.Cost(Demand{Needed: a}).Amount(); got != "+€6733061586903986339110.00" {
		t.Errorf("%s", got)
	}
}

func TestDemandInheritsTypes(t *testing.T) {
	d := Demand{kind.Amounts{}, kind.Amounts{}}
	holds := kind.Amounts{gb(""): 10, gb("ssd"): 10}
	d.add(withLiveType(kind.Amounts{gb(""): 15}, holds), holds)
	if d.Needed[gb("")] != 5 || d.Needed[gb("ssd")] != 5 || d.Freed[gb("")] != 0 || d.Freed[gb("ssd")] != 0 {
		t.Errorf("a volume that grows and says not of which type it is takes %v and gives back %v", d.Needed, d.Freed)
	}
	d = Demand{kind.Amounts{}, kind.Amounts{}}
	d.add(withLiveType(kind.Amounts{gb(""): 10, gb("hdd"): 10}, holds), holds)
	if d.Needed[gb("hdd")] != 10 || d.Freed[gb("ssd")] != 10 || d.Needed[gb("")] != 0 || d.Freed[gb("")] != 0 {
		t.Errorf("another type takes %v and gives back %v", d.Needed, d.Freed)
	}
}

func TestAmount(t *testing.T) {
	for _, tt := range []struct{ currency, month, want string }{
		{"EUR", "41", "+€41.00"}, {"EUR", "0.1", "+€0.10"}, {"EUR", "41.000001", "+€41.00"}, {"EUR", "-12.345", "-€12.35"},
		{"EUR", "-0.001", "+€0.00"}, {"JPY", "1234.5", "+¥1235"}, {"CHF", "-2", "-2.00 CHF"}, {"EUR", "0", "+€0.00"},
	} {
		month, _ := new(big.Rat).SetString(tt.month)
		if got := (&Cost{Currency: tt.currency, Month: month}).Amount(); got != tt.want {
			t.Errorf("%s %s is %q, want %q", tt.month, tt.currency, got, tt.want)
		}
	}
}

// A price without a type applies to the types that have no price. If a resource has no price at all, it is in Unpriced.
func TestCost(t *testing.T) {
	prices := &Prices{Currency: "EUR", Priced: []kind.Resource{gb("")}, Hour: map[kind.Resource]*big.Rat{gb("ssd"): big.NewRat(1, 10)}}
	d := Demand{Needed: kind.Amounts{gb(""): 7, gb("ssd"): 4, gb("hdd"): 2}, Freed: kind.Amounts{gb(""): 1, gb("ssd"): 1}}
	c := prices.Cost(d)
	if c.Amount() != "+€219.00" || len(c.Unpriced) != 2 || c.Unpriced[0] != gb("") || c.Unpriced[1] != gb("hdd") {
		t.Errorf("%s, unpriced %v", c.Amount(), c.Unpriced)
	}
	prices.Hour[gb("")] = big.NewRat(1, 1000)
	if c = prices.Cost(d); c.Amount() != "+€221.19" || len(c.Unpriced) != 0 {
		t.Errorf("%s, unpriced %v", c.Amount(), c.Unpriced)
	}
	if c := prices.Cost(Demand{Needed: kind.Amounts{{Service: "network", Name: "port"}: 1}}); c != nil {
		t.Errorf("a plan that touches nothing with a price costs %s", c.Amount())
	}
}

func TestZonesThatAServiceHasNot(t *testing.T) {
	vm := func(name string) manifest.Key { return manifest.Key{Kind: "Server", Name: name} }
	for name, c := range map[string]struct {
		asked map[string][]manifest.Key
		has   []string
		want  string
	}{
		"all are there":   {map[string][]manifest.Key{"az-a": {vm("a")}}, []string{"az-a", "az-b"}, ""},
		"one is not":      {map[string][]manifest.Key{"az-a": {vm("a")}, "az-z": {vm("b"), vm("c")}}, []string{"az-a", "az-b"}, "the compute service has no available zone with the name az-z, which is requested by Server/b, Server/c; its zones are az-a, az-b"},
		"there are none":  {map[string][]manifest.Key{"az-a": {vm("a")}}, nil, "the compute service has no available zone with the name az-a, which is requested by Server/a"},
		"nothing is made": {nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var f Findings
			f.CompareZones("compute", c.asked, c.has)
			if f.Warnings.String() != c.want || f.Warnings.Has(cause.NoZone) != (c.want != "") {
				t.Errorf("%s, want %s", f.Warnings, c.want)
			}
		})
	}
}

func TestHostsThatAreTooFew(t *testing.T) {
	has := map[string]int{"az-a": 2, "az-b": 1}
	for name, c := range map[string]struct {
		apart Separation
		want  cause.Code
	}{
		"enough":               {Separation{PerHost: 1, Members: 3}, ""},
		"several share one":    {Separation{PerHost: 2, Members: 6}, ""},
		"one too many":         {Separation{PerHost: 1, Members: 4}, cause.TooFewHosts},
		"too few in their own": {Separation{PerHost: 1, Members: 3, Zone: "az-a"}, cause.TooFewHostsInZone},
		"in no zone that is":   {Separation{PerHost: 1, Members: 1, Zone: "az-z"}, cause.TooFewHostsInZone},
	} {
		t.Run(name, func(t *testing.T) {
			var f Findings
			f.CompareHosts([]Separation{c.apart}, has)
			if len(f.Warnings) > 1 || f.Warnings.Is(c.want) != (c.want != "") || c.want == "" && f.Warnings != nil {
				t.Errorf("%s, want %s", f.Warnings, c.want)
			}
		})
	}
}

// Texts that come from a cloud may contain a secret.
func TestAttackFindingsRepeatSecrets(t *testing.T) {
	const secret = "Xk93-ffZ-geheim"
	r := redact.New(slices.Values([]string{secret}), slices.Values([]string{}))
	warned := cause.List{cause.Of(cause.NoZone, "compute", secret, "Server/a")}
	f := Findings{Quotas: []Quota{{Resource: gb(secret)}}, Warnings: warned, Notes: cause.List{cause.Of(cause.HostsUnknown, "no "+secret)}, Cost: &Cost{Unpriced: []kind.Resource{gb(secret)}}}
	if got := fmt.Sprintf("%+v %+v", f.Redacted(r), *f.Redacted(r).Cost); strings.Contains(got, secret) {
		t.Error(got)
	}
	if !warned.Names(secret) {
		t.Error("the findings themselves were changed")
	}
}
