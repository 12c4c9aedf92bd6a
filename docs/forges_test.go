package docs

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
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

// TestForgesAreNamedInFewRooms wants no room to decide by the name of a forge: what differs between forges is in their own folders. The
// rooms that may name them read such names from a configuration, from an address, or from a flag.
func TestForgesAreNamedInFewRooms(t *testing.T) {
	may := []string{"internal/forge/", "internal/config/", "internal/session/", "internal/source/webhook/", "cmd/agent/validate.go"}
	name := regexp.MustCompile(`"(github|gitlab|gitea|gerrit)"`)
	seen := 0
	for _, root := range []string{"cmd", "internal"} {
		err := fs.WalkDir(os.DirFS("../"+root), ".", func(file string, _ fs.DirEntry, err error) error {
			file = root + "/" + file
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile("../" + file)
			found := name.Find(text)
			if found != nil && !slices.ContainsFunc(may, func(room string) bool { return strings.HasPrefix(file, room) }) {
				t.Errorf("%s names the forge %s", file, found)
			}
			seen++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if seen < 100 {
		t.Errorf("%d files were read", seen)
	}
}
