package forgetest

import (
	"testing"

	"github.com/stackreeve/stackreeve/internal/forge"
)

// testAbilities checks that the declared abilities agree with the roles that exist. The other tests
// of the suite test the roles. The suite is only for forges with pull requests.
func testAbilities(t *testing.T, lab Lab) {
	f := lab.Forge()
	for ability, has := range map[forge.Ability]bool{
		forge.PullRequests:     f.Reviewed(),
		forge.Merges:           f.Pulls != nil,
		forge.PersonRights:     f.Rights != nil,
		forge.CommentReactions: f.Reactions != nil,
		forge.LineNotes:        f.Checks != nil,
	} {
		if f.Can.Has(ability) != has {
			t.Errorf("declared that %s: %v; the role is there: %v", ability, f.Can.Has(ability), has)
		}
	}
	for _, one := range f.Can {
		if !forge.EveryAbility().Has(one) {
			t.Errorf("nobody has heard that %s", one)
		}
	}
	if !f.Can.Has(forge.ForkHeads) || !f.Can.Has(forge.StatusAuthors) {
		t.Error("a fork's head is fetched from its own repository, or anybody's status is taken for ours: nothing here is made for that")
	}
}
