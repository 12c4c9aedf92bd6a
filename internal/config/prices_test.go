package config

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

// TestPrices checks that prices are read exactly as they are written, both in flags and in files.
func TestPrices(t *testing.T) {
	got, err := Load(nil, Settings{"stack": "s", "url": "https://git.example.com/x", "price-currency": "EUR", "price-flavor": "m1.small=0.1,*=0.3", "price-floating-ip": "0.005"})
	if err != nil {
		t.Fatal(err)
	}
	prices := got[0].Prices()
	for _, tt := range []struct {
		service, name, which, want string
	}{{"compute", "instances", "m1.small", "1/10"}, {"compute", "instances", "", "3/10"}, {"network", "floatingip", "", "1/200"}} {
		if price := prices.Hour[kind.Resource{Service: tt.service, Name: tt.name, Type: tt.which}]; price == nil || price.String() != tt.want {
			t.Errorf("%s of type %q costs %v, want %s", tt.name, tt.which, price, tt.want)
		}
	}
	if len(prices.Hour) != 3 || len(prices.Priced) != 4 {
		t.Errorf("prices of %d of %d", len(prices.Hour), len(prices.Priced))
	}
	if _, err := Load(nil, Settings{"stack": "s", "url": "https://git.example.com/x", "price-floating-ip": "0.005"}); err == nil {
		t.Error("prices without a currency are taken")
	}
}
