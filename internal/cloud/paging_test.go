package cloud

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
)

// Pages that are small enough by themselves may still be endless.
func TestAttackEndlessPages(t *testing.T) {
	big, pages := new(reading), 0
	for page := map[string]json.RawMessage{"servers": make([]byte, 32<<20)}; big.add(page) == nil; pages++ {
		if pages > 8 {
			t.Fatalf("%d MiB of one list were taken", big.bytes>>20)
		}
	}
	many := new(reading)
	for n := 0; many.turn(fmt.Sprint("servers?marker=", n)) == nil; n++ {
		if n > maxPages {
			t.Fatalf("%d pages of one list were asked for", many.pages)
		}
	}
}

func TestAttackCatalogAddress(t *testing.T) {
	for _, c := range []struct {
		home, address string
		ok            bool
	}{
		{"https://keystone.example:5000/v3", "https://nova.example:8774/v2.1", true},
		{"https://keystone.example:5000/v3", "https://10.0.0.4:8774/v2.1", true},
		{"https://keystone.example:5000/v3", "http://nova.example:8774/v2.1", false},
		{"http://keystone.example:5000/v3", "http://nova.example:8774/v2.1", true},
		{"http://keystone.example:5000/v3", "https://nova.example:8774/v2.1", true},
		{"https://keystone.example/v3", "https://169.254.169.254/latest", false},
		{"https://keystone.example/v3", "https://[fe80::1]/v2.1", false},
		{"https://keystone.example/v3", "https://127.0.0.1:8774/v2.1", false},
		{"https://keystone.example/v3", "https://[::1]:8774/v2.1", false},
		{"https://keystone.example/v3", "https://[::ffff:127.0.0.1]/v2.1", false},
		{"https://keystone.example/v3", "https://localhost./v2.1", false},
		{"https://keystone.example/v3", "https://0.0.0.0/v2.1", false},
		{"http://127.0.0.1:5000/v3", "http://127.0.0.1:8774/v2.1", true},
		{"https://keystone.example/v3", "https://me@nova.example/v2.1", false},
		{"https://keystone.example/v3", "file:///etc/passwd", false},
		{"https://keystone.example/v3", "gopher://nova.example/", false},
		{"https://keystone.example/v3", "//nova.example/", false},
		{"https://keystone.example/v3", "https://nova.example\r\nX: y/", false},
		{"https://keystone.example/v3", "", false},
	} {
		home, err := url.Parse(c.home)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := checkEndpoint(home, "compute", c.address); (err == nil) != c.ok {
			t.Errorf("%s from %s: %v", c.address, c.home, err)
		}
	}
}
