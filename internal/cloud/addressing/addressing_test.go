package addressing

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/reconcile/kind"
)

func subnetRef(id, cidr string) kind.Ref {
	return kind.Ref{Name: id, ID: id, Facts: kind.Facts{CIDR: cidr}}
}

// If a value is unknown, the package reports no mistake (law 5).
func TestNowhere(t *testing.T) {
	a, b, unknown := subnetRef("a", "10.0.0.0/24"), subnetRef("b", "fd00::/64"), kind.Ref{Name: "c"}
	of := func(subnets ...string) kind.Ref {
		return kind.Ref{Name: "front", ID: "n", Facts: kind.Facts{Subnets: subnets}}
	}
	for name, c := range map[string]struct {
		address string
		network kind.Ref
		subnets []kind.Ref
		refused bool
	}{
		"in the first":              {"10.0.0.9", of("a", "b"), []kind.Ref{a, b}, false},
		"in the second":             {"fd00::9", of("a", "b"), []kind.Ref{a, b}, false},
		"in none":                   {"10.1.0.9", of("a", "b"), []kind.Ref{a, b}, true},
		"mapped":                    {"::ffff:10.0.0.9", of("a"), []kind.Ref{a}, false},
		"not asked for":             {"", of("a"), []kind.Ref{a}, false},
		"others' subnet is there":   {"10.1.0.9", of("a", "theirs"), []kind.Ref{a}, false},
		"a subnet is not known":     {"10.1.0.9", of("a"), []kind.Ref{a, unknown}, false},
		"no subnets":                {"10.1.0.9", of(), nil, false},
		"the network is not known":  {"10.1.0.9", kind.Ref{Name: "front"}, []kind.Ref{a}, false},
		"the network is to be made": {"10.1.0.9", kind.Ref{Name: "front", Managed: true}, []kind.Ref{a}, true},
	} {
		if why := Nowhere("spec.vipAddress", c.address, c.network, c.subnets); (why != "") != c.refused {
			t.Errorf("%s: %q", name, why)
		}
	}
}

func TestClaim(t *testing.T) {
	a, gone := subnetRef("a", "10.0.0.0/24"), subnetRef("gone", "10.0.0.0/16")
	gone.Replacing = true
	claims := Claim("f", "10.0.0.9", a, subnetRef("b", "10.1.0.0/24"), kind.Ref{Name: "c"})
	if len(claims) != 1 || claims[0].Token() != "a/10.0.0.9" {
		t.Errorf("got %+v", claims)
	}
	if claims := Claim("f", "10.0.0.9", gone); len(claims) != 0 {
		t.Errorf("a subnet that is replaced still has %+v", claims)
	}
	if Claim("f", "", a) != nil || (kind.Claim{Owner: gone, Value: "10.0.0.9"}).Token() != "" {
		t.Error("something is claimed of what is not there")
	}
}

func TestLacks(t *testing.T) {
	port := kind.Ref{Name: "p", ID: "p", Facts: kind.Facts{Addresses: []string{"10.0.0.9", "fd00:0::1"}}}
	for address, refused := range map[string]bool{"10.0.0.9": false, "fd00::1": false, "": false, "10.0.0.8": true} {
		if why := Lacks(address, port); (why != "") != refused {
			t.Errorf("%q: %q", address, why)
		}
	}
	if why := Lacks("10.0.0.8", kind.Ref{Name: "p"}); why != "" {
		t.Errorf("of a port that is not known: %q", why)
	}
	if why := Lacks("fd00::9", kind.Ref{Name: "p", ID: "p", Replacing: true}); why != "" {
		t.Errorf("of a port that is replaced: %q", why)
	}
}
