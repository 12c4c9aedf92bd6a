package all_test

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/cloud"
	"github.com/stackreeve/stackreeve/internal/cloud/all"
	"github.com/stackreeve/stackreeve/internal/cloud/kindtest"
	"github.com/stackreeve/stackreeve/internal/export"
	"github.com/stackreeve/stackreeve/internal/manifest"
)

// TestExportOfAssignments: the ID of an assignment is a path of IDs, and the export gives it a name. It is
// adopted only together with the object that has its mark. If that object cannot have a mark, the assignment
// is an import.
func TestExportOfAssignments(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	if g.Simulator == nil {
		t.Skip("it writes all that an administrator sees")
	}
	g = g.Beside("admin")
	names, adopted := map[manifest.Key]bool{}, 0
	for _, o := range exportOf(t, g, export.Input{Only: []string{"RoleAssignment", "Project"}}).Objects {
		if names[o.Key] {
			t.Errorf("there are two %s", o.Key)
		}
		if names[o.Key] = true; o.Key.Kind == "RoleAssignment" && o.Adopted {
			adopted++
		}
	}
	alone := exportOf(t, g, export.Input{Only: []string{"RoleAssignment"}})
	if adopted < 10 || len(alone.Objects) > 0 || len(alone.Notes) != adopted || alone.Notes[0].Kind != "RoleAssignment" {
		t.Errorf("%d are adopted with their projects; alone: %s, %v", adopted, joined(alone), alone.Notes)
	}
}

// TestExportOfACredential: a credential that people made cannot have a mark. The note says what to do and names
// no field.
func TestExportOfACredential(t *testing.T) {
	g := kindtest.NewTarget(t, all.Kinds)
	c := g.Client(nil)
	own, _ := c.OwnUser()
	id := hand{t: t, c: c}.make(cloud.Identity, "users/"+own+"/application_credentials", "application_credential", map[string]any{"name": g.Stack})
	r := exportOf(t, g, export.Input{Chosen: []export.Chosen{{Kind: "ApplicationCredential", Name: "login", ID: id}}})
	if len(r.Objects) != 0 || len(r.Notes) != 1 || r.Notes[0].Field != "" || r.Notes[0].Kind != "ApplicationCredential" || !strings.Contains(r.Notes[0].Text, "Keystone") {
		t.Errorf("%s, %v", joined(r), r.Notes)
	}
}
