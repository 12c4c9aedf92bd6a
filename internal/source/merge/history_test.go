package merge

import (
	"slices"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// TestNewestShared finds the common commits in histories with unknown commits. An unknown commit
// has no entry in parents.
func TestNewestShared(t *testing.T) {
	for name, c := range map[string]struct {
		parents map[string]string // the parents of each commit; each letter is a commit
		best    string
		sure    bool
	}{
		"a line":                    {map[string]string{"L": "a", "R": "a", "a": "b", "b": ""}, "a", true},
		"one leads to the other":    {map[string]string{"L": "R", "R": "a", "a": ""}, "R", true},
		"older is not known":        {map[string]string{"L": "a", "R": "a", "a": "b"}, "a", true},
		"itself is not known":       {map[string]string{"L": "a", "R": "a"}, "a", true},
		"nothing is known yet":      {map[string]string{"L": "a", "R": "b"}, "", false},
		"nothing is shared":         {map[string]string{"L": "a", "R": "b", "a": "", "b": ""}, "", true},
		"another way is not known":  {map[string]string{"L": "ab", "R": "a", "a": ""}, "a", false},
		"another way leads there":   {map[string]string{"L": "ab", "R": "a", "a": "c", "b": "c", "c": ""}, "a", true},
		"crosswise":                 {map[string]string{"L": "ab", "R": "ab", "a": "c", "b": "c", "c": ""}, "ab", true},
		"crosswise, as it seems":    {map[string]string{"L": "ab", "R": "ab", "a": "c"}, "ab", false},
		"crosswise, and older":      {map[string]string{"L": "ab", "R": "ab", "a": "c", "b": "c"}, "ab", false},
		"one side goes on unknown":  {map[string]string{"L": "a", "R": "ax", "a": ""}, "a", false},
		"both go on to the unknown": {map[string]string{"L": "ax", "R": "ax", "a": "x"}, "a", true},
	} {
		t.Run(name, func(t *testing.T) {
			a := ancestry{}
			for commit, parents := range c.parents {
				a[commits(commit)[0]] = commits(parents)
			}
			best, sure, err := a.newestShared(&visitBudget{t.Context(), 100}, commits("L"), commits("R"))
			if err != nil || sure != c.sure || !slices.Equal(best, commits(c.best)) {
				t.Errorf("best %v, sure %v; want %s, %v", best, sure, c.best, c.sure)
			}
		})
	}
}

func commits(letters string) (list []plumbing.Hash) {
	for _, letter := range []byte(letters) {
		list = append(list, plumbing.Hash{letter})
	}
	return list
}
