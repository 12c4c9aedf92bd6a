package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stackreeve/stackreeve/internal/cloud"
)

// intruder changes objects of a project as another user than the agent's. It sends plain requests, because the command line client needs seconds and
// several requests for each change.
type intruder struct {
	*ground
	user, token string
	services    map[string]string // by type: the addresses of services
}

// newIntruder logs in to the ground's project as another user, to whom the administrator gives the roles of the agent's user.
func newIntruder(g *ground, user string) *intruder {
	g.t.Helper()
	auth := g.auth()
	for _, role := range []string{"member", "load-balancer_member"} {
		g.mustDo(g.admin, "role", "add", "--project", fmt.Sprint(auth["project_name"]), "--user", user, role)
	}
	i := &intruder{ground: g, user: user, services: map[string]string{}}
	keystone := strings.TrimSuffix(fmt.Sprint(auth["auth_url"]), "/v3")
	domain := map[string]any{"name": "Default"}
	body := map[string]any{"auth": map[string]any{
		"identity": map[string]any{"methods": []string{"password"}, "password": map[string]any{"user": map[string]any{"name": user, "password": user, "domain": domain}}},
		"scope":    map[string]any{"project": map[string]any{"name": auth["project_name"], "domain": domain}},
	}}
	var in struct {
		Token struct {
			Catalog []struct {
				Type      string
				Endpoints []struct{ Interface, URL string }
			}
		}
	}
	header, err := i.ask(http.MethodPost, keystone+"/v3/auth/tokens", body, &in)
	if err != nil {
		g.t.Fatal(err)
	}
	i.token = header.Get("X-Subject-Token")
	for _, s := range in.Token.Catalog {
		for _, e := range s.Endpoints {
			if e.Interface == "public" {
				i.services[s.Type] = strings.TrimSuffix(e.URL, "/")
			}
		}
	}
	for service, version := range map[string]string{cloud.Network: "/v2.0", cloud.LoadBalancer: "/v2.0", cloud.DNS: "/v2"} {
		i.services[service] = strings.TrimSuffix(i.services[service], version) + version
	}
	return i
}

// ask sends one request, and decodes its answer.
func (i *intruder) ask(method, address string, body, into any) (http.Header, error) {
	header, said, err := askCloud(i.t.Context(), method, address, i.token, body)
	if err != nil || into == nil || len(said) == 0 {
		return header, err
	}
	return header, json.Unmarshal(said, into)
}

// do sends a request to a service, and returns when it was answered.
func (i *intruder) do(method, service, path string, body any) time.Time {
	i.t.Helper()
	if i.services[service] == "" {
		i.t.Fatalf("the catalog has no service %s", service)
	}
	if _, err := i.ask(method, i.services[service]+"/"+path, body, nil); err != nil {
		i.t.Fatal(err)
	}
	return time.Now()
}

// id returns the ID of the only object with a name. The collection is a path in the API of the service.
func (i *intruder) id(service, collection, name string) string {
	i.t.Helper()
	address, list := i.services[service]+"/"+collection, collection[strings.LastIndex(collection, "/")+1:]
	list = strings.ReplaceAll(strings.TrimPrefix(list, "os-"), "-", "_") // os-server-groups: server_groups
	var in map[string]json.RawMessage
	if _, err := i.ask(http.MethodGet, address+"?name="+url.QueryEscape(name), nil, &in); err != nil {
		i.t.Fatal(err)
	}
	var objects []struct{ ID, Name string }
	if err := json.Unmarshal(in[list], &objects); err != nil {
		i.t.Fatalf("%s: %v", address, err)
	}
	found := ""
	for _, o := range objects {
		if o.Name == name || strings.HasPrefix(o.Name, name+" [stackreeve:") { // of a server group, the name contains the mark
			if found != "" {
				i.t.Fatalf("%s has two objects %s", address, name)
			}
			found = o.ID
		}
	}
	if found == "" {
		i.t.Fatalf("%s has no object %s", address, name)
	}
	return found
}
