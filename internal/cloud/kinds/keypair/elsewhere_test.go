package keypair_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
)

// inAnotherProject logs in as the user of the tested cloud, but in a second project. For a real cloud, clouds.yaml needs
// an entry for an administrator. Its name is the name of the tested entry with -admin at the end.
func inAnotherProject(t *testing.T, g *kindtest.Target, user string) *cloud.Client {
	t.Helper()
	entry, clouds, project := "demo", []byte(nil), ""
	if g.Simulator != nil {
		project, clouds = g.Beside("demo2").Client(nil).ProjectID, g.Simulator.CloudsYAML()
		g.Simulator.Do(func() { g.Simulator.Keystone.Grant(user, project, "member") })
	} else {
		entry = os.Getenv("STACKREEVE_TEST_CLOUD")
		admin, err := cloud.Open(t.Context(), cloud.Config{Cloud: entry + "-admin"})
		if err != nil {
			t.Skipf("needs an administrator: %v", err)
		}
		project = newProject(t, admin, user)
		if clouds, err = os.ReadFile(os.Getenv("OS_CLIENT_CONFIG_FILE")); err != nil {
			t.Skipf("needs the clouds.yaml that OS_CLIENT_CONFIG_FILE names: %v", err)
		}
	}
	c, err := cloud.Open(t.Context(), cloud.Config{Cloud: entry, File: withProject(t, clouds, entry, project)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newProject creates a project with the user as a member, and deletes it when the test ends.
func newProject(t *testing.T, admin *cloud.Client, user string) string {
	t.Helper()
	do := func(method, path string, body, into any) {
		t.Helper()
		if err := admin.Do(t.Context(), cloud.Call{Service: cloud.Identity, Method: method, Path: path, Body: body, Into: into}); err != nil {
			t.Fatal(err)
		}
	}
	var made struct{ Project struct{ ID string } }
	do("POST", "projects", map[string]any{"project": map[string]any{"name": "namesake-" + rand.Text()}}, &made)
	var member struct{ Roles []struct{ ID string } }
	do("GET", "roles?name=member", nil, &member)
	do("PUT", "projects/"+made.Project.ID+"/users/"+user+"/roles/"+member.Roles[0].ID, nil, nil)
	id := made.Project.ID
	t.Cleanup(func() {
		if err := admin.Do(context.WithoutCancel(t.Context()), cloud.Call{Service: cloud.Identity, Method: "DELETE", Path: "projects/" + id}); err != nil {
			t.Error(err)
		}
	})
	return id
}

// withProject writes a clouds.yaml whose entry uses the given project.
func withProject(t *testing.T, clouds []byte, entry, project string) string {
	t.Helper()
	var file struct {
		Clouds map[string]map[string]any `json:"clouds"`
	}
	if err := yaml.Unmarshal(clouds, &file); err != nil {
		t.Fatal(err)
	}
	auth, ok := file.Clouds[entry]["auth"].(map[string]any)
	if !ok {
		t.Fatalf("clouds.yaml has no entry %s", entry)
	}
	delete(auth, "project_name")
	delete(auth, "project_domain_name")
	auth["project_id"] = project
	text, err := yaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "clouds.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
