package cloud

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// Clients with the same token share its decoded answer. A client with a new token, after the old one expired, has the new answer.
func TestSharingDecodedLogins(t *testing.T) {
	answered := func(token string) *gophercloud.ProviderClient {
		var r tokens.CreateResult
		r.Header = http.Header{"X-Subject-Token": {token}}
		r.Body = map[string]any{"token": map[string]any{"user": map[string]any{"id": "u-" + token}, "project": map[string]any{"id": "p", "name": "demo"}, "catalog": []any{}}}
		p := &gophercloud.ProviderClient{}
		if err := p.SetTokenAndAuthResult(r); err != nil {
			t.Fatal(err)
		}
		return p
	}
	bodyOf := func(p *gophercloud.ProviderClient) uintptr {
		return reflect.ValueOf(p.GetAuthResult().(tokens.CreateResult).Body).Pointer()
	}
	var d decodedLogins
	first, second, renewed := answered("1"), answered("1"), answered("2")
	var logins []*loggedIn
	for _, p := range []*gophercloud.ProviderClient{first, second, renewed} {
		l, err := d.of(p)
		if err != nil {
			t.Fatal(err)
		}
		logins = append(logins, l)
	}
	if logins[0] != logins[1] || bodyOf(first) != bodyOf(second) {
		t.Error("two clients with the same token have two answers")
	}
	if logins[2].user.ID != "u-2" || renewed.Token() != "2" || bodyOf(renewed) == bodyOf(first) {
		t.Errorf("the new token's answer is that of user %s, its token %s", logins[2].user.ID, renewed.Token())
	}
	if l, err := (*decodedLogins)(nil).of(answered("3")); err != nil || l.project.Name != "demo" || l.user.ID != "u-3" {
		t.Errorf("a client that shares nothing: %v, %v", l, err)
	}
}
