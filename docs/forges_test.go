package docs

import (
	"strings"
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
	"github.com/stackreeve/stackreeve/internal/forge/file"
	"github.com/stackreeve/stackreeve/internal/forge/gerrit"
	"github.com/stackreeve/stackreeve/internal/forge/gitea"
	"github.com/stackreeve/stackreeve/internal/forge/github"
	"github.com/stackreeve/stackreeve/internal/forge/gitlab"
)

// forges are the columns of the table of abilities.
var forges = []struct {
	name string
	can  forge.Abilities
}{
	{"GitHub", github.Abilities()},
	{"Gitea, Forgejo", gitea.Abilities()},
	{"GitLab", gitlab.Abilities()},
	{"Gerrit", gerrit.Abilities()},
	{"a file", file.Abilities()},
}

// TestAbilities wants the table of what each forge can do to be what the forges declare.
func TestAbilities(t *testing.T) {
	table := "| | "
	for _, f := range forges {
		table += f.name + " | "
	}
	table = strings.TrimSpace(table) + "\n|---" + strings.Repeat("|---", len(forges)) + "|\n"
	for _, ability := range forge.EveryAbility() {
		row := "| " + string(ability)
		for _, f := range forges {
			if f.can.Has(ability) {
				row += " | yes"
			} else {
				row += " | no"
			}
		}
		table += row + " |\n"
	}
	if !strings.Contains(read(t, "pull-requests.md"), table) {
		t.Errorf("pull-requests.md does not hold this table:\n%s", table)
	}
}
