package forge

import (
	"slices"
	"strings"
)

// Need is another pull request that a pull request depends on, or that is merged together with it.
type Need struct {
	// Number is 0 if Name does not lead to a pull request of this repository.
	Number int
	Name   string // the name that the author wrote; "" if the forge found the need
	Bond   Bond
	// Commit is the commit of the other pull request that the head contains. It is set only with the bond [Contained].
	Commit string
}

// Bond is the reason why a pull request needs another one.
type Bond string

// The bonds.
const (
	Contained Bond = "contained" // the head contains a commit of the other pull request.
	Named     Bond = "named"     // the author names the other pull request.
	Together  Bond = "together"  // the forge merges both together.
	Related   Bond = "related"   // both have the same topic, and the forge merges them separately.
)

// MaxNeeds is the number of needs of a pull request that are used. A forge may return one more, which shows that there are too many.
const MaxNeeds = 20

const (
	dependsOn = "Depends-On:"
	maxName   = 300 // maximal length of a name in bytes
)

// DependsOn returns the names in the lines "Depends-On: NAME" of a text, as Zuul reads them. It returns each name once, and at most one
// more than [MaxNeeds].
func DependsOn(text string) (names []string) {
	for line := range strings.Lines(text) {
		if len(line) <= len(dependsOn) || !strings.EqualFold(line[:len(dependsOn)], dependsOn) {
			continue
		}
		words := strings.Fields(line[len(dependsOn):])
		if len(words) != 1 || len(words[0]) > maxName || slices.Contains(names, words[0]) {
			continue
		}
		if names = append(names, strings.Clone(words[0])); len(names) > MaxNeeds {
			break
		}
	}
	return names
}
