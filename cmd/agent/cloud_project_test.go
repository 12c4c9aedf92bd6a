package main

import (
	"cmp"
	"crypto/rand"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// findCloud uses the entry of a real cloud, and creates a project there.
func (g *ground) findCloud(name string) {
	file := os.Getenv("OS_CLIENT_CONFIG_FILE")
	if file == "" {
		g.t.Fatal("OS_CLIENT_CONFIG_FILE must name the clouds.yaml that has the entry ", name)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		g.t.Fatal(err)
	}
	entries := g.entriesOf(text)
	if g.entry = entries[name]; g.entry == nil {
		g.t.Fatalf("%s has no entry %s", file, name)
	}
	if inject := filepath.Join(filepath.Dir(file), "inject"); exists(inject) {
		g.inject = inject
	}
	for _, admin := range []string{name + "-admin", "admin"} {
		if entries[admin] != nil {
			g.makeProject(file, admin)
			return
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// makeProject creates a project with a network "private". Both are deleted at the end.
func (g *ground) makeProject(file, admin string) {
	name := "e2e-" + strings.ToLower(rand.Text())[:6]
	g.admin = newClient(g.t, file, admin)
	project := g.must(g.admin.one("project", "create", name)).text("id")
	g.dropAtEnd(project)
	auth := g.auth()
	user, _ := auth["username"].(string)
	for _, role := range []string{"member", "load-balancer_member"} {
		g.mustDo(g.admin, "role", "add", "--project", project, "--user", user, role)
	}
	delete(auth, "project_id")
	auth["project_name"] = name
	g.entry = maps.Clone(g.entry)
	g.entry["auth"] = auth
	g.writeClouds(map[string]any{straight: g.entry})
	own := newClient(g.t, g.path("clouds.yaml"), straight)
	network := g.must(own.one("network", "create", "private")).text("id")
	g.t.Cleanup(func() { g.mustDo(own, "network", "delete", network) })
	g.must(own.one("subnet", "create", "--network", network, "--subnet-range", "10.9.0.0/24", "private-subnet"))
}

// dropAtEnd deletes a project and its default security group at the end of the test.
func (g *ground) dropAtEnd(project string) {
	g.t.Cleanup(func() {
		list, err := g.admin.list("security", "group", "list", "--project", project)
		g.must(nil, err)
		for _, group := range list {
			g.mustDo(g.admin, "security", "group", "delete", group.text("id"))
		}
		g.mustDo(g.admin, "project", "delete", project)
	})
}

// places reads the addresses of the cloud's services from its catalog.
func (g *ground) places() []endpoint {
	g.t.Helper()
	doc, err := g.client.do("catalog", "list", "-f", "json")
	if err != nil {
		g.t.Fatal(err)
	}
	var services []struct {
		Type      string
		Endpoints []struct{ Interface, Region, URL string }
	}
	if err := yaml.Unmarshal(doc, &services); err != nil {
		g.t.Fatal(err)
	}
	var places []endpoint
	for _, s := range services {
		for _, e := range s.Endpoints {
			at, err := endpointOf(cmp.Or(map[string]string{"volumev3": "block-storage"}[s.Type], s.Type), e.URL)
			if err != nil {
				g.t.Fatal(err)
			}
			places = append(places, at)
		}
	}
	return places
}
