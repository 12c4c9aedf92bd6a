package forge

import (
	"slices"
	"strings"
)

// Need is another pull request that one stands on or is merged together with.
type Need struct {
	// Number is 0 where Name leads to no pull request of this repository.
	Number int
	Name   string // how the author calls it; "" where the forge found it
	Bond   Bond
	// Commit is the commit of it that the head contains, with the bond [Contained].
	Commit string
}

// Bond is why a pull request needs another one.
type Bond string

// The bonds.
const (
	Contained Bond = "contained" // its commit is below the head
	Named     Bond = "named"     // the author says so
	Together  Bond = "together"  // the forge merges both at once
	Related   Bond = "related"   // both have the same topic, and are merged singly
)

// MostNeeds is how many needs of a pull request are looked at. A forge may name one more, so that it is known that there are.
const MostNeeds = 20

const (
	dependsOn = "Depends-On:"
	mostName  = 300 // bytes
)

// DependsOn returns the names in the lines "Depends-On: NAME" of a text, as Zuul reads them, each once: at most one more than [MostNeeds].
func DependsOn(text string) (names []string) {
	for line := range strings.Lines(text) {
		if len(line) <= len(dependsOn) || !strings.EqualFold(line[:len(dependsOn)], dependsOn) {
			continue
		}
		words := strings.Fields(line[len(dependsOn):])
		if len(words) != 1 || len(words[0]) > mostName || slices.Contains(names, words[0]) {
			continue
		}
		if names = append(names, strings.Clone(words[0])); len(names) > MostNeeds {
			break
		}
	}
	return names
}
