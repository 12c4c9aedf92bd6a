package kindtest

import (
	"net/http"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// Address gives ports, by their names, addresses that the cloud could have chosen itself.
func Address(t *testing.T, c *cloud.Client, by map[string]string) {
	t.Helper()
	var ports struct {
		Ports []struct{ ID, Name string }
	}
	if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Path: "ports", Into: &ports}); err != nil {
		t.Fatal(err)
	}
	put := func(id string, addresses ...any) {
		body := map[string]any{"port": map[string]any{"fixed_ips": append([]any{}, addresses...)}}
		if err := c.Do(t.Context(), cloud.Call{Service: cloud.Network, Method: http.MethodPut, Path: "ports/" + id, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range ports.Ports {
		if by[p.Name] != "" {
			put(p.ID) // another port may get the address that this one has
		}
	}
	for _, p := range ports.Ports {
		if at := by[p.Name]; at != "" {
			put(p.ID, map[string]any{"ip_address": at})
		}
	}
}
